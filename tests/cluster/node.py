"""A node, which is started again at the same address under the same name."""

import json
import os
import re
import signal
import subprocess
import urllib.request

BINARY = os.path.abspath(os.environ.get("PUNCTUAL_BINARY", os.path.join("target", "debug", "punctual")))
PORT = 7878
# Lines about requests that could not be answered: there are many while the database is away.
REFUSED = re.compile(r"(ERROR|WARN) (GET|PUT|POST|PATCH|DELETE) ")


class Node:
    def __init__(self, directory, number, place, url, lease_seconds, token, binary=BINARY):
        self.number, self.name, self.binary = number, f"n{number}", binary
        self.namespace, self.address = place
        self.data, self.token = os.path.join(directory, self.name), token
        self.log = open(os.path.join(directory, f"{self.name}.log"), "a")
        self.environment = {
            "PUNCTUAL_STORE__URL": url,
            "PUNCTUAL_CLUSTER__NAME": self.name,
            "PUNCTUAL_CLUSTER__LEASE_SECONDS": str(lease_seconds),
            "PUNCTUAL_SECRETS__KEY": "1 " + "5a" * 32,
            "PUNCTUAL_LOG__ACCESS": "false",
            "PUNCTUAL_LOG__RUNS": "none",
        }
        self.start()

    def start(self):
        command = ["ip", "netns", "exec", self.namespace]
        command += [self.binary, "serve", "--data", self.data, "--listen", f"{self.address}:{PORT}"]
        self.process = subprocess.Popen(command, env={**clean_environment(), **self.environment}, stderr=self.log)

    def is_running(self):
        return self.process.poll() is None

    def has_listened(self):
        with open(self.log.name) as log:
            return " listens on " in log.read()

    def send(self, what):
        self.process.send_signal(what)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=60):
        """Has it end cleanly."""
        self.send(signal.SIGTERM)
        assert self.process.wait(seconds) == 0, f"{self.name} does not end cleanly"

    @property
    def url(self):
        return f"http://{self.address}:{PORT}"

    def call(self, method, path, body=None, seconds=20):
        data = json.dumps(body).encode() if body is not None else None
        headers = {"authorization": f"Bearer {self.token()}"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return json.loads(answer.read() or b"null")

    def run(self, *arguments, statuses=(0,)):
        """What a command prints that talks to this node, and ends with one of these statuses."""
        environment = {**clean_environment(), "PUNCTUAL_URL": self.url, "PUNCTUAL_TOKEN": self.token()}
        done = subprocess.run([BINARY, *arguments], env=environment, capture_output=True, text=True)
        assert done.returncode in statuses, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def last_words(self, lines=40):
        self.log.flush()
        with open(self.log.name) as log:
            said = [line for line in log if not REFUSED.search(line)]
        return f"--- {self.name}\n" + "".join(said[-lines:])


def clean_environment():
    """The environment without what it says about servers of others."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PUNCTUAL_")}
