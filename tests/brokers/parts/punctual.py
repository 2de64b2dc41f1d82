"""The server under test: the real binary, started as a user starts it."""

import http.client
import json
import os
import re
import subprocess
import time
import urllib.parse

from parts.deadline import until
from parts.program import Program

BINARY = os.environ["PUNCTUAL_BINARY"]
COLLECTION = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/default"
    "/providers/Microsoft.Scheduler/jobCollections/default"
)


class Punctual:
    """A server with settings and a data directory of its own."""

    def __init__(self, directory, settings, log_level="info"):
        self.directory = directory / "punctual"
        self.directory.mkdir()
        self.data = self.directory / "data"
        config = self.directory / "config.toml"
        # The requests of the checks themselves are of interest only where everything is.
        access = str(log_level == "trace").lower()
        config.write_text(f'[log]\nlevel = "{log_level}"\naccess = {access}\n\n{settings}')
        # Whatever the environment says about this server or its clients is meant for others.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PUNCTUAL_")}
        command = [BINARY, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--config", config]
        self.program = Program(self.directory / "log", command, environment)

    def __enter__(self):
        self.program.start(self._address)
        self.address = self._address()
        self.token = (self.data / "owner.token").read_text().strip()
        return self

    def __exit__(self, *_):
        self.program.stop()

    def _address(self):
        found = re.search(r" listens on http://(\S+)", self.program.said())
        return found and found.group(1)

    # --- Requests ---

    def request(self, method, path, body=None, token=None):
        """The status of the answer, its headers, and its text."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        text = None if body is None else json.dumps(body)
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        connection.request(method, path, text, headers)
        answer = connection.getresponse()
        content = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, content

    def ask(self, method, path, body=None):
        """The JSON of an answer that has to be a good one."""
        status, _, content = self.request(method, path, body)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {content}")
        return json.loads(content) if content else None

    # --- Jobs ---

    def put(self, name, action, **properties):
        return self.ask("PUT", f"/v1/jobs/{name}", {"properties": {"action": action, **properties}})

    def refusal(self, name, action, **properties):
        """What is answered to a job that cannot be made."""
        body = {"properties": {"action": action, **properties}}
        status, _, content = self.request("PUT", f"/v1/jobs/{name}", body)
        if status != 400:
            raise AssertionError(f"expected 400, got {status} {content}")
        return content

    def warning(self, name, action, **properties):
        """What is warned of when a job is made."""
        body = {"properties": {"action": action, **properties}}
        status, headers, content = self.request("PUT", f"/v1/jobs/{name}", body)
        if status >= 300:
            raise AssertionError(f"{status} {content}")
        return " ".join(headers.get_all("Warning") or [])

    def patch(self, name, properties):
        return self.ask("PATCH", f"/v1/jobs/{name}", {"properties": properties})

    def delete(self, name):
        self.ask("DELETE", f"/v1/jobs/{name}")

    def history(self, name):
        """The records of a job, the oldest first."""
        records, path = [], f"/v1/jobs/{name}/history"
        while path:
            page = self.ask("GET", path)
            records += page["value"]
            link = page["nextLink"]
            path = link and urllib.parse.urlsplit(link)._replace(scheme="", netloc="").geturl()
        return records[::-1]

    def records(self, name, number, seconds=30):
        """So many records, as soon as they are there."""

        def look():
            history = self.history(name)
            return history if len(history) >= number else None

        return until(f"{number} records of {name}", look, seconds)

    def once(self, name, action, **properties):
        """Makes a job that is tried once, now, and gives the record of it."""
        self.put(name, {**action, "retryPolicy": {"retryType": "None"}}, **properties)
        return self.records(name, 1)[0]

    def once_by_long_path(self, name, action):
        """The same by the path of the original, which takes jobs that cannot work and warns of them."""
        properties = {"action": {**action, "retryPolicy": {"retryType": "None"}}}
        self.ask("PUT", f"{COLLECTION}/jobs/{name}?api-version=2016-03-01", {"properties": properties})
        return self.records(name, 1)[0]

    def finished(self, name, seconds=45):
        """Ends the schedule of a job and waits until all of its occurrences have succeeded, by whichever attempt.

        Gives their tags."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.patch(name, {"recurrence": {"endTime": now}})

        def look():
            state = self.ask("GET", f"/v1/jobs/{name}")["state"]
            return state in ("completed", "faulted")

        until(f"{name} is over", look, seconds)
        history = self.history(name)
        tags = {record["executionTag"] for record in history}
        lost = tags - {record["executionTag"] for record in history if is_completed(record)}
        if lost:
            raise AssertionError([record for record in history if record["executionTag"] in lost])
        return tags

    # --- What it says about itself ---

    def audit(self, seconds=3600):
        """Fails if any time of any job is unaccounted for; gives what is printed."""
        begin = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
        environment = {**os.environ, "PUNCTUAL_URL": f"http://{self.address}", "PUNCTUAL_TOKEN": self.token}
        done = subprocess.run([BINARY, "audit", "--from", begin], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"audit: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr


def is_completed(record):
    return record["status"] == "succeeded"


def succeeded(record):
    """Fails unless it says that all went well."""
    if not is_completed(record):
        raise AssertionError(record)


def failed(record, *parts):
    """Fails unless it says that it did not work, and why: all of these parts."""
    missing = [part for part in parts if part not in record["message"]]
    if record["status"] not in ("failed", "givenUp") or missing:
        raise AssertionError(f"\n     got {record}\nexpected a failure with {missing} in its message")
