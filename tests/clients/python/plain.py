"""The server without a client: plain HTTP, for what no client can send and to see what is really stored."""

import http.client
import json
import os
import ssl
import urllib.parse

API_VERSION = "2016-03-01"


class Plain:
    """One connection that stays open."""

    def __init__(self, subscription, group):
        address = urllib.parse.urlsplit(os.environ["PUNCTUAL_URL"])
        trust = ssl.create_default_context(cafile=os.environ["PUNCTUAL_CA"])
        self.connection = http.client.HTTPSConnection(address.hostname, address.port, timeout=30, context=trust)
        self.group = f"/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Scheduler"

    def put(self, path, body):
        return self._send("PUT", path, body, "recorded")

    def get(self, path, dialect="openapi"):
        """Reads it. In the dialect of the description durations look the same, whichever client wrote them."""
        return self._send("GET", path, None, dialect)

    def _send(self, method, path, body, dialect):
        headers = {
            "Authorization": "Bearer " + os.environ["PUNCTUAL_TOKEN"],
            "Content-Type": "application/json",
            "x-punctual-dialect": dialect,
        }
        text = None if body is None else json.dumps(body)
        self.connection.request(method, f"{self.group}/{path}?api-version={API_VERSION}", text, headers)
        answer = self.connection.getresponse()
        content = answer.read().decode()
        if answer.status >= 300:
            raise AssertionError(f"{method} {path}: {answer.status} {content}")
        return json.loads(content)
