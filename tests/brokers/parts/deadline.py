"""Waiting for what another program does, as long as it may take and no longer."""

import time

PAUSE_SECONDS = 0.05


def until(what, look, seconds=30):
    """Looks again and again, and gives the first thing seen that is something."""
    end = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(PAUSE_SECONDS)
