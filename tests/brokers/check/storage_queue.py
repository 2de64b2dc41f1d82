"""Jobs that put messages on the queues of Azurite; the official client takes them off."""

import base64
import datetime
import xml.etree.ElementTree as ElementTree

from parts.azurite import ACCOUNT, Azurite
from parts.deadline import until
from parts.punctual import failed, succeeded
from report import equal, within

# Everything that XML, base64 or a query could trip over.
MESSAGE = 'order <42> & "more" ]]> \u00fcber \u2713 \U0001f552\n\tlast line?a=b%20c+d'
QUEUE = "orders"


def checks(stage):
    azurite = stage.begin(Azurite(stage.directory))
    server = stage.serve(azurite.setting)
    queue = azurite.make_queue(QUEUE)
    scenario = Scenario(azurite, server, queue)
    yield "an envelope, as the original service sent it", scenario.envelope
    yield "the message alone", scenario.raw
    yield "the message in base64", scenario.base64
    yield "a signature with a question mark before it", scenario.question_mark
    yield "time to live and visibility", scenario.times
    yield "a signature that has ended", scenario.expired
    yield "a signature that does not allow to add", scenario.without_permission
    yield "a signature with another key", scenario.wrong_signature
    yield "a queue that is not there", scenario.missing_queue
    yield "a message that is too large", scenario.too_large
    yield "characters that XML cannot hold", scenario.not_xml
    yield "an error action", scenario.error_action


class Scenario:
    def __init__(self, azurite, server, queue):
        self.azurite = azurite
        self.server = server
        self.queue = queue

    def action(self, sas=None, queue=QUEUE, **more):
        sas = self.azurite.sas(queue) if sas is None else sas
        message = {"storageAccount": ACCOUNT, "queueName": queue, "sasToken": sas, "message": MESSAGE, **more}
        return {"type": "StorageQueue", "queueMessage": message}

    def sent(self, name, **more):
        """Runs a job, and gives its record and what is on the queue then."""
        record = self.server.once(name, self.action(**more))
        succeeded(record)
        return record, self.taken()

    def taken(self):
        (message,) = list(self.queue.receive_messages())
        self.queue.delete_message(message)
        return message

    def failed(self, name, *parts, **more):
        record = self.server.once(name, self.action(**more))
        failed(record, *parts)
        # Whoever reads the history learns nothing that would let them send.
        if "sig=" in record["message"]:
            raise AssertionError(record["message"])

    def envelope(self):
        record, message = self.sent("envelope")
        text = base64.b64decode(message.content, validate=True).decode()
        document = ElementTree.fromstring(text.partition("?>")[2])
        equal(document.tag, "StorageQueueMessage")
        members = (
            "ExecutionTag ClientRequestId ExpectedExecutionTime SchedulerJobId SchedulerJobCollectionId Region Message"
        )
        equal([element.tag for element in document], members.split())
        values = {element.tag: element.text for element in document}
        # A reader of XML makes one line break of every kind of them.
        equal(values["Message"], MESSAGE)
        equal(values["ExecutionTag"], record["executionTag"])
        equal((values["SchedulerJobId"], values["SchedulerJobCollectionId"]), ("envelope", "default"))
        expected = datetime.datetime.fromisoformat(record["expectedExecutionTime"]).replace(tzinfo=None)
        equal(datetime.datetime.fromisoformat(values["ExpectedExecutionTime"][:26]), expected)
        within('<?xml version="1.0" encoding="utf-16"?>', text)

    def raw(self):
        _, message = self.sent("raw", format="raw")
        equal(message.content, MESSAGE)

    def base64(self):
        _, message = self.sent("base64", format="base64")
        equal(base64.b64decode(message.content, validate=True).decode(), MESSAGE)

    def question_mark(self):
        _, message = self.sent("question-mark", sas="?" + self.azurite.sas(QUEUE), format="raw")
        equal(message.content, MESSAGE)

    def times(self):
        succeeded(self.server.once("times", self.action(format="raw", timeToLive="PT1H", visibilityDelay="PT2S")))
        equal(list(self.queue.receive_messages()), [])
        (message,) = until("the message is seen", lambda: list(self.queue.receive_messages()))
        self.queue.delete_message(message)
        equal(message.expires_on - message.inserted_on, datetime.timedelta(hours=1))

    def expired(self):
        sas = self.azurite.sas(QUEUE, hours=-1)
        within("sasToken", self.server.warning("expired-warned", self.action(sas), startTime="2037-01-01"))
        self.failed("expired", "AuthenticationFailed", "sasToken", sas=sas)

    def without_permission(self):
        sas = self.azurite.sas(QUEUE, read=True)
        within("sasToken", self.server.warning("reader-warned", self.action(sas), startTime="2037-01-01"))
        self.failed("reader", "AuthorizationPermissionMismatch", "sasToken", sas=sas)

    def wrong_signature(self):
        sas = self.azurite.sas("another-queue")
        self.failed("wrong-signature", "AuthenticationFailed", "sasToken", sas=sas)

    def missing_queue(self):
        self.failed("missing", "QueueNotFound", "'nowhere'", queue="nowhere")

    def too_large(self):
        content = self.server.refusal("large", self.action(message="x" * 60_000))
        within("queueMessage.message", content)

    def not_xml(self):
        content = self.server.refusal("not-xml", self.action(message="a\u0001b"))
        within("queueMessage.message", content)

    def error_action(self):
        main = self.action(queue="nowhere")
        error = self.action(format="raw", message="it did not work")
        retry = {"retryType": "None"}
        self.server.put(
            "with-error-action", {**main, "retryPolicy": retry, "errorAction": {**error, "retryPolicy": retry}}
        )
        records = self.server.records("with-error-action", 2)
        equal([record["actionName"] for record in records], ["mainAction", "errorAction"])
        succeeded(records[1])
        equal(self.taken().content, "it did not work")
