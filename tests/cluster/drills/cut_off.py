"""A node loses its network to PostgreSQL, and still reaches its targets: it starts nothing after its lease, and its shards are taken."""

import time
import urllib.error

from checks import duplicates_of, marked_after_the_first
from waiting import wait_for


def drill(cluster, is_long):
    for node in cluster.nodes[:3] if is_long else cluster.nodes[:1]:
        cut_off(cluster, node)


def cut_off(cluster, node):
    lease, others = cluster.lease_seconds, [other for other in cluster.running() if other is not node]
    slow = cluster.start_slow(node, 2 * lease, 2)
    cluster.network.cut_from_database(node.number)
    since = time.time()
    wait_for("others send what was in flight", lambda: all(len(cluster.receiver.of(path)) == 2 for path in slow))
    took = time.time() - since
    last = max(call.at for call in list(cluster.receiver.calls) if call.source == node.address)
    cluster.wait_until_all_run("while a node is cut off")
    try:
        node.call("GET", "/v1/jobs/steady-0")
        raise AssertionError("an answer without a database")
    except urllib.error.HTTPError as error:
        assert error.code == 503, error
    # The node's own attempts end while it is cut off: their answers arrive, and cannot be written.
    wait_for("attempts end", lambda: time.time() > since + 2.2 * lease)
    late = [call for call in list(cluster.receiver.calls) if call.source == node.address and call.at > since + lease + 0.5]
    assert not late, f"{node.name} was cut off at {since}, and has started {late}"
    assert last < since + lease + 0.5, f"the last call came {last - since:.1f} s after the cut"
    cluster.network.join_to_database(node.number)
    back = cluster.wait_until_balanced()
    wait_for("duplicates", lambda: all(duplicates_of(cluster, name) == 1 for name in slow.values()))
    for path in slow:
        marked_after_the_first(cluster, path)
    print(
        f"a node was cut off from PostgreSQL: its last call came {last - since:.1f} s later, others sent what it had in flight "
        f"after {took:.1f} s, each of these attempts is recorded once and once as a duplicate; back {back:.1f} s after the network"
    )
    assert len(others) == 2
