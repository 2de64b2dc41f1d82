"""Clients that make, edit, run, disable and delete jobs of all kinds, by chance, through any node, and remember what was acknowledged."""

import itertools
import threading
import time
import urllib.error

# Clients, the jobs that each of them has at a time, and its requests in a second.
CLIENTS, JOBS_MAX, RATE = 4, 10, 2


class Load:
    """All clients, at work until they are held."""

    def __init__(self, cluster, random):
        self._numbers = itertools.count(1)
        self._may_go = threading.Event()
        self._may_go.set()
        self.clients = [Client(cluster, self, type(random)(random.random())) for _ in range(CLIENTS)]

    def next_number(self):
        return next(self._numbers)

    def hold(self):
        """Waits for the requests that are on their way, and has no other sent."""
        self._may_go.clear()
        for client in self.clients:
            assert client.is_idle.wait(60), "a client does not come to its end"

    def go_on(self):
        for client in self.clients:
            client.is_idle.clear()
        self._may_go.set()

    def wait(self, client):
        """Waits while the clients are held."""
        if not self._may_go.is_set():
            client.is_idle.set()
            self._may_go.wait()

    def end(self):
        for client in self.clients:
            client.is_over = True
        self._may_go.set()

    @property
    def done(self):
        return sum(client.done for client in self.clients)

    @property
    def refused(self):
        return sum(client.refused for client in self.clients)


class Promise:
    """What a client knows of its job: the version that it asked for last, and the last one that was acknowledged."""

    def __init__(self):
        self.asked, self.acknowledged, self.paths = 0, 0, {}


class Client:
    """A client with jobs of its own, so that it knows the order of its requests."""

    def __init__(self, cluster, load, random):
        self.cluster, self.load, self.random = cluster, load, random
        self.jobs, self.runs, self.done, self.refused, self.failure = {}, {}, 0, 0, None
        self.is_idle, self.is_over = threading.Event(), False
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while not self.is_over:
            self.load.wait(self)
            try:
                self._do_one()
            except Exception as error:
                # Told by the next check: nobody hears a thread.
                self.failure = error
            time.sleep(self.random.expovariate(RATE))

    def _do_one(self):
        node = self.random.choice(self.cluster.nodes)
        what = self.random.choices([self._make, self._edit, self._switch, self._run, self._delete], [4, 4, 2, 5, 2])[0]
        try:
            what(node)
            self.done += 1
        except urllib.error.HTTPError as error:
            # The database is away, or the job is not what it was thought to be. What was asked for may have been done or not.
            assert error.code in (404, 409, 503), f"{what.__name__}: {error.code} {error.read()}"
            self.refused += 1
        except OSError:
            self.refused += 1

    def _definition(self, job, version):
        path = self.random.choice([f"/steady/x-{job}", f"/flaky/{job}", f"/slow/1.5/{job}"]) + f"/{version}"
        seconds = self.random.choice(["*", "*/2", "*/3", "1-59/4", "*/5"])
        action = {"request": {"uri": self.cluster.receiver.url + path}, "retryPolicy": {"retryType": "none"}}
        if self.random.random() < 0.5:
            retries = self.random.randint(1, 2)
            action["retryPolicy"] = {"retryType": "fixed", "retryInterval": "PT15S", "retryCount": retries}
            action["errorAction"] = {"request": {"uri": f"{self.cluster.receiver.url}/error/{job}/{version}"}}
        options = {"overlap": self.random.choice(["skip", "allow"]), "catchUp": self.random.choice(["latest", "all", "none"])}
        body = {"action": action, "options": options}
        if self.random.random() < 0.9:
            body["recurrence"] = {"cron": f"{seconds} * * * * *"}
            if self.random.random() < 0.2:
                body["recurrence"]["count"] = self.random.randint(1, 20)
        return body, path

    def _call(self, node, method, job, then="", body=None):
        return node.call(method, f"/v1/jobs/{job}{then}", body, seconds=8)

    def _make(self, node):
        if len(self.jobs) >= JOBS_MAX:
            return self._edit(node)
        job = f"random-{self.load.next_number()}"
        self.jobs[job] = Promise()
        self._put(node, job)

    def _edit(self, node):
        if self.jobs:
            self._put(node, self._any_job())

    def _put(self, node, job):
        promise = self.jobs[job]
        promise.asked += 1
        body, path = self._definition(job, promise.asked)
        promise.paths[path] = promise.asked
        self._call(node, "PUT", job, body=body)
        promise.acknowledged = promise.asked

    def _switch(self, node):
        if self.jobs:
            self._call(node, "PATCH", self._any_job(), body={"state": self.random.choice(["enabled", "disabled", "enabled"])})

    def _run(self, node):
        if self.jobs:
            job = self._any_job()
            self.runs[self._call(node, "POST", job, "/run")["executionTag"]] = job

    def _delete(self, node):
        if len(self.jobs) > JOBS_MAX // 2:
            job = self._any_job()
            # Whether it is done or not: nothing is promised of this job any more.
            del self.jobs[job]
            self._call(node, "DELETE", job)

    def _any_job(self):
        return self.random.choice(list(self.jobs))
