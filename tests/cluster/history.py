"""What the store has recorded: attempts, times that were not run, rows that are open, and the counters of jobs."""

import collections
import dataclasses
import hashlib

SUCCEEDED, FAILED, NOT_RUN = 0, 1, 2
DISABLED = 2
SCHEDULE, MANUAL, BACKFILL, TEST = 0, 1, 2, 3
TICKS = 10_000_000


@dataclasses.dataclass(frozen=True)
class Record:
    """An attempt, or a range of nominal times that were not run."""

    number: int
    job: int
    started: float
    minute: int
    occurrence: str
    origin: int
    phase: int
    retry: int
    status: int
    nominal: int
    nominal_last: int
    nominal_count: int
    reason: int
    is_resent: bool
    is_retried: bool
    is_duplicate: bool
    node: int
    revision: int
    message: str

    @property
    def attempt(self):
        """The id by which the target knows the attempt."""
        return attempt_id(self.occurrence, self.retry)

    @property
    def is_of_schedule(self):
        return self.origin == SCHEDULE and self.phase == 0

    @property
    def was_sent(self):
        """Whether it says that the target answered, or should have: not if the node gave up without sending."""
        return self.status != NOT_RUN and not self.message.startswith("Not sent again")


def attempt_id(occurrence, attempt):
    """The id of an attempt of an occurrence, as targets are shown it."""
    digest = hashlib.sha256(bytes.fromhex(occurrence) + attempt.to_bytes(4, "big")).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"


def occurrence_id(uid, kind, manual, nominal, phase):
    """The id of an occurrence, as targets are shown it."""
    kind = {4: 0, 5: 1, 6: 2}.get(kind, kind)
    name = {SCHEDULE: "schedule", MANUAL: "manual", BACKFILL: "backfill", TEST: "test"}[kind]
    value = manual if kind == MANUAL else nominal
    text = f"error {name}" if phase else name
    return hashlib.sha256(uid + text.encode() + value.to_bytes(8, "big", signed=True)).hexdigest()[:32]


class History:
    """Everything, read while nothing is written."""

    def __init__(self, query):
        tables = [row["name"] for row in query("select name from punctual.history_segment order by name")]
        self.records = []
        for table in tables:
            rows = query(f"select *, encode(occurrence, 'hex') as occurrence_id from punctual.{table} order by number")
            self.records += [_record(row) for row in rows]
        self.attempts = [record for record in self.records if record.status != NOT_RUN]
        self.not_run = [record for record in self.records if record.status == NOT_RUN]
        self.jobs = {int(row["id"]): row for row in query(_JOBS)}
        self.open = {_open(row) for row in query(_OPEN)}
        self.tally = collections.Counter()
        for row in query("select * from punctual.tally"):
            self.tally.update({name: int(row[name]) for name in ("succeeded", "failed", "given_up", "not_run")})


_JOBS = """select job.id, job.name, job.revision, work.shard, executions, failures, faulted, last_started
    from punctual.job join punctual.work on work.id = job.id where collection <> 0"""
_OPEN = """select encode(job.uid, 'hex') as uid, work.kind, work.manual, work.nominal, work.phase
    from punctual.work join punctual.job on job.id = coalesce(work.job, work.id) where nominal is not null"""


def _open(row):
    uid, kind = bytes.fromhex(row["uid"]), int(row["kind"])
    return occurrence_id(uid, kind, int(row["manual"]), int(row["nominal"]), int(row["phase"] or 0))


def _record(row):
    def number(name):
        return int(row[name]) if row[name] else 0

    return Record(
        number=number("number"),
        job=number("job"),
        started=number("started") / TICKS,
        minute=number("ended") // (60 * TICKS),
        occurrence=row["occurrence_id"],
        origin=number("origin"),
        phase=number("phase"),
        retry=number("retry"),
        status=number("status"),
        nominal=number("nominal"),
        nominal_last=number("nominal_last"),
        nominal_count=number("nominal_count"),
        reason=number("reason"),
        is_resent=row["is_resent"] == "t",
        is_retried=bool(row["retry_at"]),
        is_duplicate=row["is_duplicate"] == "t",
        node=number("node"),
        revision=number("revision"),
        message=row["message"],
    )
