"""The README's job to a queue: its blocks `console azurite`, run as they are written.

The rules are those of the README's other blocks: `$ command`, then what it prints, in which `…` stands for what differs each
time. A command that ends in `&` goes on until the end.
"""

import os
import pathlib
import re
import subprocess

from parts.deadline import until
from parts.ports import free_port, is_open
from parts.program import Program
from parts.punctual import BINARY

README = pathlib.Path(__file__).parents[3] / "README.md"
FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```console azurite\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def checks(stage):
    text = README.read_text()
    for name, content in FILE.findall(text):
        (stage.directory / name).write_text(content)
    commands = [command for block in BLOCK.findall(text) for command in steps(block)]
    if not commands:
        raise AssertionError("the README has no block `console azurite`")
    shell = Shell(stage)
    for command, expected in commands:
        yield command, lambda command=command, expected=expected: shell.do(command, expected)


def steps(block):
    """Each command, over all of its lines, with what it prints."""
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, expected = [], step.splitlines()
        while expected and (not command or command[-1].endswith("\\") or _is_open("\n".join(command))):
            command.append(expected.pop(0))
        yield "\n".join(command), "\n".join(expected)


def _is_open(command):
    """Whether a text in quotes goes on in the next line."""
    return subprocess.run(["bash", "-n", "-c", command], capture_output=True).returncode != 0


class Shell:
    """Runs commands in a directory of its own, on ports that are free."""

    def __init__(self, stage):
        self.stage = stage
        self.ports = {"10001": str(free_port()), "7878": str(free_port())}

    def do(self, command, expected):
        command = command.replace("cargo run --release --", BINARY).replace("npx ", "")
        for written, real in self.ports.items():
            command = command.replace(written, real)
        if command.endswith(" &"):
            return self.begin(command.removesuffix(" &"))
        printed = []

        def look():
            done = subprocess.run(["bash", "-c", command], cwd=self.stage.directory, capture_output=True, text=True)
            printed.append(done.stdout + done.stderr)
            return is_alike(printed[-1].strip(), expected.strip())

        try:
            until(command, look, 20)
        except TimeoutError as error:
            raise AssertionError(f"\n     got {printed[-1]}\nexpected {expected}") from error

    def begin(self, command):
        serves = "serve" in command
        port = self.ports["7878" if serves else "10001"]
        environment = {**os.environ, "PUNCTUAL_SERVER__LISTEN": f"127.0.0.1:{self.ports['7878']}"}
        directory = self.stage.directory
        program = Program(
            directory / f"{port}.log", ["bash", "-c", f"cd {directory} && exec env {command}"], environment
        )
        self.stage.stack.callback(program.stop)
        program.start(lambda: is_open(int(port)))


def is_alike(printed, expected):
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("…")), printed) is not None
