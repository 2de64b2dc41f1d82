"""Jobs that show a token of an identity provider to a receiver that checks it."""

import jwt

from parts.identity import AUDIENCE, CLIENT, TENANT, Identity
from parts.punctual import failed, is_completed, succeeded
from parts.receiver import OK, Answer, Receiver
from report import equal, within

SECRET = "of the client"
TOKEN_SECONDS = 3


def checks(stage):
    # So short that several of them end while a job runs that runs every second.
    identity = stage.begin(Identity(stage.directory, SECRET, token_seconds=TOKEN_SECONDS))
    gate = Gate(identity)
    receiver = stage.begin(Receiver(gate.answer))
    server = stage.serve(f'[oauth]\nauthority = "{identity.issuer}"\n')
    scenario = Scenario(identity, gate, receiver, server)
    yield "a token for each client, asked for once", scenario.kept
    yield "a token for a scope, as Entra ID's second version has it", scenario.scope
    yield "a token that ends while jobs run", scenario.ends
    yield "a token that the receiver does not take any more", scenario.revoked
    yield "a wrong secret", scenario.wrong_secret
    yield "an audience that the provider does not know", scenario.wrong_audience
    yield "an error action", scenario.error_action


class Gate:
    """Lets in who shows a token that is valid and was not revoked."""

    def __init__(self, identity):
        self.identity = identity
        self.seen = []
        self.revoked = set()

    def answer(self, request):
        try:
            token = self.identity.check(request)
        except jwt.PyJWTError as error:
            return Answer(401, "Unauthorized", {}, str(error).encode())
        self.seen.append(token)
        return Answer(401, "Unauthorized", {}, b"revoked") if token in self.revoked else OK


class Scenario:
    def __init__(self, identity, gate, receiver, server):
        self.identity = identity
        self.gate = gate
        self.receiver = receiver
        self.server = server

    def action(self, secret=SECRET, audience=AUDIENCE, path="/"):
        authentication = {
            "type": "ActiveDirectoryOAuth",
            "tenant": TENANT,
            "audience": audience,
            "clientId": CLIENT,
            "secret": secret,
        }
        request = {"uri": self.receiver.url + path, "method": "POST", "body": "{}", "authentication": authentication}
        return {"type": "Http", "request": request}

    def kept(self):
        for number in range(5):
            succeeded(self.server.once(f"kept-{number}", self.action()))
        equal(len(self.gate.seen), 5)
        # Five calls may take longer than a token is used, on a slow machine.
        within(len(set(self.gate.seen)), (1, 2))
        equal(self.identity.issued(), len(set(self.gate.seen)))

    def scope(self):
        succeeded(self.server.once("scope", self.action(audience=f"{AUDIENCE}/.default")))

    def ends(self):
        self.server.put("ends", self.action(path="/ends"), recurrence={"cron": "* * * * * *"})
        before = self.identity.issued()
        records = self.server.records("ends", 3 * TOKEN_SECONDS)
        self.server.delete("ends")
        equal([record["message"] for record in records if not is_completed(record)], [])
        if self.identity.issued() - before < 2:
            raise AssertionError(f"{len(records)} calls, a second apart, with the same token of {TOKEN_SECONDS} s")

    def revoked(self):
        succeeded(self.server.once("before", self.action()))
        self.gate.revoked.update(self.gate.seen)
        # The token is thrown away, and the same attempt succeeds with a new one.
        succeeded(self.server.once("after", self.action()))
        if self.gate.seen[-1] in self.gate.revoked:
            raise AssertionError("a revoked token was taken")

    def wrong_secret(self):
        record = self.server.once("wrong-secret", self.action(secret="another secret"))
        failed(record, "invalid_client")
        if "another secret" in record["message"]:
            raise AssertionError(record["message"])

    def wrong_audience(self):
        record = self.server.once("wrong-audience", self.action(audience="https://unknown.test"))
        failed(record, "invalid_target")

    def error_action(self):
        error = {**self.action(path="/error"), "retryPolicy": {"retryType": "None"}}
        main = {"request": {"uri": self.receiver.url}, "retryPolicy": {"retryType": "None"}, "errorAction": error}
        self.server.put("with-error-action", main)
        records = self.server.records("with-error-action", 2)
        equal([is_completed(record) for record in records], [False, True])
