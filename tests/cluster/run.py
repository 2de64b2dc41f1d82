"""The drills, in their order. After each of them the whole history until then is checked."""

import argparse
import random
import time

from cluster import Cluster
from database import Database
from drills import cut_commits, cut_off, database_away, drain, kills, newer_schema, rolling_restart, second_node, stand_still

# On one cluster, one after the other.
DRILLS = {
    "kills": kills,
    "stand-still": stand_still,
    "database-away": database_away,
    "drain": drain,
    "cut-off": cut_off,
    "cut-commits": cut_commits,
    "rolling-restart": rolling_restart,
    "newer-schema": newer_schema,
    "second-node": second_node,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drills", nargs="*", metavar="DRILL", help=f"some of {', '.join(DRILLS)}; all if none is named")
    parser.add_argument("--long", action="store_true", help="every drill at full length")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="that of the requests")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    wanted = [name for name in DRILLS if not arguments.drills or name in arguments.drills]
    cluster = Cluster(Database, arguments.seed)
    try:
        for name in wanted:
            begun = time.monotonic()
            print(f"--- {name}", flush=True)
            DRILLS[name].drill(cluster, arguments.long)
            cluster.check()
            print(f"  {time.monotonic() - begun:.0f} s", flush=True)
    except BaseException:
        cluster.tell()
        raise
    finally:
        cluster.end()
