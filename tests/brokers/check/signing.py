"""Jobs whose calls are signed after the Standard Webhooks scheme, to a receiver that checks the signature."""

import base64
import hashlib
import hmac
import os
import time

from parts.punctual import failed, succeeded
from parts.receiver import OK, Answer, Receiver
from report import equal

KEY = os.urandom(32)
SECRET = "whsec_" + base64.b64encode(KEY).decode()
BODY = '{"order": "\u2713 42"}'


def checks(stage):
    receiver = stage.begin(Receiver(verify))
    server = stage.serve()
    scenario = Scenario(receiver, server)
    # Its second attempt is not due before fifteen seconds have passed: it goes first and is looked at last.
    scenario.put_retry()
    yield "a call with a body", scenario.body
    yield "a call without one", scenario.no_body
    yield "another secret", scenario.another_secret
    yield "the secret does not come out, and stays", scenario.secret
    yield "a retry has the same id and a time of its own", scenario.retry


def verify(request):
    """As the scheme says: HMAC-SHA256 over id, timestamp and body, not older than five minutes."""
    message_id, at = request.headers["webhook-id"], request.headers["webhook-timestamp"]
    if not message_id or not at or abs(time.time() - int(at)) > 300:
        return Answer(401, "Unauthorized", {}, b"no id, or too old")
    signed = f"{message_id}.{at}.".encode() + request.body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    if expected not in (request.headers["webhook-signature"] or "").split(" "):
        return Answer(401, "Unauthorized", {}, b"wrong signature")
    return Answer(503, "Busy", {}, b"again") if request.path == "/busy" else OK


class Scenario:
    def __init__(self, receiver, server):
        self.receiver = receiver
        self.server = server

    def action(self, path="/", **more):
        return {"request": {"uri": self.receiver.url + path, **more}}

    def body(self):
        action = self.action("/body", method="POST", body=BODY)
        succeeded(self.server.once("body", action, options={"sign": {"secret": SECRET}}))
        (request,) = [request for request in self.receiver.requests if request.path == "/body"]
        equal(request.body.decode(), BODY)

    def no_body(self):
        succeeded(self.server.once("no-body", self.action(), options={"sign": {"secret": SECRET}}))

    def another_secret(self):
        secret = "whsec_" + base64.b64encode(os.urandom(32)).decode()
        failed(self.server.once("another", self.action(), options={"sign": {"secret": secret}}), "wrong signature")

    def put_retry(self):
        action = self.action("/busy")
        action["retryPolicy"] = {"retryType": "Fixed", "retryInterval": "PT15S", "retryCount": 1}
        self.server.put("retry", action, options={"sign": {"secret": SECRET}})

    def retry(self):
        self.server.records("retry", 2)
        first, second = [request.headers for request in self.receiver.requests if request.path == "/busy"]
        equal(first["webhook-id"], second["webhook-id"])
        if int(second["webhook-timestamp"]) <= int(first["webhook-timestamp"]):
            raise AssertionError("the second attempt has the time of the first")

    def secret(self):
        self.server.put("kept", self.action(), options={"sign": {"secret": SECRET}}, startTime="2037-01-01")
        _, _, content = self.server.request("GET", "/v1/jobs/kept")
        if SECRET in content or SECRET[6:] in content:
            raise AssertionError(content)
        # Written back without it, the stored one is meant.
        self.server.put("kept", self.action(), options={"sign": {}}, startTime="2037-01-01")
        self.server.ask("POST", "/v1/jobs/kept/run")
        succeeded(self.server.records("kept", 1)[0])
