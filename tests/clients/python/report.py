"""What was tried, and how it went."""

import sys
import traceback


class Report:
    """Prints a line for each check and ends the program with the sum of them."""

    def __init__(self, client):
        self.client = client
        self.passed = 0
        self.failed = 0

    def check(self, name, action):
        """Does it. A check that fails does not keep the others from running."""
        try:
            action()
        except Exception:
            self.failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
        else:
            self.passed += 1
            print(f"ok {name}", flush=True)

    def finish(self):
        failed = f", {self.failed} failed" if self.failed else ""
        print(f"{self.client}: {self.passed} passed{failed}")
        sys.exit(1 if self.failed else 0)


def equal(actual, expected):
    """Fails unless they are the same, with both in the message."""
    if actual != expected:
        raise AssertionError(f"\n     got {actual!r}\nexpected {expected!r}")


def within(actual, expected):
    """Fails unless it is one of them."""
    if actual not in expected:
        raise AssertionError(f"\n     got {actual!r}\nexpected one of {expected!r}")
