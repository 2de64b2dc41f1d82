"""Secrets with a mark in every field that can hold one, targets that repeat them, and a search for them everywhere.

To who may write a job the query of its address, the values of its headers and what it sends do come out of the API; nothing
else does, and nothing at all to readers, into the history, events, logs or files.
"""

import http.client
import json
import os
import re
import ssl
import subprocess
import threading

from bus import ServiceBus
from bus.entities import Busy
from bus.sas import Refused
from parts.deadline import until
from parts.echo import echo
from parts.leaky_jobs import ISSUING_TENANT, REFUSED_QUEUE, LeakyJobs
from parts.plants import SPELLINGS, Plants
from parts.punctual import BINARY
from parts.receiver import Answer, Receiver
from report import equal, within

# The last part of the names of fields that who may write the job may read.
VISIBLE = ("user", "query", "header", "body", "message", "custom")


def checks(stage):
    scenario = Scenario(stage)
    yield "every job runs, and so does its error action", scenario.run
    yield "the secrets were sent", scenario.were_sent
    yield "the targets repeated them", scenario.were_repeated
    yield "what is wrong is refused without being repeated", scenario.refusals
    yield "answers to a reader", scenario.answers_to_reader
    yield "answers to who may write", scenario.answers_to_writer
    yield "the stream of events", scenario.events
    yield "the log, at its most talkative", scenario.log
    yield "what commands print", scenario.commands
    yield "every file of the data directory", scenario.files


