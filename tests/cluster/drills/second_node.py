"""The block of the README about a second node, run as it is written, on a database of its own.

The rules are those of the README's other blocks: `$ command`, then what it prints, in which `…` stands for what differs each time. A
command that ends in `&` goes on until the end. Ports and the database are exchanged for some that are free here.
"""

import os
import re
import subprocess
import tempfile

from node import BINARY, clean_environment
from waiting import free_port, wait_for

BLOCK = re.compile(r"^```console postgres\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def drill(cluster, is_long):
    with open("README.md") as readme:
        blocks = BLOCK.findall(readme.read())
    steps = [step.partition("\n") for block in blocks for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert steps, "the README has no block `console postgres`"
    cluster.query("create database readme")
    written = {
        "postgres://punctual@db.example/punctual": cluster.database.url("readme", "127.0.0.1"),
        "7878": str(free_port()),
        "7879": str(free_port()),
        "cargo run --release --": BINARY,
    }
    servers = []
    with tempfile.TemporaryDirectory() as directory:
        try:
            for command, _, expected in steps:
                do(command, expected, written, directory, servers)
        finally:
            for server in servers:
                server.kill()
                server.wait()
    print(f"{len(steps)} commands of the README about a second node do what it says")


def do(command, expected, written, directory, servers):
    real = command
    for old, new in written.items():
        real = real.replace(old, new)
    if real.endswith(" &"):
        log = open(os.path.join(directory, f"{len(servers)}.log"), "w")
        command = ["bash", "-c", f"exec env {real.removesuffix(' &')}"]
        servers.append(subprocess.Popen(command, cwd=directory, env=clean_environment(), stderr=log))
        wait_for("the server listens", lambda: " listens on " in open(log.name).read(), 30)
        return
    # The commands of the README speak to the default port.
    environment = {**clean_environment(), "PUNCTUAL_URL": f"http://127.0.0.1:{written['7878']}"}
    printed = []

    def is_as_written():
        done = subprocess.run(["bash", "-c", real], cwd=directory, env=environment, capture_output=True, text=True)
        text = done.stdout + done.stderr
        for old, new in written.items():
            text = text.replace(new, old)
        printed.append(text)
        return is_alike(text.strip(), expected.strip())

    try:
        wait_for(command, is_as_written, 20)
    except AssertionError as error:
        raise AssertionError(f"$ {command}\n--- README\n{expected}\n--- printed\n{printed[-1]}") from error


def is_alike(printed, expected):
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("…")), printed) is not None
