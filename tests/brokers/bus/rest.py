"""The namespace over HTTPS: POST /{entity}/messages."""

import email.utils
import json
import ssl
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from proton import Message, symbol, timestamp

from bus.entities import Busy, NotFound
from bus.sas import Refused, segments

# Headers of the request; every other one is a property that the sender made up.
OF_THE_REQUEST = {
    "accept",
    "accept-encoding",
    "authorization",
    "brokerproperties",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
}


class Rest:
    """A server of HTTPS in threads of its own."""

    def __init__(self, keys, entities, certificate):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain, certificate.key)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.keys = keys
        self.server.entities = entities
        self.port = self.server.server_port

    def start(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Malformed(Exception):
    """What the request says cannot be read."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urllib.parse.urlsplit(self.path).path
        entity, _, verb = path.strip("/").rpartition("/")
        name = "/".join(segments(entity))
        keys, entities = self.server.keys, self.server.entities
        try:
            if verb != "messages":
                raise NotFound(f"nothing is at {path}")
            keys.check(self.headers["Authorization"] or "", f"https://{keys.hosts[0]}/{name}")
            entities.deposit(name, self.message(body))
        except Refused as refused:
            self.answer(401, str(refused))
        except NotFound as error:
            self.answer(404, str(error))
        except Busy as busy:
            self.answer(503, str(busy))
        except Malformed as malformed:
            self.answer(400, str(malformed))
        else:
            self.answer(201, "")

    def message(self, body):
        """What the request says, as the one that a receiver over AMQP gets."""
        message = Message(body=body, inferred=True, content_type=self.headers["Content-Type"])
        message.annotations = {}
        try:
            properties = json.loads(self.headers["BrokerProperties"] or "{}")
        except json.JSONDecodeError as error:
            raise Malformed(f"BrokerProperties: {error}") from error
        for member, value in properties.items():
            if member not in BROKERED:
                raise Malformed(f"BrokerProperties: there is no {member}")
            BROKERED[member](message, value)
        custom = [(name, value) for name, value in self.headers.items() if name.lower() not in OF_THE_REQUEST]
        message.properties = {name: _custom(name, value) for name, value in custom}
        return message

    def answer(self, status, detail):
        text = f"<Error><Code>{status}</Code><Detail>{detail}</Detail></Error>" if detail else ""
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.send_header("Content-Type", "application/xml; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def _attribute(name):
    return lambda message, value: setattr(message, name, _string(name, value))


def _annotation(name):
    return lambda message, value: message.annotations.update({symbol(name): _string(name, value)})


def _string(name, value):
    if not isinstance(value, str):
        raise Malformed(f"BrokerProperties: {name} is {value!r} and not a text")
    return value


def _time_to_live(message, seconds):
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
        raise Malformed(f"BrokerProperties: TimeToLive is {seconds!r} and not a number of seconds")
    message.ttl = float(seconds)


def _scheduled(message, text):
    try:
        at = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError) as error:
        raise Malformed(f"BrokerProperties: ScheduledEnqueueTimeUtc is {text!r}") from error
    message.annotations[symbol("x-opt-scheduled-enqueue-time")] = timestamp(int(at.timestamp() * 1000))


def _force_persistence(message, value):
    if not isinstance(value, bool):
        raise Malformed(f"BrokerProperties: ForcePersistence is {value!r} and not true or false")
    message.durable = value


BROKERED = {
    "CorrelationId": _attribute("correlation_id"),
    "ForcePersistence": _force_persistence,
    "Label": _attribute("subject"),
    "MessageId": _attribute("id"),
    "PartitionKey": _annotation("x-opt-partition-key"),
    "ReplyTo": _attribute("reply_to"),
    "ReplyToSessionId": _attribute("reply_to_group_id"),
    "ScheduledEnqueueTimeUtc": _scheduled,
    "SessionId": _attribute("group_id"),
    "TimeToLive": _time_to_live,
    "To": _attribute("address"),
    "ViaPartitionKey": _annotation("x-opt-via-partition-key"),
}


def _custom(name, value):
    """A text is in quotes; numbers, dates and truth values are not."""
    try:
        return json.loads(value)
    except json.JSONDecodeError as error:
        raise Malformed(f"{name}: {value} is neither a number nor a text in quotes") from error
