"""What jobs call. It writes down every call, and answers as the path says.

    /steady/7       200 at once
    /flaky/7/2      500 for a third of all attempts, always the same ones
    /slow/30/7      200 after 30 seconds
    /error/7        200 at once: error actions call it
"""

import dataclasses
import http.server
import threading
import time
import zlib


@dataclasses.dataclass(frozen=True)
class Call:
    """A call as it arrived. The source is the address of the node that made it."""

    at: float
    source: str
    path: str
    attempt: str
    occurrence: str
    is_resent: bool


class Receiver:
    def __init__(self, address):
        self.calls = []
        self._lock = threading.Lock()
        self._server = _Server((address, 0), _handler(self))
        self.url = f"http://{address}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def note(self, call):
        with self._lock:
            self.calls.append(call)

    def of(self, path):
        """All calls of a path, in their order."""
        return [call for call in list(self.calls) if call.path == path]

    def end(self):
        self._server.shutdown()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 512

    def handle_error(self, *_):
        """A node that was killed in the middle of a call is no error of ours."""


def _handler(receiver):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            attempt = self.headers["x-ms-client-request-id"]
            is_resent = self.headers["x-punctual-resent"] == "true"
            occurrence = self.headers["x-ms-execution-tag"]
            receiver.note(Call(time.time(), self.client_address[0], self.path, attempt, occurrence, is_resent))
            kind, *rest = self.path.strip("/").split("/")
            if kind == "slow":
                time.sleep(float(rest[0]))
            fails = kind == "flaky" and zlib.crc32(attempt.encode()) % 3 == 0
            self.send_response(500 if fails else 200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler
