"""The primary of a pair of PostgreSQL servers is killed under load. Needs Patroni, etcd and haproxy.

Synchronous: nothing that was acknowledged is lost. Asynchronous: what the other server had not received is lost; what is sent again
because of that has the mark.
"""

import os
import signal
import time

from waiting import wait_for

# The other server receives nothing for so long before the primary is killed.
LAG_SECONDS = 3


def synchronous(cluster, is_long):
    fail_over(cluster, is_synchronous=True)
    fail_over(cluster, is_synchronous=True)


def asynchronous(cluster, is_long):
    # These run everything again whose record was lost.
    for job in range(5):
        options = {"catchUp": "all"}
        cluster.put(f"again-{job}", f"/steady/x-again-{job}", recurrence={"cron": "* * * * * *"}, options=options)
    wait_for("they run", lambda: all(cluster.receiver.of(f"/steady/x-again-{job}") for job in range(5)))
    fail_over(cluster, is_synchronous=False)


def fail_over(cluster, is_synchronous):
    pair = cluster.database
    primary = pair.primary()
    other = next(member for member in pair.members if member is not primary)
    if not is_synchronous:
        (receiver,) = other.processes("walreceiver")
        os.kill(receiver, signal.SIGSTOP)
        time.sleep(LAG_SECONDS)
    before = len(cluster.receiver.calls)
    primary.kill()
    killed = time.time()
    if not is_synchronous:
        os.kill(receiver, signal.SIGKILL)
    promoted = wait_for("the other server is the primary", lambda: pair.primary() is other, 90)
    wait_for("all jobs run", lambda: all_run_since(cluster, killed + promoted), 90)
    times = [call.at for call in cluster.receiver.calls[before:]]
    gap, after = max((later - earlier, later) for earlier, later in zip([killed, *times], times))
    primary.start()
    cluster.wait_until_balanced(90)
    wait_for("the pair is whole again", lambda: pair.is_whole(is_synchronous), 90)
    kind = "synchronous" if is_synchronous else f"asynchronous, {LAG_SECONDS} s behind"
    print(
        f"primary killed ({kind}): the other server is primary {promoted:.1f} s later, the next job ran {after - killed:.1f} s after the kill, "
        f"after {gap:.1f} s without one"
    )


def all_run_since(cluster, at):
    place = next((place for place, call in enumerate(cluster.receiver.calls) if call.at > at), None)
    return place is not None and cluster.all_run(place)
