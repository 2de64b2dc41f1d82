"""Jobs that send messages to a double of the Service Bus, over AMQP and HTTPS; the official client takes them out."""

import datetime

from azure.servicebus import ServiceBusClient, ServiceBusReceiveMode

from bus import ServiceBus
from parts.punctual import failed, is_completed, succeeded
from report import equal

KEY_NAME, KEY = "sender", "key of tests"
QUEUE, TOPIC, SUBSCRIPTIONS = "orders/new", "news", ["all", "some"]
TRANSPORTS = ("AMQP", "NetMessaging")
MESSAGE = 'order <42> & "more" \u2713'
ENQUEUE = "2037-01-02T03:04:05Z"
BROKERED = {
    "contentType": "text/plain",
    "correlationId": "c-1",
    "forcePersistence": True,
    "label": "a label",
    "messageId": "m-1",
    "partitionKey": "s-1",
    "replyTo": "answers",
    "replyToSessionId": "s-2",
    "scheduledEnqueueTimeUtc": ENQUEUE,
    "sessionId": "s-1",
    "timeToLive": "PT1H",
    "to": "somebody",
    "viaPartitionKey": "via",
}
CUSTOM = {"colour": "red", "note": 'with "quotes" and \\ in it'}


def checks(stage):
    keys = {KEY_NAME: KEY, "configured": "key of the operator"}
    certificate = stage.authority.server()
    bus = stage.begin(ServiceBus(["localhost"], keys, [QUEUE], {TOPIC: SUBSCRIPTIONS}, certificate))
    scenario = Scenario(bus, stage.serve(settings(bus)))
    for transport in TRANSPORTS:
        each = Over(scenario, transport)
        yield f"{transport}: a queue", each.queue
        yield f"{transport}: a topic", each.topic
        yield f"{transport}: every property", each.properties
        yield f"{transport}: a wrong key", each.wrong_key
        yield f"{transport}: a queue that is not there", each.missing
        yield f"{transport}: the key that the configuration holds", each.configured_key
        yield f"{transport}: a key that is not for this job", each.other_scope
    yield "a namespace that is throttled", scenario.busy
    yield "AMQP: links are detached while jobs run", lambda: scenario.disturbed("detached", bus.detach_links)
    yield "AMQP: tokens end while jobs run", lambda: scenario.disturbed("expired", bus.expire_tokens)
    yield "AMQP: connections break while jobs run", lambda: scenario.disturbed("dropped", bus.drop_connections)
    yield "the server kept to the protocol", lambda: equal(bus.amqp.complaints, [])


def settings(bus):
    return f"""[[service_bus.namespaces]]
name = "tests"
endpoint = "https://localhost:{bus.rest.port}"
amqp_endpoint = "amqps://localhost:{bus.amqp.tls_port}"

[[service_bus.keys]]
namespace = "tests"
name = "configured"
key = "key of the operator"
scopes = ["/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/default"]

[[service_bus.keys]]
namespace = "tests"
name = "{KEY_NAME}"
key = "{KEY}"
scopes = ["/subscriptions/another"]
"""


