//! An entry of history as a row.

use punctual_model::failure::Failure;
use punctual_model::history::{NotRun, Record, Status, StatusKind};
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;
use rusqlite::{CachedStatement, Connection, Row, params};

use super::super::cells::Cells;
use crate::history::{HistoryEntry, HistoryItem, HistoryKey};
use crate::record::codes;
use crate::{Error, JobId};

/// In the order of the table, which [`insert`] and [`read`] follow.
pub(super) const COLUMNS: &str = "number, job, started, ended, occurrence, origin, manual_number, phase, retry, repeat, \
    status, nominal, nominal_last, nominal_count, reason, is_resent, retry_at, is_duplicate, node, revision, message, \
    failure_class, failure_code, failure_host, failure_detail";

const VALUES: &str = "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// The statement that [`insert`] runs, once per row. No row may have a number that is there already.
pub(super) fn prepare_insert(connection: &Connection) -> Result<CachedStatement<'_>, Error> {
    Ok(connection.prepare_cached(&format!("insert into attempt {VALUES}"))?)
}

/// The same, where rows may be copied again after a crash.
pub(super) fn prepare_copy(connection: &Connection) -> Result<CachedStatement<'_>, Error> {
    Ok(connection.prepare_cached(&format!("insert or ignore into attempt {VALUES}"))?)
}

pub(super) fn insert(statement: &mut CachedStatement<'_>, number: i64, entry: &HistoryEntry) -> Result<(), Error> {
    let HistoryEntry { job, record, node, revision, is_duplicate } = entry;
    let (origin, manual_number) = codes::origin(record.origin);
    let (nominal, not_run) = match record.status {
        Status::Completed(nominal) | Status::Failed(nominal) => (nominal, None),
        Status::Postponed(not_run) => (not_run.first, Some(not_run)),
    };
    let failure = record.failure.as_ref();
    let count = not_run.map(|it| i64::try_from(it.number).unwrap_or(i64::MAX));
    statement.execute(params![
        number,
        job.0,
        record.started.ticks(),
        record.ended.ticks(),
        record.occurrence.bytes(),
        origin,
        manual_number,
        codes::phase(record.phase),
        record.retry,
        record.repeat,
        codes::status(record.status.kind()),
        nominal.ticks(),
        not_run.map(|it| it.last.ticks()),
        count,
        not_run.map(|it| codes::reason(it.reason)),
        record.is_resent,
        record.retry_at.map(Timestamp::ticks),
        is_duplicate,
        node,
        revision,
        record.message,
        failure.map(|it| codes::failure_class(it.class)),
        failure.and_then(|it| it.code),
        failure.map(|it| &it.host),
        failure.map(|it| &it.detail),
    ])?;
    Ok(())
}

/// Reads a row of [`COLUMNS`].
pub(super) fn read(row: &Row<'_>) -> Result<HistoryItem, Error> {
    let mut cells = Cells::of(row);
    let (number, job): (i64, _) = (cells.next()?, JobId(cells.next()?));
    let started = cells.next_required_instant()?;
    let key = u64::try_from(number).ok().and_then(|number| HistoryKey::new(started, number));
    let record = Record {
        started,
        ended: cells.next_required_instant()?,
        occurrence: OccurrenceId::from_bytes(cells.next()?),
        origin: codes::read_origin(cells.next()?, cells.next()?).ok_or_else(|| wrong("origin"))?,
        phase: codes::read_phase(cells.next()?).ok_or_else(|| wrong("phase"))?,
        retry: cells.next()?,
        repeat: cells.next()?,
        status: read_status(&mut cells)?,
        is_resent: cells.next()?,
        retry_at: cells.next_instant()?,
        message: String::new(),
        failure: None,
    };
    let (is_duplicate, node, revision) = (cells.next()?, cells.next()?, cells.next()?);
    let record = Record { message: cells.next()?, failure: read_failure(&mut cells)?, ..record };
    let entry = HistoryEntry { job, record, node, revision, is_duplicate };
    Ok(HistoryItem { key: key.ok_or_else(|| wrong("number"))?, entry })
}

/// Reads the status, the first and last nominal time, their number, and the reason why they were not run.
fn read_status(cells: &mut Cells<'_>) -> Result<Status, Error> {
    let kind = codes::read_status(cells.next()?).ok_or_else(|| wrong("status"))?;
    let (first, last) = (cells.next_required_instant()?, cells.next_instant()?);
    let (number, reason): (Option<i64>, Option<i64>) = (cells.next()?, cells.next()?);
    Ok(match kind {
        StatusKind::Completed => Status::Completed(first),
        StatusKind::Failed => Status::Failed(first),
        StatusKind::Postponed => Status::Postponed(NotRun {
            first,
            last: last.ok_or_else(|| wrong("nominal_last"))?,
            number: number.and_then(|it| it.try_into().ok()).ok_or_else(|| wrong("nominal_count"))?,
            reason: reason.and_then(codes::read_reason).ok_or_else(|| wrong("reason"))?,
        }),
    })
}

fn read_failure(cells: &mut Cells<'_>) -> Result<Option<Failure>, Error> {
    let (class, code): (Option<i64>, Option<u16>) = (cells.next()?, cells.next()?);
    let (host, detail): (Option<String>, Option<String>) = (cells.next()?, cells.next()?);
    let Some(class) = class else { return Ok(None) };
    let class = codes::read_failure_class(class).ok_or_else(|| wrong("failure_class"))?;
    Ok(Some(Failure { class, code, host: host.unwrap_or_default(), detail: detail.unwrap_or_default() }))
}

fn wrong(column: &str) -> Error {
    Error::corrupt(format!("the {column} of an attempt is none that we write"))
}