class Scenario:
    def __init__(self, stage):
        self.stage = stage
        self.plants = Plants()
        self.token = self.plants.plant("issuer.token")
        certificate = stage.authority.server()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain, certificate.key)
        context.load_verify_locations(stage.authority.certificate.chain)
        context.verify_mode = ssl.CERT_OPTIONAL
        self.receiver = stage.begin(Receiver(echo))
        self.secure = stage.begin(Receiver(echo, context))
        self.issuer = stage.begin(Receiver(self.issue))
        self.bus = stage.begin(ServiceBus(["localhost"], {}, [*SPELLINGS, REFUSED_QUEUE], {}, certificate))
        self.seen_by_bus = []
        self.bus.keys.check = self.check_token
        self.bus.entities.deposit = self.deposit
        self.server = stage.serve(self.settings(), log_level="trace")
        self.reader = self.server.ask("POST", "/v1/tokens", {"grants": [{"role": "reader", "scope": "/"}]})["token"]
        self.stream = Stream(self.server.address, self.reader)
        self.jobs = LeakyJobs(stage.authority, self.plants, self.receiver, self.secure).all()

    def settings(self):
        configured = self.plants.plant("configuration.key")
        return f"""[oauth]
authority = "{self.issuer.url}"

[storage_queue]
endpoint = "{self.receiver.url}/{{account}}"

[[service_bus.namespaces]]
name = "echo"
endpoint = "{self.secure.url}"
amqp_endpoint = "amqps://localhost:{self.bus.amqp.tls_port}"

[[service_bus.keys]]
namespace = "echo"
name = "configured"
key = "{configured}"
scopes = ["/"]
"""

    # --- Targets ---

    def issue(self, request):
        """A token for one tenant; for the others what an issuer says that repeats the question."""
        if f"/{ISSUING_TENANT}/" in request.path:
            return Answer(200, "OK", {}, json.dumps({"access_token": self.token, "expires_in": 3600}).encode())
        repeated = echo(request)
        error = {"error": "invalid_client", "error_description": repeated.body.decode("latin-1")}
        return repeated._replace(status=401, body=json.dumps(error).encode())

    def check_token(self, token, audience):
        """Takes every token but those for one queue, where it repeats them."""
        self.seen_by_bus.append(token)
        self.plants.add_text("a signature", token.partition("&sig=")[2].partition("&")[0])
        if audience.endswith(f"/{REFUSED_QUEUE}"):
            raise Refused(f"no right is in {token}")
        return 1 << 40

    def deposit(self, name, message):
        texts = [bytes(message.body), *(str(value).encode() for value in message.properties.values())]
        self.seen_by_bus.append(b" ".join(texts).decode())
        raise Busy(" ".join(_spelled(name, text) for text in texts))

    # --- Checks ---

    def run(self):
        self.put_answers = []
        for name, properties in self.jobs.items():
            status, headers, content = self.server.request("PUT", f"/v1/jobs/{name}", {"properties": properties})
            if status >= 300:
                raise AssertionError(f"{name}: {status} {content}")
            self.put_answers.append(f"{headers}{content}")
        for name in self.jobs:
            equal(len(self.server.records(name, 2, seconds=60)), 2)

    def were_sent(self):
        """Else nothing of what follows would mean anything."""
        requests = self.receiver.requests + self.secure.requests + self.issuer.requests
        seen = repr([(request.path, request.headers.items(), request.body) for request in requests])
        seen += repr(self.seen_by_bus)
        found = {line.split(" ")[0] for line in self.plants.found(seen, "what was sent")}
        missing = [field for field in self.plants.by_field if field not in found]
        # Keys and the passwords of files are used, and never sent. Whom the issuer or the broker refuses a token, sends
        # nothing else.
        unsent = re.compile(r".*\.(key|sign|token)|certificate-.*\.password|oauth-.*|bus_refused-.*")
        equal([field for field in missing if not unsent.fullmatch(field)], [])

    def were_repeated(self):
        records = [(name, record) for name in self.jobs for record in self.server.history(name)]
        equal([name for name, record in records if "***" not in record["message"]], [])

    def refusals(self):
        plant = self.plants.plant("refused")
        at = f"{self.receiver.url}/"
        wrong = [
            {"request": {"uri": at, "authentication": {"type": "Basic", "username": "a", "password": plant + "\n"}}},
            {"request": {"uri": at, "authentication": {"type": "Basic", "username": "a:b", "password": plant}}},
            {"request": {"uri": at, "authentication": {"type": "ClientCertificate", "pfx": plant, "password": plant}}},
            {"request": {"uri": at, "authentication": {"type": "ActiveDirectoryOAuth", "secret": plant}}},
            {"request": {"uri": at, "headers": {"x-a": plant + "\n"}}},
            {"request": {"uri": at, "headers": {"host": plant}}},
            {"request": {"uri": at, "body": plant * 10_000}},
            {"queueMessage": {"storageAccount": "a", "queueName": "b", "sasToken": plant + "#", "message": plant}},
            {
                "queueMessage": {
                    "storageAccount": "abc",
                    "queueName": "abc",
                    "sasToken": plant,
                    "message": plant + "\u0001",
                }
            },
            {
                "serviceBusQueueMessage": {
                    "namespace": "1",
                    "queueName": "",
                    "message": plant,
                    "authentication": {"sasKeyName": "a\n", "sasKey": plant + "\n"},
                }
            },
        ]
        answers = [self.server.refusal("refused", action) for action in wrong]
        sign = {"options": {"sign": {"secret": plant}}}
        answers.append(self.server.refusal("refused", {"request": {"uri": at}}, **sign))
        equal(self.plants.found("\n".join(answers), "a refusal"), [])

    def answers_to_reader(self):
        paths = ["/v1/jobs", "/v1/collections", "/v1/tokens", "/v1/preview", "/openapi.json", "/metrics"]
        paths += [f"/v1/jobs/{name}{more}" for name in self.jobs for more in ("", "/history")]
        for path in paths:
            _, headers, content = self.server.request("GET", path, token=self.reader)
            equal(self.plants.found(f"{headers}{content}", path), [])

    def answers_to_writer(self):
        visible = [field for field in self.plants.by_field if field.rpartition(".")[2] in VISIBLE]
        contents = {"the answers to PUT": "\n".join(self.put_answers)}
        for name in self.jobs:
            for path, shown in ((f"/v1/jobs/{name}", visible), (f"/v1/jobs/{name}/history", ())):
                equal(self.plants.found(self.server.request("GET", path)[2], path, shown), [])
        for where, content in contents.items():
            equal(self.plants.found(content, where, visible), [])

    def events(self):
        until("events of every job", lambda: all(f'/jobs/{name}"' in self.stream.text() for name in self.jobs))
        equal(self.plants.found(self.stream.text(), "the events"), [])

    def log(self):
        said = self.server.program.said()
        within("PUT /v1/jobs/", said)
        equal(self.plants.found(said, "the log"), [])

    def commands(self):
        config = self.server.directory / "config.toml"
        done = subprocess.run([BINARY, "check-config", "--config", config], capture_output=True, text=True)
        printed = {"audit": self.server.audit(), "check-config": done.stdout + done.stderr}
        for command, text in printed.items():
            equal(self.plants.found(text, command), [])

    def files(self):
        files = [file for file in self.server.data.rglob("*") if file.is_file()]
        if not any(file.name == "punctual.db" for file in files):
            raise AssertionError(f"no database among {files}")
        for file in files:
            equal(self.plants.found(file.read_bytes(), os.fspath(file.name)), [])


class Stream:
    """The events of the server, as a reader hears them."""

    def __init__(self, address, token):
        connection = http.client.HTTPConnection(address, timeout=600)
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {token}"})
        self.answer = connection.getresponse()
        equal(self.answer.status, 200)
        self.chunks = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while chunk := self.answer.read1(65536):
            self.chunks.append(chunk)

    def text(self):
        return b"".join(self.chunks).decode()


def _spelled(spelling, text):
    return SPELLINGS[spelling](text).decode("latin-1")
