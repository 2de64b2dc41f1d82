"""Jobs that send messages to RabbitMQ over AMQP 1.0; Qpid Proton reads them back."""

from parts.deadline import until
from parts.punctual import failed, is_completed, succeeded
from parts.rabbit import LASTING_QUEUE, PASSWORD, USER, Rabbit
from parts.reader import Reader
from report import equal

MESSAGE = "order \u2713 42"
EVERY_SECOND = {"cron": "* * * * * *"}


def checks(stage):
    certificate = stage.authority.server()
    rabbit = stage.begin(Rabbit(stage.directory, certificate, stage.authority.certificate.chain))
    settings = rabbit.namespace("rabbit", rabbit.port)
    settings += rabbit.namespace("rabbit-tls", rabbit.tls_port, scheme="amqps")
    settings += rabbit.namespace("rabbit-lasting", rabbit.port, queue="/amq/queue/{queue}")
    scenario = Scenario(rabbit, stage.serve(settings))
    yield "a queue", lambda: scenario.queue("rabbit", "plain-queue")
    yield "a queue, with TLS", lambda: scenario.queue("rabbit-tls", "tls-queue")
    yield "a topic", lambda: scenario.topic("rabbit", "plain.news")
    yield "a topic, with TLS", lambda: scenario.topic("rabbit-tls", "tls.news")
    yield "every property", scenario.properties
    yield "a wrong password", scenario.wrong_password
    yield "no password", scenario.no_key
    yield "the broker is stopped and started again while jobs run", scenario.restart


class Scenario:
    def __init__(self, rabbit, server):
        self.rabbit = rabbit
        self.server = server

    def action(self, namespace, queue=None, topic=None, key=PASSWORD, **more):
        message = {
            "namespace": namespace,
            "transportType": "AMQP",
            "message": MESSAGE,
            "authentication": {"type": "SharedAccessKey", "sasKeyName": USER, "sasKey": key},
            **more,
        }
        if queue:
            return {"type": "ServiceBusQueue", "serviceBusQueueMessage": {**message, "queueName": queue}}
        return {"type": "ServiceBusTopic", "serviceBusTopicMessage": {**message, "topicPath": topic}}

    def sent(self, name, address, action):
        """Runs a job, and gives its record and the message that came."""
        with Reader(self.rabbit.port, address) as reader:
            record = self.server.once(name, action)
            succeeded(record)
            (message,) = reader.wait(1)
        return record, message

    def queue(self, namespace, queue):
        record, message = self.sent(queue, f"/queue/{queue}", self.action(namespace, queue=queue))
        equal(bytes(message.body).decode(), MESSAGE)
        equal(message.id, record["executionTag"])
        equal(message.durable, True)

    def topic(self, namespace, topic):
        # Who listens to a topic need not know its whole name.
        pattern = topic.split(".")[0] + ".*"
        _, message = self.sent(topic, f"/topic/{pattern}", self.action(namespace, topic=topic))
        equal(bytes(message.body).decode(), MESSAGE)

    def properties(self):
        brokered = {
            "contentType": "text/plain",
            "correlationId": "c-1",
            "label": "a label",
            "messageId": "m-1",
            "replyTo": "answers",
            "timeToLive": "PT1H",
        }
        custom = {"colour": "red", "\u00fcber": "\u2713"}
        more = {"brokeredMessageProperties": brokered, "customMessageProperties": custom}
        _, message = self.sent("properties", "/queue/properties", self.action("rabbit", queue="properties", **more))
        equal(message.content_type, "text/plain")
        equal((message.correlation_id, message.id, message.subject), ("c-1", "m-1", "a label"))
        equal(message.reply_to, "answers")
        equal(message.ttl, 3600)
        equal({name: message.properties[name] for name in custom}, custom)

    def wrong_password(self):
        record = self.server.once("wrong-password", self.action("rabbit", queue="plain-queue", key="a wrong one"))
        failed(record, "localhost", f"'{USER}'")
        if "a wrong one" in record["message"]:
            raise AssertionError(record["message"])

    def no_key(self):
        action = self.action("rabbit", queue="plain-queue")
        del action["serviceBusQueueMessage"]["authentication"]["sasKey"]
        if "sasKey" not in self.server.refusal("no-key", action):
            raise AssertionError("the missing key is not named")
        failed(self.server.once_by_long_path("no-key", action), "sasKey")

    def restart(self):
        retry = {"retryType": "Fixed", "retryInterval": "PT15S", "retryCount": 4}
        action = {**self.action("rabbit-lasting", queue=LASTING_QUEUE), "retryPolicy": retry}
        self.server.put("restart", action, recurrence=EVERY_SECOND, options={"overlap": "allow", "timeout": "PT5S"})
        self.server.records("restart", 3)
        self.rabbit.stop()
        # The history explains.
        failed(until("an attempt fails", self.failures)[0], "localhost")
        self.rabbit.start()
        tags = self.server.finished("restart")
        with Reader(self.rabbit.port, f"/amq/queue/{LASTING_QUEUE}") as reader:
            until(f"{len(tags)} messages", lambda: tags <= {message.id for message in reader.messages})
        self.server.audit()

    def failures(self):
        return [record for record in self.server.history("restart") if not is_completed(record)]