class Scenario:
    def __init__(self, bus, server):
        self.bus = bus
        self.server = server

    def action(self, transport, queue=QUEUE, topic=None, key_name=KEY_NAME, key=KEY, **more):
        authentication = {"type": "SharedAccessKey", "sasKeyName": key_name}
        if key:
            authentication["sasKey"] = key
        message = {
            "namespace": "tests",
            "transportType": transport,
            "message": MESSAGE,
            "authentication": authentication,
            **more,
        }
        if topic:
            return {"type": "ServiceBusTopic", "serviceBusTopicMessage": {**message, "topicPath": topic}}
        return {"type": "ServiceBusQueue", "serviceBusQueueMessage": {**message, "queueName": queue}}

    def received(self, number, queue=None, subscription=None):
        """So many messages, taken out by the official client."""
        # It speaks without TLS to what it takes for an emulator.
        text = f"Endpoint=sb://localhost:{self.bus.amqp.port};SharedAccessKeyName={KEY_NAME};SharedAccessKey={KEY};"
        mode = {"receive_mode": ServiceBusReceiveMode.RECEIVE_AND_DELETE}
        messages = []
        with ServiceBusClient.from_connection_string(text + "UseDevelopmentEmulator=true", retry_total=0) as client:
            if queue:
                receiver = client.get_queue_receiver(queue, **mode)
            else:
                receiver = client.get_subscription_receiver(TOPIC, subscription, **mode)
            with receiver:
                while len(messages) < number:
                    more = receiver.receive_messages(number - len(messages), max_wait_time=10)
                    if not more:
                        raise AssertionError(f"{len(messages)} of {number} messages came")
                    messages += more
        return messages

    def busy(self):
        self.bus.be_busy(len(TRANSPORTS))
        for transport in TRANSPORTS:
            retry = {"retryType": "Fixed", "retryInterval": "PT15S", "retryCount": 1}
            self.server.put(f"{transport}-busy", {**self.action(transport), "retryPolicy": retry})
        for transport in TRANSPORTS:
            first, second = self.server.records(f"{transport}-busy", 2, seconds=45)
            failed(first, "throttled")
            succeeded(second)
        self.received(len(TRANSPORTS), QUEUE)

    def disturbed(self, name, disturb):
        """A job runs every second. Whatever happens in between, every occurrence arrives in the end."""
        retry = {"retryType": "Fixed", "retryInterval": "PT15S", "retryCount": 2}
        action = {**self.action("AMQP"), "retryPolicy": retry}
        self.server.put(name, action, recurrence={"cron": "* * * * * *"}, options={"overlap": "allow"})
        self.server.records(name, 2)
        for _ in range(2):
            disturb()
            self.server.records(name, len(self.server.history(name)) + 2)
        tags = self.server.finished(name)
        messages = self.received(len(tags), QUEUE)
        equal({message.message_id for message in messages}, tags)
        for record in self.server.history(name):
            if not is_completed(record):
                failed(record, "localhost")
        self.server.audit()


class Over:
    """What goes over either transport."""

    def __init__(self, scenario, transport):
        self.scenario = scenario
        self.server = scenario.server
        self.transport = transport

    def once(self, name, **more):
        return self.server.once(f"{self.transport}-{name}", self.scenario.action(self.transport, **more))

    def sent(self, name, **more):
        record = self.once(name, **more)
        succeeded(record)
        return record

    def failed(self, name, *parts, **more):
        record = self.once(name, **more)
        failed(record, *parts)
        for secret in (KEY, "sig="):
            if secret in record["message"]:
                raise AssertionError(record["message"])

    def queue(self):
        record = self.sent("queue")
        (message,) = self.scenario.received(1, QUEUE)
        equal(str(message), MESSAGE)
        equal(message.message_id, record["executionTag"])

    def topic(self):
        self.sent("topic", topic=TOPIC)
        for subscription in SUBSCRIPTIONS:
            (message,) = self.scenario.received(1, subscription=subscription)
            equal(str(message), MESSAGE)

    def properties(self):
        self.sent("properties", brokeredMessageProperties=BROKERED, customMessageProperties=CUSTOM)
        (message,) = self.scenario.received(1, QUEUE)
        equal(message.content_type, "text/plain")
        equal((message.correlation_id, message.subject, message.message_id), ("c-1", "a label", "m-1"))
        equal((message.reply_to, message.reply_to_session_id, message.to), ("answers", "s-2", "somebody"))
        equal((message.session_id, message.partition_key), ("s-1", "s-1"))
        equal(message.time_to_live, datetime.timedelta(hours=1))
        equal(message.scheduled_enqueue_time_utc, datetime.datetime(2037, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc))
        raw = message.raw_amqp_message
        equal(raw.header.durable, True)
        annotations = {_text(name): _text(value) for name, value in raw.annotations.items()}
        equal(annotations["x-opt-via-partition-key"], "via")
        equal({_text(name): _text(value) for name, value in message.application_properties.items()}, CUSTOM)

    def wrong_key(self):
        self.failed("wrong-key", "localhost", "InvalidSignature", key="another key")

    def missing(self):
        self.failed("missing", "localhost", "nowhere", queue="nowhere")

    def configured_key(self):
        self.sent("configured", key_name="configured", key=None)
        (message,) = self.scenario.received(1, QUEUE)
        equal(str(message), MESSAGE)

    def other_scope(self):
        name, action = f"{self.transport}-other-scope", self.scenario.action(self.transport, key=None)
        if "sasKey" not in self.server.refusal(name, action):
            raise AssertionError("the missing key is not named")
        failed(self.server.once_by_long_path(name, action), "sasKey")


def _text(value):
    return value.decode() if isinstance(value, bytes) else value
