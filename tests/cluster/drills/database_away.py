"""PostgreSQL is stopped at once, stays away for two leases, and is started again."""

import time
import urllib.error


def drill(cluster, is_long):
    for _ in range(5 if is_long else 1):
        cluster.database.stop()
        try:
            cluster.nodes[0].call("GET", "/v1/jobs/steady-0")
            raise AssertionError("an answer without a database")
        except urllib.error.HTTPError as error:
            assert error.code == 503 and error.headers["retry-after"], error
        time.sleep(2 * cluster.lease_seconds)
        cluster.database.start()
        took = cluster.wait_until_all_run("after PostgreSQL is back")
        cluster.wait_until_balanced()
        print(f"PostgreSQL was away for {2 * cluster.lease_seconds} s; all jobs ran {took:.1f} s after it was back")
