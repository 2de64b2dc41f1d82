"""Waiting for something to be so, and ports that are free."""

import http.client
import socket
import time


def wait_for(what, is_so, seconds=60):
    """Asks until the answer is yes. Returns how many seconds that took. A node that does not answer is no answer."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        try:
            if is_so():
                return time.monotonic() - begun
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}")


def free_port(address="127.0.0.1"):
    with socket.socket() as one:
        one.bind((address, 0))
        return one.getsockname()[1]
