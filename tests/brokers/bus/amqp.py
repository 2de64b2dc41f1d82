"""The namespace over AMQP 1.0, on Qpid Proton.

client                                  here
  | open, begin                           |
  | attach $cbs both ways                 |
  | put-token(audience, token) -------->  | 202: the connection has a right to the audience; or 401
  | attach target=entity -------------->  | without a right to it: detached, unauthorized-access
  | transfer -------------------------->  | accepted, or rejected with a reason
"""

import threading
import time
import urllib.parse
import uuid

from proton import Condition, Delivery, Endpoint, Message, Terminus, symbol
from proton.handlers import MessagingHandler
from proton.reactor import ApplicationEvent, Container, EventInjector

from bus.entities import Busy, NotFound
from bus.sas import Refused, covers, segments
from parts.ports import free_port

CBS = "$cbs"
# The official client calls its shared access signature by the second name.
TOKEN_TYPES = ("servicebus.windows.net:sastoken", "jwt")
CREDIT = 100


class Amqp:
    """Two listeners, one with TLS and one without, in a thread of their own."""

    def __init__(self, keys, entities, certificate):
        self.injector = EventInjector()
        self.port, self.tls_port = free_port(), free_port()
        self.broker = Broker(keys, entities, certificate, self)
        self.container = Container(self.broker)
        self.thread = threading.Thread(target=self.container.run, daemon=True)
        entities.changed = lambda: self.command("deliver")

    def start(self):
        self.thread.start()
        if not self.broker.listens.wait(10):
            raise TimeoutError("the AMQP listeners do not start")

    def stop(self):
        self.command("end")
        self.thread.join(10)

    def command(self, name):
        self.injector.trigger(ApplicationEvent(name))

    @property
    def complaints(self):
        return self.broker.complaints


class Connection:
    """What is known of a connection: where its answers go, and what it has a right to."""

    def __init__(self, connection):
        self.connection = connection
        self.replies = {}
        # From the segments of an audience to the end of the right to it.
        self.rights = {}
        # Those to entities. Proton wraps the same link anew each time; what is set on it, such as `entity`, stays with it.
        self.links = []


