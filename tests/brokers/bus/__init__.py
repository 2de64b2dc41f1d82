"""A double of Azure Service Bus, small and strict: AMQP 1.0 with and without TLS, and REST over HTTPS.

What the real one checks is checked here: signature, expiry and audience of every token, a right to the entity for every
link and every request, that the entity exists. What it is told to do (detach links, let tokens expire, be busy) it does at
once. It has no sessions, locks, rules or duplicate detection; messages are received and deleted.
"""

from bus.amqp import Amqp
from bus.entities import Entities
from bus.rest import Rest
from bus.sas import Keys


class ServiceBus:
    """A namespace that lives until it is left."""

    def __init__(self, hosts, keys, queues, topics, certificate):
        """`hosts`: its names, in the audience of tokens. `keys`: by name. `topics`: their subscriptions by name."""
        self.entities = Entities(queues, topics)
        self.keys = Keys(hosts, keys)
        self.amqp = Amqp(self.keys, self.entities, certificate)
        self.rest = Rest(self.keys, self.entities, certificate)

    def __enter__(self):
        self.amqp.start()
        self.rest.start()
        return self

    def __exit__(self, *_):
        self.amqp.stop()
        self.rest.stop()

    def be_busy(self, sends):
        """Refuses the next sends, on either transport, as a throttled namespace does."""
        self.entities.busy_sends = sends

    def detach_links(self):
        """Ends every link to an entity, as the real one does with those that were idle."""
        self.amqp.command("detach")

    def expire_tokens(self):
        """Every token that was shown so far is worth nothing from now on, and links that lived on one end."""
        self.keys.expire_seen()
        self.amqp.command("expire")

    def drop_connections(self):
        """Ends every connection without a word, as a broken network does."""
        self.amqp.command("drop")
