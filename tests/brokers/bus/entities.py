"""The queues and topics of a namespace, and the messages in them."""

import collections
import threading


class NotFound(Exception):
    """There is no such entity, or it cannot do what is asked of it."""


class Busy(Exception):
    """The namespace is throttled."""


class Entities:
    """Used by the threads of both transports."""

    def __init__(self, queues, topics):
        self.lock = threading.Lock()
        self.topics = {
            name.lower(): [f"{name}/subscriptions/{subscription}".lower() for subscription in subscriptions]
            for name, subscriptions in topics.items()
        }
        sources = [name.lower() for name in queues] + sum(self.topics.values(), [])
        self.waiting = {name: collections.deque() for name in sources}
        self.busy_sends = 0
        self.changed = lambda: None

    def check_target(self, name):
        """Fails unless messages can be sent there."""
        if name not in self.topics and (name not in self.waiting or "/subscriptions/" in name):
            raise NotFound(f"The messaging entity '{name}' could not be found.")

    def check_source(self, name):
        """Fails unless messages can be received from there."""
        if name not in self.waiting:
            raise NotFound(f"The messaging entity '{name}' could not be found.")

    def deposit(self, name, message):
        self.check_target(name)
        with self.lock:
            if self.busy_sends > 0:
                self.busy_sends -= 1
                raise Busy("The request was terminated because the namespace is being throttled. Error code: 50009.")
            for source in self.topics.get(name, [name]):
                self.waiting[source].append(message)
        self.changed()

    def take(self, name):
        """The next message, or None."""
        with self.lock:
            waiting = self.waiting[name]
            return waiting.popleft() if waiting else None
