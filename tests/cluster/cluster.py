"""Three nodes on one database, what they call, and who watches them."""

import os
import random
import tempfile

from checker import Checker
from load import Load
from network import Network
from node import BINARY, Node
from receiver import Receiver
from waiting import wait_for
from witness import TRIGGERS

NODES, STEADY_JOBS, LEASE_SECONDS = 3, 100, 5


class Cluster:
    def __init__(self, make_database, seed, lease_seconds=LEASE_SECONDS, binary=BINARY):
        """Starts a database, which is made by a function of a directory and an address, and three nodes on it."""
        self._directory = tempfile.TemporaryDirectory()
        self.directory, self.lease_seconds, self.binary = self._directory.name, lease_seconds, binary
        self.network, self.nodes, self.load, self._token = Network(), [], None, None
        # The name of a node that was suspended, since when, and until when.
        self.stand_stills = []
        # What checks have found so far.
        self.told = set()
        # Those that have left, and how many there were.
        self.gone, self._numbers = [], -1
        try:
            self.receiver = Receiver(self.network.targets)
            self.database = make_database(self.directory, self.network.database)
            for _ in range(NODES):
                self.add_node()
            took = wait_for("all nodes share the shards", self.is_balanced)
            print(f"{NODES} nodes share 256 shards after {took:.1f} s")
            self.query(TRIGGERS)
            self.load = Load(self, random.Random(seed))
            self.make_steady_jobs()
        except BaseException:
            self.tell()
            self.end()
            raise

    # --- Nodes ---

    def add_node(self, url=None):
        self._numbers += 1
        number = self._numbers
        place = self.network.add(number)
        url = url or self.database.url()
        self.nodes.append(Node(self.directory, number, place, url, self.lease_seconds, self.token, self.binary))
        return self.nodes[-1]

    def remove_node(self, node):
        """Forgets a node that has ended."""
        self.nodes.remove(node)
        self.gone.append(node)

    def token(self):
        """The owner token. Of several nodes that start together one makes it; the others remove theirs before they listen."""
        if self._token is None:
            if not all(node.has_listened() for node in self.nodes):
                raise OSError("not all nodes listen yet")
            files = [os.path.join(node.data, "owner.token") for node in self.nodes]
            (made,) = [file for file in files if os.path.exists(file)]
            with open(made) as file:
                self._token = file.read().strip()
        return self._token

    def running(self):
        return [node for node in self.nodes if node.is_running()]

    def of_address(self, address):
        return next(node for node in self.nodes if node.address == address)

    def is_balanced(self):
        """Whether all nodes run and know each other, and every shard is owned by one of them."""
        ended = [node.name for node in self.nodes if not node.is_running()]
        assert not ended, f"{ended} should run"
        return all(self._is_balanced_for(node) for node in self.nodes)

    def _is_balanced_for(self, node):
        entries = node.call("GET", "/v1/cluster")["nodes"]
        shards = [entry["shards"] for entry in entries if entry["state"] == "running"]
        return len(shards) == len(self.nodes) and sum(shards) == 256 and max(shards) - min(shards) <= 1

    def wait_until_balanced(self, seconds=60):
        return wait_for("all nodes share the shards", self.is_balanced, seconds)

    def query(self, sql):
        return self.database.query(sql)

    # --- Jobs ---

    def put(self, name, path, **parts):
        """Makes a job that calls a path of the receiver."""
        action = {"request": {"uri": self.receiver.url + path}, **parts.pop("action", {})}
        return self.running()[0].call("PUT", f"/v1/jobs/{name}", {"action": action, **parts})

    def make_steady_jobs(self):
        for job in range(STEADY_JOBS):
            self.put(f"steady-{job}", f"/steady/{job}", recurrence={"cron": "* * * * * *"})
        wait_for("all jobs run", lambda: self.all_run(0))

    def all_run(self, since):
        """Whether every steady job was called after so many calls."""
        paths = {call.path for call in self.receiver.calls[since:]}
        return all(f"/steady/{job}" in paths for job in range(STEADY_JOBS))

    def wait_until_all_run(self, when, seconds=60):
        since = len(self.receiver.calls)
        return wait_for(f"all jobs run {when}", lambda: self.all_run(since), seconds)

    def start_slow(self, node, seconds, number):
        """Starts so many attempts on a node that take so long. Returns their paths."""
        paths = {}
        for _ in range(20):
            for _ in range(3 * number):
                name = f"slow-{self.load.next_number()}"
                path = f"/slow/{seconds}/{name}"
                self.put(name, path, state="disabled", options={"timeout": "PT15M"})
                paths[path] = name
            owners = self.owners(paths.values())
            chosen = [path for path, name in paths.items() if owners[name] == node.name][:number]
            if len(chosen) == number:
                break
        for path in chosen:
            node.call("POST", f"/v1/jobs/{paths[path]}/run")
        wait_for("slow attempts run", lambda: all(self.receiver.of(path) for path in chosen))
        sources = {self.receiver.of(path)[0].source for path in chosen}
        assert sources == {node.address}, f"{node.name} is at {node.address}, and the calls came from {sources}"
        return {path: paths[path] for path in chosen}

    def owners(self, names):
        """The names of the nodes that own the shards of these jobs."""
        listed = ",".join(f"'{name}'" for name in names)
        rows = self.query(
            f"select job.name as job, node.name as node from punctual.job join punctual.work on work.id = job.id "
            f"join punctual.shard_owner on shard_owner.shard = work.shard join punctual.node on node.id = shard_owner.node "
            f"where job.name in ({listed})"
        )
        return {row["job"]: row["node"] for row in rows}

    # --- The end ---

    def check(self, **options):
        """Checks the whole history until now."""
        self.at_rest(lambda: Checker(self, **options).check())

    def at_rest(self, look):
        """Looks at everything while nothing runs."""
        node = self.running()[0]
        self.load.hold()
        node.run("pause", "--why", "the drill is checked")
        wait_for("nothing is in flight", self._is_at_rest, 90)
        try:
            return look()
        finally:
            node.run("resume")
            self.load.go_on()

    def _is_at_rest(self):
        """Whether nothing is in flight, by heartbeats that are newer than the pause, and nothing is written any more."""
        query = "select value from punctual.counter where name = 'history'"
        before, since = self.query(query), self._nodes()[1]
        wait_for("heartbeats", lambda: all(entry["seenAt"] > since for entry in self._nodes()[0]), 30)
        entries, _ = self._nodes()
        is_idle = all(entry["inFlight"] == 0 for entry in entries)
        return is_idle and before == self.query(query)

    def _nodes(self):
        """What is known of nodes that are not gone, and the time."""
        cluster = self.running()[0].call("GET", "/v1/cluster")
        return [entry for entry in cluster["nodes"] if entry["state"] != "gone"], cluster["now"]

    def tell(self):
        """What the nodes have said last."""
        for node in self.nodes:
            print(node.last_words(), flush=True)

    def end(self):
        if self.load:
            self.load.end()
        for node in self.nodes:
            node.kill()
        for part in ("database", "receiver", "network"):
            if hasattr(self, part):
                getattr(self, part).end()
        self._directory.cleanup()
