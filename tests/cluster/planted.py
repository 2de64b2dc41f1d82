"""Breaks each rule of the checker once, in a copy of what was seen, and expects the checker to notice: a check that cannot fail is none."""

import collections
import copy
import dataclasses

from checker import Checker
from history import SUCCEEDED
from witness import Held


class Planted(Checker):
    """A checker that looks at what another one has read, with a fault in it."""

    def __init__(self, checker):
        self.__dict__.update(checker.__dict__)
        self.calls = list(checker.calls)
        self.history, self.testimony = copy.copy(checker.history), copy.copy(checker.testimony)
        self.history.records, self.history.attempts = list(self.history.records), list(self.history.attempts)


def check(cluster):
    """Plants every fault, the last one in the database itself. Returns how many there were."""
    checker = cluster.at_rest(lambda: Checker(cluster))
    for plant, rule in FAULTS:
        planted = Planted(checker)
        plant(planted)
        found = list(getattr(planted, rule)())
        assert found, f"{plant.__name__} was planted, and {rule} has not noticed"
    cluster.at_rest(lambda: lose_a_record(checker))
    return len(FAULTS) + 1


def lose_a_record(checker):
    """Deletes a record, which the audit has to miss."""
    _, record = _steady(checker)
    for row in checker.cluster.query("select name from punctual.history_segment"):
        checker.cluster.query(f"delete from punctual.{row['name']} where number = {record.number}")
    assert list(checker.unexplained()), "a record is gone, and the audit has not noticed"


def _steady(planted):
    """A call of a job that nobody edits, with its record."""
    records = {record.attempt: record for record in planted.history.attempts if record.status == SUCCEEDED}
    counted = collections.Counter(call.attempt for call in planted.calls)
    for call in reversed(planted.calls):
        kind, _, number = call.path.strip("/").partition("/")
        is_steady = kind == "steady" and number.isdigit()
        if is_steady and counted[call.attempt] == 1 and call.attempt in records:
            return call, records[call.attempt]
    raise AssertionError("no call to plant a fault in")


def a_call_without_the_mark(planted):
    call, _ = _steady(planted)
    planted.calls.append(dataclasses.replace(call, at=call.at + 1))


def a_record_that_is_lost(planted):
    _, record = _steady(planted)
    planted.history.attempts.remove(record)


def a_call_that_was_not_made(planted):
    call, _ = _steady(planted)
    planted.calls.remove(call)


def an_attempt_that_was_given_up(planted):
    _, record = _steady(planted)
    planted.history.attempts.append(dataclasses.replace(record, status=1, message="Not sent again: 3 times the server ended."))


def a_duplicate_alone(planted):
    _, record = _steady(planted)
    planted.history.attempts.remove(record)
    planted.history.attempts.append(dataclasses.replace(record, is_duplicate=True))


def a_record_that_is_there_twice(planted):
    _, record = _steady(planted)
    planted.history.attempts.append(dataclasses.replace(record, number=record.number + 1))


def a_time_that_was_run_and_not(planted):
    _, record = _steady(planted)
    not_run = dataclasses.replace(record, status=2, nominal_last=record.nominal, nominal_count=1)
    planted.history.not_run = [*planted.history.not_run, not_run]


def a_record_that_is_not_counted(planted):
    _, record = _steady(planted)
    planted.history.attempts.append(dataclasses.replace(record, occurrence="0" * 32))


def a_tally_too_many(planted):
    planted.history.tally = planted.history.tally + collections.Counter(succeeded=1_000_000)


def an_attempt_after_the_shard_was_given_away(planted):
    _, record = _steady(planted)
    shard = planted.testimony.shard_of_job(record.job)
    held = [dataclasses.replace(it, until=min(it.until, record.started - 0.001)) for it in planted.testimony.held[shard]]
    planted.testimony.held = {**planted.testimony.held, shard: held}


def an_attempt_after_the_lease(planted):
    _, record = _steady(planted)
    leases = {node: [(at, min(until, record.started - 0.001)) for at, until in leases] for node, leases in planted.testimony.leases.items()}
    planted.testimony.leases = collections.defaultdict(list, leases)


def a_call_of_a_node_that_never_had_the_shard(planted):
    call, record = _steady(planted)
    shard = planted.testimony.shard_of_job(record.job)
    other = next(node for node, name in planted.testimony.names.items() if name != planted.testimony.names[record.node])
    planted.testimony.held = {**planted.testimony.held, shard: [Held(other, 0.0, float("inf"))]}


def a_promise_that_nobody_keeps(planted):
    class Client:
        failure, jobs, runs = None, {"steady-0": None}, {"0" * 32: "steady-0"}

    planted._broken_edits = lambda client: iter(())
    planted.cluster = copy.copy(planted.cluster)
    planted.cluster.load = copy.copy(planted.cluster.load)
    planted.cluster.load.clients = [Client]


FAULTS = [
    (a_call_without_the_mark, "sent_twice_without_the_mark"),
    (a_record_that_is_lost, "received_and_not_recorded"),
    (a_record_that_is_lost, "counters_that_differ"),
    (a_call_that_was_not_made, "recorded_and_not_received"),
    (an_attempt_that_was_given_up, "given_up_and_not_sent"),
    (a_duplicate_alone, "duplicates_of_nothing"),
    (a_record_that_is_there_twice, "settled_twice"),
    (a_record_that_is_there_twice, "run_and_recorded_as_not_run"),
    (a_time_that_was_run_and_not, "run_and_recorded_as_not_run"),
    (a_record_that_is_not_counted, "counters_that_differ"),
    (a_tally_too_many, "tallies_that_differ"),
    (an_attempt_after_the_shard_was_given_away, "started_by_another_node"),
    (an_attempt_after_the_lease, "started_by_another_node"),
    (a_call_of_a_node_that_never_had_the_shard, "called_by_another_node"),
    (a_promise_that_nobody_keeps, "promises_broken"),
]
