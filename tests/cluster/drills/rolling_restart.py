"""Attempts that take a minute survive that nodes join and leave, and that all other nodes are restarted: each is sent once."""

import time

from checks import records_of
from waiting import wait_for


def drill(cluster, is_long):
    seconds = 600 if is_long else 60
    holder, others = cluster.nodes[0], cluster.nodes[1:3]
    begun = time.monotonic()
    slow = cluster.start_slow(holder, seconds, 4)
    joined = cluster.add_node()
    cluster.wait_until_balanced()
    for node in others:
        # Not drained before: that would wait for the slow attempts of the holder as well, because claims are not told apart.
        node.stop()
        node.start()
        cluster.wait_until_balanced()
    # The holder itself gives all its shards away and takes some again, with the attempts in flight.
    others[0].run("cluster", "drain", "--no-wait", holder.name)
    wait_for("the holder has no shards", lambda: holder.name not in cluster.owners(slow.values()).values())
    others[0].run("cluster", "undrain", holder.name)
    cluster.wait_until_balanced()
    took = time.monotonic() - begun
    assert took < seconds, f"all of this took {took:.0f} s, longer than the attempts"
    joined.stop()
    cluster.remove_node(joined)
    cluster.wait_until_balanced()
    wait_for("the slow attempts end", lambda: all(records_of(cluster, name) for name in slow.values()), seconds + 30)
    for path, name in slow.items():
        assert len(cluster.receiver.of(path)) == 1, cluster.receiver.of(path)
        records = records_of(cluster, name)
        assert [(record["status"], record["is_resent"], record["is_duplicate"]) for record in records] == [("0", "f", "f")], records
    print(f"{len(slow)} attempts of {seconds} s were sent once, while a node joined, two were restarted, and all their shards moved, in {took:.0f} s")
