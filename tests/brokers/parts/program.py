"""A program that runs beside the checks."""

import os
import signal
import subprocess

from parts.deadline import until

STOP_SECONDS = 20


class Program:
    """Can be started again after it was stopped; what it says is in its log."""

    def __init__(self, log, command, environment=None, user=None):
        self.log = log
        self.command = [str(part) for part in command]
        self.environment = environment
        self.user = user
        self.process = None

    def start(self, is_ready):
        """Starts it, and waits until it is ready."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command,
                env=self.environment,
                user=self.user,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        until(f"{self.command[0]} is ready; its log: {self.log}", lambda: self.is_over() or is_ready(), 60)
        if self.is_over():
            raise ChildProcessError(f"{self.command[0]} ended at once:\n{self.said()[-2000:]}")

    def is_over(self):
        return self.process.poll() is not None

    def said(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def stop(self):
        """Tells it to stop, and sees to it that it does."""
        if self.process is None or self.is_over():
            return
        # It is the first of its group, and whatever it started is in there, too.
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