class Broker(MessagingHandler):
    """What Proton calls. Each method on_NAME is an event of the protocol, or a command of ours."""

    def __init__(self, keys, entities, certificate, amqp):
        super().__init__(prefetch=CREDIT, auto_accept=False)
        self.keys = keys
        self.entities = entities
        self.certificate = certificate
        self.amqp = amqp
        self.listens = threading.Event()
        self.connections = {}
        # What no well-behaved client does.
        self.complaints = []

    # --- Connections ---

    def on_start(self, event):
        container = event.container
        container.selectable(self.amqp.injector)
        container.ssl.server.set_credentials(str(self.certificate.chain), str(self.certificate.key), None)
        addresses = (f"amqp://127.0.0.1:{self.amqp.port}", f"amqps://127.0.0.1:{self.amqp.tls_port}")
        self.listeners = [container.listen(address) for address in addresses]
        self.listens.set()

    def on_connection_bound(self, event):
        # Where the system has more of them, Proton would offer them all. Who is calling shows at $cbs.
        event.transport.sasl().allowed_mechs("ANONYMOUS")

    def on_connection_opening(self, event):
        self.connections[_id(event.connection)] = Connection(event.connection)

    def on_transport_closed(self, event):
        self.connections.pop(_id(event.connection), None)

    # --- Links ---

    def on_link_opening(self, event):
        link = event.link
        link.source.copy(link.remote_source)
        link.target.copy(link.remote_target)
        known = self.connections[_id(event.connection)]
        address = link.remote_source.address if link.is_sender else link.remote_target.address
        if address == CBS:
            if link.is_sender:
                known.replies[link.remote_target.address] = link
            return
        name = "/".join(segments(urllib.parse.urlsplit(address or "").path))
        try:
            self.check_right(known, name)
            (self.entities.check_source if link.is_sender else self.entities.check_target)(name)
        except (Refused, NotFound) as error:
            condition = "amqp:unauthorized-access" if isinstance(error, Refused) else "amqp:not-found"
            link.refusal = (condition, str(error))
            # By an end that is not there the client knows that it will be detached.
            (link.source if link.is_sender else link.target).type = Terminus.UNSPECIFIED
        else:
            link.entity = name
            known.links.append(link)

    def on_link_local_open(self, event):
        """A link has to be attached before it can be detached, and Proton has just done so."""
        refusal = getattr(event.link, "refusal", None)
        if refusal:
            _end(event.link, *refusal)

    def check_right(self, known, name):
        entity = segments(name)
        if not any(covers(right, entity) and until > time.time() for right, until in known.rights.items()):
            raise Refused(f"Unauthorized access. 'Send' or 'Listen' claim(s) are required for '{name}'.")

    # --- Messages to us ---

    def on_message(self, event):
        known = self.connections[_id(event.connection)]
        if event.link.remote_target.address == CBS:
            self.put_token(known, event.message)
            return self.accept(event.delivery)
        name = getattr(event.link, "entity", None)
        if name is None or not event.link.state & Endpoint.LOCAL_ACTIVE:
            return None
        try:
            self.check_right(known, name)
            self.take_in(name, event)
        except Refused as refused:
            _reject(event.delivery, "amqp:unauthorized-access", str(refused))
        except Busy as busy:
            _reject(event.delivery, "com.microsoft:server-busy", str(busy))
        else:
            self.accept(event.delivery)

    def take_in(self, name, event):
        message = event.message
        if event.delivery.settled:
            self.complaints.append(f"{name}: a message was sent without waiting for an answer")
        if not isinstance(message.body, (bytes, memoryview)):
            self.complaints.append(f"{name}: the body is {type(message.body)} and not data")
        if event.connection.remote_hostname is None:
            self.complaints.append(f"{name}: the connection was opened without a host name")
        self.entities.deposit(name, message)

    def put_token(self, known, message):
        properties = message.properties or {}
        audience = properties.get("name") or ""
        try:
            if properties.get("operation") != "put-token" or properties.get("type") not in TOKEN_TYPES:
                raise Refused(f"no put-token of a known type: {properties.get('operation')} {properties.get('type')}")
            until = self.keys.check(_text(message.body), audience)
            known.rights[self.keys.path(audience)] = until
            status, description = 202, "Accepted"
        except Refused as refused:
            status, description = 401, str(refused)
        # The official client names no address to reply to: it has one link for answers.
        replies = list(known.replies.values()) if message.reply_to is None else [known.replies.get(message.reply_to)]
        if replies[-1:] in ([], [None]):
            self.complaints.append(f"put-token: no link leads to its reply-to, {message.reply_to}")
            return
        answer = {"status-code": status, "status-description": description}
        replies[-1].send(Message(correlation_id=message.id, properties=answer, body=None))

    # --- Messages from us ---

    def on_sendable(self, event):
        self.deliver(event.link)

    def on_deliver(self, _event):
        for link in self.entity_links():
            if link.is_sender:
                self.deliver(link)

    def deliver(self, link):
        name = getattr(link, "entity", None)
        while name and link.credit > 0 and (message := self.entities.take(name)):
            link.send(message, tag=uuid.uuid4().bytes)

    # --- Commands ---

    def on_detach(self, _event):
        for link in self.entity_links():
            _end(link, "amqp:link:detach-forced", "The link is force detached by the broker because it was idle.")

    def on_expire(self, _event):
        for known in self.connections.values():
            known.rights.clear()
        for link in self.entity_links():
            _end(link, "amqp:unauthorized-access", "ExpiredToken: The token is expired.")

    def on_drop(self, _event):
        for known in list(self.connections.values()):
            known.connection.transport.close_head()
            known.connection.transport.close_tail()

    def on_end(self, _event):
        for listener in self.listeners:
            listener.close()
        for known in list(self.connections.values()):
            known.connection.close()
        self.amqp.injector.close()

    def entity_links(self):
        links = [link for known in self.connections.values() for link in known.links]
        both = Endpoint.LOCAL_ACTIVE | Endpoint.REMOTE_ACTIVE
        return [link for link in links if link.state & both == both]


def _id(connection):
    """Stays with the connection, however often Proton wraps it anew."""
    if not hasattr(connection, "punctual_id"):
        connection.punctual_id = uuid.uuid4().hex
    return connection.punctual_id


def _end(link, condition, description):
    link.condition = Condition(condition, description)
    link.close()


def _reject(delivery, condition, description):
    # The official client counts on all three members.
    delivery.local.condition = Condition(condition, description, {symbol("tracking-id"): uuid.uuid4().hex})
    delivery.update(Delivery.REJECTED)
    delivery.settle()


def _text(body):
    return body if isinstance(body, str) else bytes(body or b"").decode()
