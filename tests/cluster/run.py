"""The drills, in their order. After each of them the whole history until then is checked."""

import argparse
import functools
import os
import random
import signal
import sys
import time

import planted
from cluster import Cluster
from database import Database
from drills import (
    cut_commits,
    cut_off,
    database_away,
    drain,
    failover,
    kills,
    newer_schema,
    pooler,
    rolling_restart,
    rolling_upgrade,
    second_node,
    stand_still,
)
from node import BINARY
from patroni import Pair

# On one cluster, one after the other.
DRILLS = {
    "second-node": second_node.drill,
    "kills": kills.drill,
    "stand-still": stand_still.drill,
    "database-away": database_away.drill,
    "drain": drain.drill,
    "cut-off": cut_off.drill,
    "cut-commits": cut_commits.drill,
    "rolling-restart": rolling_restart.drill,
    "newer-schema": newer_schema.drill,
}
# As well, with --long: it needs PgBouncer.
LONG_DRILLS = {"pooler": pooler.drill}
# Each on a pair of databases of its own, if it is asked for or everything is.
FAILOVERS = {
    "failover-synchronous": (failover.synchronous, True),
    "failover-asynchronous": (failover.asynchronous, False),
}
# On nodes of the version before the last step of the schema: the binary that this variable of the environment names.
UPGRADE, PREVIOUS = "rolling-upgrade", "PUNCTUAL_PREVIOUS_BINARY"
ALL = [*DRILLS, *LONG_DRILLS, *FAILOVERS, UPGRADE]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    names = ", ".join(ALL)
    parser.add_argument("drills", nargs="*", metavar="DRILL", help=f"some of {names}; all if none is named; those that need more than PostgreSQL only with --long")
    parser.add_argument("--long", action="store_true", help="every drill at full length")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="that of the requests")
    arguments = parser.parse_args()
    # Who is told to end cleans up as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    unknown = set(arguments.drills) - set(ALL)
    if unknown:
        parser.error(f"there is no drill {', '.join(sorted(unknown))}; there are {names}")
    print(f"seed {arguments.seed}", flush=True)
    wanted = arguments.drills or (ALL if arguments.long else list(DRILLS))
    if UPGRADE in wanted and PREVIOUS not in os.environ:
        parser.error(f"{UPGRADE} needs the binary of the version before, in {PREVIOUS}")
    together = {name: drill for name, drill in {**DRILLS, **LONG_DRILLS}.items() if name in wanted}
    failed = run(together, Database, arguments) if together else []
    for name, (drill, is_synchronous) in FAILOVERS.items():
        if name in wanted:
            failed += run({name: drill}, functools.partial(Pair, is_synchronous=is_synchronous), arguments)
    if UPGRADE in wanted:
        failed += run({UPGRADE: rolling_upgrade.drill}, Database, arguments, os.path.abspath(os.environ[PREVIOUS]))
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}; the seed was {arguments.seed}")


def run(drills, make_database, arguments, binary=BINARY):
    """Runs drills on one cluster, and checks the whole history after each. Returns those whose check has failed; a drill that itself
    fails ends all, because nobody knows what state it has left."""
    cluster, failed = Cluster(make_database, arguments.seed, binary=binary), []
    try:
        for name, drill in drills.items():
            begun = time.monotonic()
            print(f"--- {name}", flush=True)
            drill(cluster, arguments.long)
            try:
                cluster.check(has_lost=name == "failover-asynchronous")
            except AssertionError as error:
                print(f"FAILED {error}", flush=True)
                failed.append(name)
            print(f"  {time.monotonic() - begun:.0f} s", flush=True)
        number = planted.check(cluster)
        print(f"--- {number} faults that were planted in what was seen are noticed", flush=True)
    except BaseException:
        cluster.tell()
        raise
    finally:
        if failed:
            cluster.tell()
        cluster.end()
    return failed
