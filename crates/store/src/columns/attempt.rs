//! An entry of history as a row.

use punctual_model::failure::Failure;
use punctual_model::history::{NotRun, Record, Status, StatusKind};
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::Timestamp;

use crate::cells::{Cells, Fields};
use crate::history::{HistoryEntry, HistoryFilter, HistoryItem, HistoryKey};
use crate::record::codes;
use crate::{Error, JobId};

/// In the order of the table, which [`AttemptColumns`] and [`read`] follow.
pub(crate) const COLUMNS: &str = "number, job, started, ended, occurrence, origin, manual_number, phase, retry, repeat, \
    status, nominal, nominal_last, nominal_count, reason, is_resent, retry_at, is_duplicate, node, revision, message, \
    failure_class, failure_code, failure_host, failure_detail";

/// What the columns of an entry hold.
pub(crate) struct AttemptColumns<'a> {
    pub(crate) number: i64,
    pub(crate) job: i64,
    pub(crate) started: i64,
    pub(crate) ended: i64,
    pub(crate) occurrence: [u8; 16],
    pub(crate) origin: i64,
    pub(crate) manual_number: Option<u32>,
    pub(crate) phase: i64,
    pub(crate) retry: u32,
    pub(crate) repeat: u32,
    pub(crate) status: i64,
    pub(crate) nominal: i64,
    pub(crate) nominal_last: Option<i64>,
    pub(crate) nominal_count: Option<i64>,
    pub(crate) reason: Option<i64>,
    pub(crate) is_resent: bool,
    pub(crate) retry_at: Option<i64>,
    pub(crate) is_duplicate: bool,
    pub(crate) node: u32,
    pub(crate) revision: i64,
    pub(crate) message: &'a str,
    pub(crate) failure_class: Option<i64>,
    pub(crate) failure_code: Option<u16>,
    pub(crate) failure_host: Option<&'a str>,
    pub(crate) failure_detail: Option<&'a str>,
}

impl<'a> AttemptColumns<'a> {
    /// The columns of the entry of that number.
    pub(crate) fn of(number: i64, entry: &'a HistoryEntry) -> Self {
        let HistoryEntry { job, record, node, revision, is_duplicate } = entry;
        let (origin, manual_number) = codes::origin(record.origin);
        let (nominal, not_run) = match record.status {
            Status::Completed(nominal) | Status::Failed(nominal) => (nominal, None),
            Status::Postponed(not_run) => (not_run.first, Some(not_run)),
        };
        let failure = record.failure.as_ref();
        Self {
            number,
            job: job.0,
            started: record.started.ticks(),
            ended: record.ended.ticks(),
            occurrence: record.occurrence.bytes(),
            origin,
            manual_number,
            phase: codes::phase(record.phase),
            retry: record.retry,
            repeat: record.repeat,
            status: codes::status(record.status.kind()),
            nominal: nominal.ticks(),
            nominal_last: not_run.map(|it| it.last.ticks()),
            nominal_count: not_run.map(|it| i64::try_from(it.number).unwrap_or(i64::MAX)),
            reason: not_run.map(|it| codes::reason(it.reason)),
            is_resent: record.is_resent,
            retry_at: record.retry_at.map(Timestamp::ticks),
            is_duplicate: *is_duplicate,
            node: *node,
            revision: *revision,
            message: &record.message,
            failure_class: failure.map(|it| codes::failure_class(it.class)),
            failure_code: failure.and_then(|it| it.code),
            failure_host: failure.map(|it| it.host.as_str()),
            failure_detail: failure.map(|it| it.detail.as_str()),
        }
    }
}

/// Reads a row of [`COLUMNS`].
pub(crate) fn read(row: &dyn Fields) -> Result<HistoryItem, Error> {
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

/// The SQL by which a filter picks attempts of a status and a phase. What makes a planner take the small index must be written as the
/// index has it: `status <> 0` or `phase <> 0`.
pub(crate) fn status_and_phase(filter: &HistoryFilter) -> String {
    let status = match filter.status {
        None => String::new(),
        Some(StatusKind::Completed) => " and status = 0".to_owned(),
        Some(other) => format!(" and status <> 0 and status = {}", codes::status(other)),
    };
    let phase = match filter.phase {
        None => "",
        Some(Phase::Main) => " and phase = 0",
        Some(Phase::Error) => " and phase <> 0",
    };
    status + phase
}
