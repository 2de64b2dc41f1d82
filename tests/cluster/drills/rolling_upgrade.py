"""Nodes of the version before the last step of the schema are replaced by nodes of this one, one by one, under load."""

from node import BINARY


def drill(cluster, is_long):
    before = version(cluster)
    for place, node in enumerate(cluster.nodes):
        node.stop()
        node.binary = BINARY
        node.start()
        cluster.wait_until_balanced()
        took = cluster.wait_until_all_run(f"with {place + 1} of {len(cluster.nodes)} nodes replaced")
        print(f"  {node.name} replaced: schema {version(cluster)}, all jobs ran within {took:.1f} s")
        if place == 0:
            # From here on the schema is newer than two of the nodes, which have to be able to start again.
            old = cluster.nodes[1]
            old.kill()
            cluster.wait_until_all_run("after a node of the version before was killed beside a new one")
            old.start()
            cluster.wait_until_balanced()
    after = version(cluster)
    assert after == before + 1, f"the version before has schema {before}, and this one {after}"
    print(f"all nodes were replaced by those of a version with schema {after}, which was {before}; old and new ran side by side")


def version(cluster):
    return int(cluster.query("select version from punctual.schema_state")[0]["version"])
