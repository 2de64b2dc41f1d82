"""Who held which shard until when.

The tables of the store say who owns a shard now, and when every lease ends; not who did, and when it did. In a database of our own
triggers write that down, in the transactions in which it changes. A node that obeys the rules starts an attempt after it was given
the shard and before it gives it away, by the clock of this machine, which all share.
"""

import bisect
import collections
import dataclasses

TRIGGERS = """
create schema witness;
create table witness.owner (shard smallint, node bigint, at double precision);
create table witness.lease (node bigint, name text, at double precision, until double precision);
create table witness.job (id bigint primary key, name text, uid bytea);
create function witness.see_owner() returns trigger language plpgsql as $$ begin
    insert into witness.owner values (new.shard, new.node, extract(epoch from clock_timestamp()));
    return null;
end $$;
create function witness.see_lease() returns trigger language plpgsql as $$ begin
    insert into witness.lease
        values (new.id, new.name, extract(epoch from clock_timestamp()), extract(epoch from new.lease_until));
    return null;
end $$;
create function witness.see_job() returns trigger language plpgsql as $$ begin
    insert into witness.job values (new.id, new.name, new.uid) on conflict do nothing;
    return null;
end $$;
insert into witness.owner select shard, node, extract(epoch from clock_timestamp()) from punctual.shard_owner;
insert into witness.lease select id, name, extract(epoch from heartbeat), extract(epoch from lease_until) from punctual.node;
insert into witness.job select id, name, uid from punctual.job;
create trigger witness after update of node on punctual.shard_owner for each row execute function witness.see_owner();
create trigger witness after insert or update of lease_until on punctual.node for each row execute function witness.see_lease();
create trigger witness after insert on punctual.job for each row execute function witness.see_job();
"""


@dataclasses.dataclass(frozen=True)
class Held:
    """A time in which a node held a shard. The end is infinite if it still does."""

    node: int
    since: float
    until: float


def shard_of(uid):
    """The shard of a job, from its uid: computed here once more, so that both have to agree."""
    value = 0x811C9DC5
    for byte in uid:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return (value ^ value >> 8 ^ value >> 16 ^ value >> 24) & 0xFF


class Testimony:
    """What the triggers have written down until now."""

    def __init__(self, query):
        self.names, self.leases = {}, collections.defaultdict(list)
        for row in query("select * from witness.lease order by at"):
            if row["until"]:
                self.names[int(row["node"])] = row["name"]
                self.leases[int(row["node"])].append((float(row["at"]), float(row["until"])))
        changes = collections.defaultdict(list)
        for row in query("select * from witness.owner order by at"):
            changes[int(row["shard"])].append((float(row["at"]), int(row["node"]) if row["node"] else None))
        self.held = {shard: list(_intervals(entries)) for shard, entries in changes.items()}
        jobs = query("select id, name, encode(uid, 'hex') as uid from witness.job")
        self.jobs = {int(row["id"]): (row["name"], bytes.fromhex(row["uid"])) for row in jobs}

    def shard_of_job(self, job):
        return shard_of(self.jobs[job][1])

    def why_not(self, name, shard, at, slack=0.0):
        """Why the node of that name must not have started something of a shard at that instant; none if it was allowed to.

        The slack is what may lie between a decision and what was seen of it.
        """
        times = [held for held in self.held[shard] if self.names.get(held.node) == name]
        times = [held for held in times if held.since <= at and at - slack <= held.until]
        if not times:
            owners = [(self.names.get(held.node), held.since, held.until) for held in self.held[shard]]
            return f"{name} did not hold shard {shard} at {at:.4f}; it was held by {owners[-6:]}"
        if not any(at - slack <= self._lease_end(held.node, at) for held in times):
            ends = [self._lease_end(held.node, at) for held in times]
            return f"the lease of {name} was over at {ends}, before {at:.4f}"
        return None

    def _lease_end(self, node, at):
        """Until when the last heartbeat before an instant has lasted."""
        leases = self.leases[node]
        place = bisect.bisect_right(leases, (at, float("inf")))
        return leases[place - 1][1] if place else float("-inf")


def _intervals(changes):
    for (since, node), (until, _) in zip(changes, [*changes[1:], (float("inf"), None)]):
        if node is not None:
            yield Held(node, since, until)
