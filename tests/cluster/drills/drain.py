"""A node is drained and stopped with attempts in flight: nothing is sent again."""

from checks import records_of


def drill(cluster, is_long):
    node, other = cluster.nodes[2], cluster.nodes[0]
    slow = cluster.start_slow(node, 8, 2)
    other.run("cluster", "drain", node.name)
    node.stop()
    for path, name in slow.items():
        assert len(cluster.receiver.of(path)) == 1, "an attempt in flight is not sent again"
        records = records_of(cluster, name)
        assert [record["status"] for record in records] == ["0"], records
    node.start()
    cluster.wait_until_balanced()
    print("a node was drained with attempts of 8 s in flight, stopped and started; each attempt was sent once")
