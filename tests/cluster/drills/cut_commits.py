"""The connection to PostgreSQL is cut at one byte after the other of the exchange of a commit: the node asks what became of it."""

import struct
import time
import urllib.error

from proxy import EXCHANGE, REQUEST, Proxy
from waiting import wait_for

# The statement by which a batch of settlements notes its number, and the one by which a node asks for one.
SETTLES = "insert into landed (opening, node, batch, is_written) values ($1, $2, $3, true)"
ASKS = "insert into landed (opening, node, batch, is_written) values ($1, $2, $3, false)"
# What every edit writes.
EDITS = "insert into change"


def drill(cluster, is_long):
    proxy = Proxy(cluster.network.database, (cluster.network.database, cluster.database.port))
    node = cluster.add_node(cluster.database.url(port=proxy.port))
    cluster.wait_until_balanced()
    every = range(EXCHANGE)
    settled = every if is_long else [*range(0, 12, 2), 11, *range(12, EXCHANGE, 2), 13, 23, 24, 29][:20]
    for byte in settled:
        cut_settlement(cluster, proxy, byte)
    edited = every if is_long else [0, 6, 11, 12, 17, 29]
    for byte in edited:
        cut_edit(cluster, proxy, node, byte)
    cluster.wait_until_balanced()
    took = cluster.wait_until_all_run("after all cuts")
    print(
        f"{len(settled)} settlements and {len(edited)} edits cut in the middle of their commits, of {EXCHANGE} bytes; the node asked "
        f"for each of them, and all jobs ran {took:.1f} s later"
    )
    node.stop()
    cluster.remove_node(node)
    proxy.end()


def cut_settlement(cluster, proxy, byte):
    """Cuts the commit of a batch of settlements. The node asks for just this batch, and hears the truth."""
    cut = proxy.cut_next(SETTLES, byte)
    assert cut.done.wait(30), f"no batch to cut at byte {byte}"
    wait_for(f"the node asks, after a cut at byte {byte}", lambda: (ASKS, cut.values) in _asked(proxy))
    opening, number, batch = (struct.unpack("!q", value)[0] for value in cut.values)
    sql = f"select is_written from punctual.landed where (opening, node, batch) = ({opening}, {number}, {batch})"
    wait_for("the fate of the batch", lambda: cluster.query(sql))
    is_written = cluster.query(sql)[0]["is_written"] == "t"
    assert is_written == (byte >= len(REQUEST)), f"cut at byte {byte}, and the database says {is_written}"


def _asked(proxy):
    return [(ASKS, values) for sql, values in list(proxy.executed) if ASKS in sql]


def cut_edit(cluster, proxy, node, byte):
    """Cuts the commit of an edit. Its client is told that it is not known, asks again, and has its job once."""
    name = f"cut-{byte}-{cluster.load.next_number()}"
    body = {"action": {"request": {"uri": f"{cluster.receiver.url}/steady/x-{name}"}}, "state": "disabled"}
    # The load edits through this node as well: its turn may come first.
    cluster.load.hold()
    cut = proxy.cut_next(EDITS, byte)
    try:
        node.call("PUT", f"/v1/jobs/{name}", body)
        raise AssertionError(f"an edit was acknowledged whose commit was cut at byte {byte}")
    except urllib.error.HTTPError as error:
        assert error.code == 503, f"{error.code} {error.read()}"
    cluster.load.go_on()
    assert cut.done.wait(10)
    is_there = f"select name from punctual.job where name = '{name}'"
    # What PostgreSQL was given is done, though its client may be gone by then.
    if byte >= len(REQUEST):
        wait_for("the edit", lambda: cluster.query(is_there), 10)
    else:
        time.sleep(0.2)
        assert not cluster.query(is_there), f"an edit was done whose commit was cut at byte {byte}"
    node.call("PUT", f"/v1/jobs/{name}", body)
    assert len(cluster.query(is_there)) == 1
