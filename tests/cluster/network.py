"""Nodes on machines of their own, as far as the network can tell: a namespace for each, with an address by which targets know it.

A node has two cables: one to clients and targets, one to the database. Who pulls out the second one leaves a node that still calls
its targets. Needs root.
"""

import os
import subprocess


def ip(*arguments):
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"


class Network:
    def __init__(self):
        # Names of interfaces have at most 15 characters, and several of these may run at once.
        self.name = f"pu{os.getpid() % 100_000}"
        self.net = f"10.{64 + os.getpid() // 256 % 64}.{os.getpid() % 256}"
        self.namespaces, self.bridges = {}, {}
        for bridge, number in (("targets", 1), ("database", 129)):
            name = f"{self.name}{bridge[0]}"
            ip("link", "add", name, "type", "bridge")
            self.bridges[bridge] = name
            ip("address", "add", f"{self.net}.{number}/25", "dev", name)
            ip("link", "set", name, "up")

    @property
    def targets(self):
        """The address of targets, and of those who call the nodes."""
        return f"{self.net}.1"

    @property
    def database(self):
        """The address of the database."""
        return f"{self.net}.129"

    def add(self, number):
        """A place for a node: the name of its namespace, and its address."""
        namespace, address = f"{self.name}n{number}", f"{self.net}.{number + 10}"
        ip("netns", "add", namespace)
        self.namespaces[number] = namespace
        ip("-n", namespace, "link", "set", "lo", "up")
        for bridge, at in (("targets", address), ("database", f"{self.net}.{number + 138}")):
            outside, inside = self._cable(number, bridge), f"{bridge}0"
            ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", namespace)
            ip("link", "set", outside, "master", self.bridges[bridge], "up")
            ip("-n", namespace, "address", "add", f"{at}/25", "dev", inside)
            ip("-n", namespace, "link", "set", inside, "up")
        return namespace, address

    def cut_from_database(self, number):
        """From now on nothing arrives, and nobody is told: neither end sees that the cable is loose."""
        ip("link", "set", self._cable(number, "database"), "nomaster")

    def join_to_database(self, number):
        ip("link", "set", self._cable(number, "database"), "master", self.bridges["database"])

    def _cable(self, number, bridge):
        return f"{self.name}{bridge[0]}{number}"

    def end(self):
        for namespace in self.namespaces.values():
            ip("netns", "delete", namespace)
        for bridge in self.bridges.values():
            ip("link", "delete", bridge)
