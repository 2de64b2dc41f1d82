"""A node stands still past its lease with attempts in flight: others make them again, and its own are recorded as duplicates."""

import signal
import time

from checks import duplicates_of, marked_after_the_first
from waiting import wait_for


def drill(cluster, is_long):
    node = cluster.nodes[1]
    slow = cluster.start_slow(node, 3, 2)
    since, begun = time.time(), time.monotonic()
    node.send(signal.SIGSTOP)
    took = cluster.wait_until_all_run("while a node stands still")
    wait_for("others send what was in flight", lambda: all(len(cluster.receiver.of(path)) == 2 for path in slow))
    wait_for("others settle it", lambda: all(is_settled(cluster, name) for name in slow.values()))
    node.send(signal.SIGCONT)
    cluster.stand_stills.append((node.name, since, time.time()))
    cluster.wait_until_balanced()
    wait_for("duplicates", lambda: all(duplicates_of(cluster, name) == 1 for name in slow.values()))
    for path in slow:
        marked_after_the_first(cluster, path)
    away = time.monotonic() - begun
    print(f"a node stood still for {away:.1f} s with 2 attempts in flight, which are recorded as duplicates; all jobs ran within {took:.1f} s")


def is_settled(cluster, name):
    return cluster.nodes[0].call("GET", f"/v1/jobs/{name}")["status"]["executionCount"] == 1
