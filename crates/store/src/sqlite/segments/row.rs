//! An entry of history as a row.

use punctual_model::history::{NotRun, Reason, Record, Status, StatusKind};
use punctual_model::occurrence::{OccurrenceId, Origin, Original, Phase};
use punctual_model::time::Timestamp;
use rusqlite::{Connection, Row, Statement, params};

use crate::history::{HistoryEntry, HistoryItem, HistoryKey};
use crate::{Error, JobId};

/// In the order of the table, which [`insert`] and [`read`] follow.
pub(super) const COLUMNS: &str = "number, job, started, ended, occurrence, origin, manual_number, phase, retry, repeat, \
    status, nominal, nominal_last, nominal_count, reason, is_resent, is_duplicate, node, revision, message";

/// The statement that [`insert`] runs, once per row.
pub(super) fn prepare_insert(connection: &Connection) -> Result<Statement<'_>, Error> {
    let sql = "insert into attempt values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    Ok(connection.prepare(sql)?)
}

pub(super) fn insert(statement: &mut Statement<'_>, number: i64, entry: &HistoryEntry) -> Result<(), Error> {
    let HistoryEntry { job, record, node, revision, is_duplicate } = entry;
    let (origin, manual_number) = origin_codes(record.origin);
    let (nominal, not_run) = match record.status {
        Status::Completed(nominal) | Status::Failed(nominal) => (nominal, None),
        Status::Postponed(not_run) => (not_run.first, Some(not_run)),
    };
    let count = not_run.map(|it| i64::try_from(it.number).unwrap_or(i64::MAX));
    statement.execute(params![
        number,
        job.0,
        record.started.ticks(),
        record.ended.ticks(),
        record.occurrence.bytes(),
        origin,
        manual_number,
        phase_code(record.phase),
        record.retry,
        record.repeat,
        status_code(record.status.kind()),
        nominal.ticks(),
        not_run.map(|it| it.last.ticks()),
        count,
        not_run.map(|it| reason_code(it.reason)),
        record.is_resent,
        is_duplicate,
        node,
        revision,
        record.message,
    ])?;
    Ok(())
}

/// Reads a row of [`COLUMNS`].
pub(super) fn read(row: &Row<'_>) -> Result<HistoryItem, Error> {
    let started = instant(row.get("started")?)?;
    let key = u64::try_from(row.get::<_, i64>("number")?).ok().and_then(|number| HistoryKey::new(started, number));
    let record = Record {
        started,
        ended: instant(row.get("ended")?)?,
        occurrence: OccurrenceId::from_bytes(row.get("occurrence")?),
        origin: origin(row.get("origin")?, row.get("manual_number")?)?,
        phase: phase(row.get("phase")?)?,
        retry: row.get("retry")?,
        repeat: row.get("repeat")?,
        status: status(row)?,
        is_resent: row.get("is_resent")?,
        message: row.get("message")?,
    };
    let entry = HistoryEntry {
        job: JobId(row.get("job")?),
        record,
        node: row.get("node")?,
        revision: row.get("revision")?,
        is_duplicate: row.get("is_duplicate")?,
    };
    Ok(HistoryItem { key: key.ok_or_else(|| wrong("number"))?, entry })
}

fn status(row: &Row<'_>) -> Result<Status, Error> {
    let nominal = instant(row.get("nominal")?)?;
    match row.get("status")? {
        0 => Ok(Status::Completed(nominal)),
        1 => Ok(Status::Failed(nominal)),
        2 => Ok(Status::Postponed(NotRun {
            first: nominal,
            last: instant(row.get("nominal_last")?)?,
            number: u64::try_from(row.get::<_, i64>("nominal_count")?).map_err(|_| wrong("nominal_count"))?,
            reason: reason(row.get("reason")?)?,
        })),
        _ => Err(wrong("status")),
    }
}

pub(super) const fn status_code(status: StatusKind) -> i64 {
    match status {
        StatusKind::Completed => 0,
        StatusKind::Failed => 1,
        StatusKind::Postponed => 2,
    }
}

const fn phase_code(phase: Phase) -> i64 {
    match phase {
        Phase::Main => 0,
        Phase::Error => 1,
    }
}

fn phase(code: i64) -> Result<Phase, Error> {
    match code {
        0 => Ok(Phase::Main),
        1 => Ok(Phase::Error),
        _ => Err(wrong("phase")),
    }
}

const fn origin_codes(origin: Origin) -> (i64, Option<u32>) {
    match origin {
        Origin::Schedule => (0, None),
        Origin::Manual(number) => (1, Some(number)),
        Origin::Backfill => (2, None),
        Origin::Test => (3, None),
        Origin::Rerun(Original::Schedule) => (4, None),
        Origin::Rerun(Original::Manual(number)) => (5, Some(number)),
        Origin::Rerun(Original::Backfill) => (6, None),
    }
}

fn origin(code: i64, manual_number: Option<u32>) -> Result<Origin, Error> {
    match (code, manual_number) {
        (0, None) => Ok(Origin::Schedule),
        (1, Some(number)) => Ok(Origin::Manual(number)),
        (2, None) => Ok(Origin::Backfill),
        (3, None) => Ok(Origin::Test),
        (4, None) => Ok(Origin::Rerun(Original::Schedule)),
        (5, Some(number)) => Ok(Origin::Rerun(Original::Manual(number))),
        (6, None) => Ok(Origin::Rerun(Original::Backfill)),
        _ => Err(wrong("origin")),
    }
}

const fn reason_code(reason: Reason) -> i64 {
    match reason {
        Reason::Overlap => 0,
        Reason::Missed => 1,
        Reason::Disabled => 2,
    }
}

fn reason(code: i64) -> Result<Reason, Error> {
    match code {
        0 => Ok(Reason::Overlap),
        1 => Ok(Reason::Missed),
        2 => Ok(Reason::Disabled),
        _ => Err(wrong("reason")),
    }
}

fn instant(ticks: i64) -> Result<Timestamp, Error> {
    Timestamp::from_ticks(ticks).ok_or_else(|| wrong("time"))
}

fn wrong(column: &str) -> Error {
    Error::corrupt(format!("the {column} of an attempt is none that we write"))
}
