"""Takes messages off a broker, with Qpid Proton: another library than the one that sent them."""

import threading

from proton.handlers import MessagingHandler
from proton.reactor import ApplicationEvent, Container, EventInjector

from parts.deadline import until


class Reader(MessagingHandler):
    """Collects what comes to an address, in a thread of its own, until it is left."""

    def __init__(self, port, address):
        super().__init__()
        self.url = f"amqp://127.0.0.1:{port}"
        self.address = address
        self.messages = []
        self.attached = threading.Event()
        self.injector = EventInjector()
        self.thread = threading.Thread(target=Container(self).run, daemon=True)

    def __enter__(self):
        self.thread.start()
        if not self.attached.wait(30):
            raise TimeoutError(f"no receiver on {self.address}")
        return self

    def __exit__(self, *_):
        self.injector.trigger(ApplicationEvent("leave"))
        self.thread.join(10)

    def wait(self, number):
        """So many messages, as soon as they are there."""
        until(f"{number} messages on {self.address}", lambda: len(self.messages) >= number)
        return self.messages

    # --- What Proton calls ---

    def on_start(self, event):
        event.container.selectable(self.injector)
        self.connection = event.container.connect(self.url, reconnect=False, allowed_mechs="ANONYMOUS")
        event.container.create_receiver(self.connection, self.address)

    def on_link_opened(self, _event):
        self.attached.set()

    def on_message(self, event):
        self.messages.append(event.message)

    def on_leave(self, _event):
        self.connection.close()
        self.injector.close()
