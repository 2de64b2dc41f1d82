"""An HTTP endpoint that keeps what it gets."""

import collections
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Request = collections.namedtuple("Request", "method path headers body")
Answer = collections.namedtuple("Answer", "status reason headers body", defaults=("", {}, b""))

OK = Answer(200, "OK", {}, b"thank you")


class Receiver:
    """Answers what `respond` makes of a request, in threads of its own."""

    def __init__(self, respond=lambda _request: OK, context=None):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.respond = respond
        self.server.requests = self.requests = []
        self.scheme = "https" if context else "http"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def port(self):
        return self.server.server_port

    @property
    def url(self):
        return f"{self.scheme}://localhost:{self.port}"


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        request = Request(self.command, self.path, self.headers, body)
        self.server.requests.append(request)
        answer = self.server.respond(request)
        self.send_response(answer.status, answer.reason)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass
