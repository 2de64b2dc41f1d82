"""Nodes are killed, one after the other."""

import signal


def drill(cluster, is_long):
    kills, slowest = 50 if is_long else 10, 0.0
    for round in range(kills):
        victim = cluster.nodes[round % 3]
        victim.send(signal.SIGKILL)
        victim.process.wait()
        slowest = max(slowest, cluster.wait_until_all_run("after a kill"))
        victim.start()
        cluster.wait_until_balanced()
    print(f"{kills} nodes killed; the last job ran at most {slowest:.1f} s later (lease {cluster.lease_seconds} s)")
