"""A proxy between a node and PostgreSQL that cuts a connection at a chosen byte of the exchange of a commit.

It reads along what the node asks for (the messages of PostgreSQL's protocol, version 3, without TLS): which statements were prepared
under which names, and which of them the transaction has carried out. So a commit of a certain kind can be cut:

    node ──── Q commit (12 bytes) ───▶ proxy ───▶ PostgreSQL
    node ◀─── C COMMIT, Z I (18 bytes) ─── proxy ◀─── PostgreSQL

A cut at byte 0 to 11 means that the commit never arrived: PostgreSQL takes the transaction back. A cut at byte 12 to 29 means that
PostgreSQL has committed, and that the answer got lost, all of it or the rest of it.
"""

import dataclasses
import socket
import struct
import threading

REQUEST = b"Q\x00\x00\x00\x0bcommit\x00"
ANSWER = b"C\x00\x00\x00\x0bCOMMIT\x00Z\x00\x00\x00\x05I"
EXCHANGE = len(REQUEST) + len(ANSWER)


@dataclasses.dataclass
class Cut:
    """A cut that is to be made: of the next commit of a transaction that has carried out a statement with these words."""

    words: str
    byte: int
    done: threading.Event = dataclasses.field(default_factory=threading.Event)
    # The values of the statement, as the node has sent them.
    values: list = None


class Proxy:
    def __init__(self, address, server):
        self._server, self._cut, self._lock = server, None, threading.Lock()
        # Statements that were carried out, with their values, in their order.
        self.executed = []
        self._listener = socket.create_server((address, 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_next(self, words, byte):
        assert 0 <= byte < EXCHANGE
        cut = Cut(words, byte)
        with self._lock:
            self._cut = cut
        return cut

    def take_cut(self, statements):
        """The cut that is to be made of the commit of a transaction, if one is."""
        with self._lock:
            cut = self._cut
            matching = cut and [values for sql, values in statements if cut.words in sql]
            if not matching:
                return None
            self._cut, cut.values = None, matching[-1]
            return cut

    def note(self, sql, values):
        with self._lock:
            self.executed.append((sql, values))

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            _Connection(self, client, self._server).start()

    def end(self):
        self._listener.close()


class _Connection:
    def __init__(self, proxy, client, server):
        self.proxy, self.client = proxy, client
        self.server = socket.create_connection(server)
        for one in (self.client, self.server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.prepared, self.statements = {}, []
        # How many bytes of answers still pass, and the cut that is made then; none if all do.
        self.budget, self.cut = None, None

    def start(self):
        threading.Thread(target=self._guard, args=(self._pass_requests,), daemon=True).start()
        threading.Thread(target=self._guard, args=(self._pass_answers,), daemon=True).start()

    def _guard(self, work):
        try:
            work()
        except OSError:
            pass
        self._close()

    def _close(self):
        for one in (self.client, self.server):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def _pass_requests(self):
        # The first message has no type.
        length = self._read(4)
        self.server.sendall(length + self._read(struct.unpack("!I", length)[0] - 4))
        while True:
            head = self._read(5)
            message = head + self._read(struct.unpack("!I", head[1:])[0] - 4)
            self._note(message[:1], message[5:])
            cut = self.proxy.take_cut(self.statements) if message == REQUEST else None
            if cut and cut.byte < len(REQUEST):
                self.server.sendall(message[: cut.byte])
                self._close()
                cut.done.set()
                return
            if cut:
                self.budget, self.cut = cut.byte - len(REQUEST), cut
            self.server.sendall(message)

    def _pass_answers(self):
        while data := self.server.recv(65536):
            cut = self.cut
            if cut is None:
                self.client.sendall(data)
                continue
            passed, self.budget = data[: self.budget], max(self.budget - len(data), 0)
            self.client.sendall(passed)
            if self.budget == 0:
                self._close()
                cut.done.set()
                return

    def _read(self, number):
        data = b""
        while len(data) < number:
            part = self.client.recv(number - len(data))
            if not part:
                raise ConnectionError("the node has ended the connection")
            data += part
        return data

    def _note(self, kind, body):
        """Remembers what is prepared and what is carried out. A transaction begins with a statement of its own."""
        if kind == b"P":
            name, sql, _ = body.split(b"\x00", 2)
            self.prepared[name] = sql.decode()
        elif kind == b"B":
            _, name, rest = body.split(b"\x00", 2)
            statement = self.prepared.get(name, ""), _values(rest)
            self.statements.append(statement)
            self.proxy.note(*statement)
        elif kind == b"Q" and body.startswith(b"begin"):
            self.statements = []


def _values(body):
    """The values of a message that binds them to a statement."""
    (formats,) = struct.unpack_from("!H", body)
    at, values = 2 + 2 * formats, []
    (number,) = struct.unpack_from("!H", body, at)
    at += 2
    for _ in range(number):
        (length,) = struct.unpack_from("!i", body, at)
        at += 4
        values.append(body[at : at + length] if length >= 0 else None)
        at += max(length, 0)
    return values
