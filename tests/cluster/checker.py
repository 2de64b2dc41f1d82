"""Checks a whole run: what targets have received, what history says of it, who was allowed to do it, and what clients were promised.

Each rule is a function that yields what breaks it.
"""

import collections
import json

from history import DISABLED, FAILED, SUCCEEDED, TEST, TICKS, History
from witness import Testimony

# An attempt that was sent so often, and was settled never, is given up.
SENDS_MAX = 3
# What may lie between the decision to make a call and the call itself, on a busy machine.
CALL_SLACK_SECONDS = 2.0
# A node notes when it starts something at the beginning of its turn.
TURN_SLACK_SECONDS = 0.0


class Checker:
    def __init__(self, cluster, has_lost=False):
        """A database that has lost transactions has also lost what was promised, recorded and witnessed in them."""
        self.cluster, self.has_lost = cluster, has_lost
        self.calls = list(cluster.receiver.calls)
        self.history, self.testimony = History(cluster.query), Testimony(cluster.query)
        # Occurrences that were not run to their end because their job was disabled.
        self.stopped = {record.occurrence for record in self.history.not_run if record.reason == DISABLED}
        self.names = {name: job for job, (name, _) in self.testimony.jobs.items()}
        self.pauses = getattr(cluster, "stand_stills", [])

    def check(self):
        rules = [
            self.sent_twice_without_the_mark,
            self.recorded_and_not_received,
            self.given_up_and_not_sent,
            self.settled_twice,
            self.run_and_recorded_as_not_run,
            self.counters_that_differ,
            self.tallies_that_differ,
            self.unexplained,
        ]
        if not self.has_lost:
            rules += [self.received_and_not_recorded, self.duplicates_of_nothing, self.promises_broken]
            rules += [self.started_by_another_node, self.called_by_another_node]
        told = [line for rule in rules for line in self._new(rule)]
        attempts = collections.Counter(call.attempt for call in self.calls)
        again = sum(number - 1 for number in attempts.values())
        duplicates = sum(record.is_duplicate for record in self.history.records)
        load = self.cluster.load
        print(
            f"  checked: {len(self.calls)} calls, {again} of them again, {len(self.history.attempts)} attempts recorded, "
            f"{duplicates} as duplicates, {len(self.history.jobs)} jobs, {load.done} requests done and {load.refused} refused",
            flush=True,
        )
        assert not told, "\n".join(told)

    def _new(self, rule):
        """What breaks a rule and was not told by an earlier check of the same run, in a few lines."""
        broken = [str(it) for it in rule()]
        broken = [it for it in broken if it not in self.cluster.told]
        self.cluster.told.update(broken)
        if broken:
            yield f"{rule.__name__.replace('_', ' ')}: {len(broken)}, such as"
            yield from broken[:5]

    # --- Targets ---

    def sent_twice_without_the_mark(self):
        attempts = collections.defaultdict(list)
        for call in self.calls:
            attempts[call.attempt].append(call)
        for calls in attempts.values():
            if sum(not call.is_resent for call in calls) > 1:
                yield calls
            if len({call.occurrence for call in calls}) > 1:
                yield calls

    def received_and_not_recorded(self):
        """Every attempt that was received has a record, or is open, or its job was deleted."""
        recorded = {record.attempt for record in self.history.attempts}
        living = {record["name"] for record in self.history.jobs.values()}
        for call in self.calls:
            name = _job_of(call)
            if call.attempt not in recorded and call.occurrence not in self.history.open and name in living:
                yield call

    def recorded_and_not_received(self):
        """Every answer that was recorded was given; two records of an attempt are two calls."""
        calls = collections.Counter(call.attempt for call in self.calls)
        records = collections.Counter(record.attempt for record in self.history.attempts if _has_answer(record))
        for record in self.history.attempts:
            if _has_answer(record) and calls[record.attempt] < records[record.attempt]:
                yield record

    def duplicates_of_nothing(self):
        """A duplicate of an attempt has another record of it, which is none. What runs beside the schedule of a job that is deleted
        meanwhile is recorded as one all the same: its row is gone, and nobody knows why."""
        settled = {record.attempt for record in self.history.attempts if not record.is_duplicate}
        for record in self.history.attempts:
            is_gone = record.job not in self.history.jobs
            if record.is_duplicate and record.attempt not in settled and record.occurrence not in self.history.open and not is_gone:
                yield record

    def given_up_and_not_sent(self):
        """Who gives an attempt up because it was sent so often has sent it so often, or so many owners of its shard were replaced
        since it was due: one that died may have been about to send it."""
        calls = collections.Counter(call.attempt for call in self.calls)
        for record in self.history.attempts:
            is_given_up = record.status == FAILED and not record.was_sent
            if is_given_up and max(calls[record.attempt], self._owners_replaced(record)) < SENDS_MAX:
                yield f"received {calls[record.attempt]} times", record

    def _owners_replaced(self, record):
        """How often the shard of a job has got another owner between the nominal time of a record and its start."""
        held = self.testimony.held[self.testimony.shard_of_job(record.job)]
        return sum(record.nominal / TICKS <= it.since <= record.started for it in held)

    # --- Occurrences ---

    def settled_twice(self):
        """Each attempt is settled once, one after the other, and nothing comes after the last one."""
        occurrences = collections.defaultdict(list)
        for record in self.history.attempts:
            if not record.is_duplicate:
                occurrences[record.occurrence].append(record)
        for occurrence, records in occurrences.items():
            records.sort(key=lambda record: record.retry)
            if [record.retry for record in records] != list(range(len(records))):
                yield records
            if any(not record.is_retried for record in records[:-1]):
                yield records
            job = self.history.jobs.get(records[-1].job)
            is_left_open = records[-1].is_retried and occurrence not in self.history.open
            # An edit ends what waits for a retry.
            if is_left_open and job and int(job["revision"]) == records[-1].revision:
                yield records

    def run_and_recorded_as_not_run(self):
        """No nominal time is in two records, neither as one that was run nor as one that was not. If a job is disabled whose attempt
        fails, or waits for a retry, then that retry is recorded as not run."""
        by_job = collections.defaultdict(list)
        for record in self.history.not_run:
            by_job[record.job].append((record.nominal, record.nominal_last, record))
        for record in self.history.attempts:
            if record.is_of_schedule and not record.is_duplicate and not record.is_retried:
                by_job[record.job].append((record.nominal, record.nominal, record))
        for times in by_job.values():
            times.sort(key=lambda entry: entry[:2])
            for (_, last, one), (first, _, other) in zip(times, times[1:]):
                is_stopped = one.occurrence == other.occurrence and one.occurrence in self.stopped
                if first <= last and not (is_stopped and FAILED in (one.status, other.status)):
                    yield one, other

    # --- Counts ---

    def counters_that_differ(self):
        counted = collections.defaultdict(collections.Counter)
        last_started = collections.Counter()
        for record in self.history.attempts:
            if record.phase == 0 and not record.is_duplicate and record.origin != TEST:
                failed = record.status == FAILED
                is_last = failed and not record.is_retried and record.occurrence not in self.stopped
                counted[record.job].update(executions=1, failures=failed, faulted=is_last)
                last_started[record.job] = max(last_started[record.job], record.started)
        for id, job in self.history.jobs.items():
            shown = {name: int(job[name]) for name in ("executions", "failures", "faulted")}
            if shown != {name: counted[id][name] for name in shown}:
                yield job["name"], shown, dict(counted[id])
            last = int(job["last_started"] or 0) / TICKS
            if last != last_started[id]:
                yield job["name"], "last started", last, last_started[id]

    def tallies_that_differ(self):
        """The counts by minute are those of history. What ended after its job was deleted is recorded and not counted."""
        least, most = collections.Counter(), collections.Counter()
        for record in self.history.records:
            if record.phase == 0 and not record.is_duplicate and record.origin in (0, 1, 4, 5):
                added = _tally(record)
                most.update(added)
                if record.job in self.history.jobs:
                    least.update(added)
        for name, number in self.history.tally.items():
            if not least[name] <= number <= most[name]:
                yield name, number, least[name], most[name]

    # --- Nodes ---

    def started_by_another_node(self):
        """Who has recorded an attempt is the process that has started it, whatever number it had by then: its name tells."""
        for record in self.history.attempts:
            if record.job not in self.testimony.jobs or not record.was_sent:
                continue
            name = self.testimony.names.get(record.node)
            shard = self.testimony.shard_of_job(record.job)
            why = self.testimony.why_not(name, shard, record.started, TURN_SLACK_SECONDS)
            if why:
                yield why, record

    def called_by_another_node(self):
        """The same by what was received: the address that a call came from is that of its node."""
        names = {node.address: node.name for node in [*self.cluster.nodes, *self.cluster.gone]}
        begun = min((lease[0][0] for lease in self.testimony.leases.values()), default=0)
        for call in self.calls:
            job = self.names.get(_job_of(call))
            if job is None or call.at < begun:
                continue
            name = names[call.source]
            slack = CALL_SLACK_SECONDS + self._stood_still(name, call.at)
            why = self.testimony.why_not(name, self.testimony.shard_of_job(job), call.at, slack)
            if why:
                yield why, call

    def _stood_still(self, name, at):
        """For how long a node stood still shortly before: between a decision and its call it may have been suspended."""
        recent = [until - since for node, since, until in self.pauses if node == name and until <= at <= until + 5]
        return max(recent, default=0.0)

    # --- Clients ---

    def promises_broken(self):
        for client in self.cluster.load.clients:
            if client.failure:
                yield client.failure
            yield from self._broken_edits(client)
            yield from self._broken_runs(client)

    def _broken_edits(self, client):
        """Edits that were acknowledged and are not in force, although no later one was asked for."""
        node, there = self.cluster.running()[0], {job["name"] for job in self.history.jobs.values()}
        for name, promise in client.jobs.items():
            if promise.acknowledged and name not in there:
                yield f"{name} was acknowledged and is not there"
            elif promise.acknowledged:
                uri = node.call("GET", f"/v1/jobs/{name}")["action"]["request"]["uri"]
                version = promise.paths[uri.removeprefix(self.cluster.receiver.url)]
                if version < promise.acknowledged:
                    yield f"{name} is version {version}, and {promise.acknowledged} was acknowledged"

    def _broken_runs(self, client):
        """Manual runs that were acknowledged and are neither recorded nor open."""
        known = {record.occurrence for record in self.history.records} | self.history.open
        for occurrence, name in client.runs.items():
            if name in client.jobs and occurrence not in known:
                yield f"run {occurrence} of {name} was acknowledged and is not there"

    def unexplained(self):
        """Nominal times that the audit does not find. Jobs that were deleted are left out: of occurrences in rows of their own that were
        open then, nothing is recorded."""
        report = json.loads(self.cluster.running()[0].run("audit", "--output", "json", statuses=(0, 1)))
        for gap in report["ranges"]:
            name, _ = self.testimony.jobs.get(gap["job"], ("?", None))
            if gap["job"] in self.history.jobs:
                yield f"{gap['number']} times of {name} from {gap['first']} to {gap['last']}"


def _has_answer(record):
    return record.was_sent and record.message.startswith("Http Action - Response from host")


def _tally(record):
    if record.status == SUCCEEDED:
        return {"succeeded": 1}
    if record.status == FAILED:
        return {"failed" if record.is_retried else "given_up": 1}
    return {"not_run": record.nominal_count}


def _job_of(call):
    """The name of the job that a path belongs to."""
    kind, *rest = call.path.strip("/").split("/")
    if kind == "slow":
        rest = rest[1:]
    return rest[0].removeprefix("x-") if kind != "steady" or rest[0].startswith("x-") else f"steady-{rest[0]}"
