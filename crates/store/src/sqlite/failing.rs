//! Which jobs fail: one row for each whose last attempt failed. A success of a healthy job writes nothing here.

use punctual_model::failure::Failure;
use punctual_model::health::{self, RecentOutcome};
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::alert::keep_failure;
use super::alert::signals::Watch;
use super::damage::Damage;
use crate::columns::failing::read;
use crate::error::Error;
use crate::failing::{FailingJob, FailingPage};
use crate::history::HistoryEntry;
use crate::key::JobId;
use crate::record::codes;
use crate::run_log::{RunNote, RunNoteKind};

/// An attempt of a job that is there failed.
const INSERT: &str = "insert into failing
        (job, collection, target, class, code, host, detail, since, count, given_up, started, number, occurrence, retry_at,
            is_other)
    select id, collection, target, ?2, ?3, ?4, ?5, ?6, 1, ?9 is null, ?6, ?7, ?8, ?9, 1 from job
    where id = ?1 and collection <> 0
    on conflict (job) do update set is_other = (class, target) <> (?2, excluded.target), collection = excluded.collection, target = excluded.target, class = ?2, code = ?3,
        host = ?4, detail = ?5, count = count + 1, given_up = given_up + excluded.given_up, started = ?6, number = ?7,
        occurrence = ?8, retry_at = ?9
    returning count, given_up, is_other";

/// A job does not fail any more.
const REMOVE: &str = "delete from failing where job = ?1 returning since, count";

/// The jobs that fail, those whose last attempt is the latest first.
pub(super) const PAGE: &str = "select job.name, name_written, collection.id, collection.record,
        failing.job, failing.target, class, code, host, detail, failing.since, count, started, number, occurrence, retry_at
    from failing
    join job on job.id = failing.job
    join collection on collection.id = job.collection
    where (started, failing.job) < (?1, ?2) and deleted_at is null
    order by started desc, failing.job desc";

/// Takes note of what came of jobs: of records with their numbers, in the order in which they were written. Says what of it
/// is worth a line of the log.
pub(super) fn record<'a>(
    db: &Connection,
    records: impl Iterator<Item = (u64, &'a HistoryEntry)>,
) -> Result<Vec<RunNote>, Error> {
    // Mostly no job fails, which is asked once.
    let mut are_any = db.prepare_cached("select 1 from failing limit 1")?.exists([])?;
    let watch = Watch::read(db)?;
    let mut notes = Vec::new();
    for (at, (number, entry)) in records.enumerate().filter(|(_, (_, entry))| !entry.is_duplicate) {
        watch.ran(entry.job, &entry.record)?;
        let kind = match health::outcome(&entry.record) {
            Some(RecentOutcome::Failed) => {
                are_any = true;
                insert(db, number, entry, &watch)?
            }
            Some(RecentOutcome::Succeeded) if are_any => recover(db, entry, &watch)?,
            Some(RecentOutcome::Succeeded | RecentOutcome::NotRun) | None => None,
        };
        notes.extend(kind.map(|kind| RunNote { at, kind }));
    }
    Ok(notes)
}

fn insert(db: &Connection, number: u64, entry: &HistoryEntry, watch: &Watch<'_>) -> Result<Option<RunNoteKind>, Error> {
    let record = &entry.record;
    let Some(Failure { class, code, host, detail }) = &record.failure else { return Ok(None) };
    let mut statement = db.prepare_cached(INSERT)?;
    let values = params![
        entry.job.0,
        codes::failure_class(*class),
        code,
        host,
        detail,
        record.started.ticks(),
        i64::try_from(number).unwrap_or(i64::MAX),
        record.occurrence.bytes(),
        record.retry_at.map(Timestamp::ticks),
    ];
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let counts: Option<(i64, i64, bool)> = statement.query_row(values, read).optional()?;
    let is_given_up = record.retry_at.is_none();
    if let Some((count, given_up, is_other)) = counts {
        watch.failed(entry.job, record.ended, count, is_other || (is_given_up && given_up == 1))?;
    }
    Ok(match counts {
        Some((_, 1, _)) if is_given_up => Some(RunNoteKind::GaveUp),
        Some((1, ..)) => Some(RunNoteKind::BeganToFail),
        _ => None,
    })
}

fn recover(db: &Connection, entry: &HistoryEntry, watch: &Watch<'_>) -> Result<Option<RunNoteKind>, Error> {
    keep_failure(db, entry.job)?;
    let mut statement = db.prepare_cached(REMOVE)?;
    let counts: Option<(i64, i64)> =
        statement.query_row([entry.job.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if counts.is_some() {
        watch.recovered(entry.job, entry.record.ended)?;
    }
    Ok(counts.map(|(since, count)| RunNoteKind::Recovered {
        since: Timestamp::from_ticks(since).unwrap_or(Timestamp::EPOCH),
        count: u64::try_from(count).unwrap_or(0),
    }))
}

/// The job is gone.
pub(super) fn remove(db: &Connection, job: JobId) -> Result<(), Error> {
    keep_failure(db, job)?;
    db.prepare_cached("delete from failing where job = ?1")?.execute([job.0])?;
    Ok(())
}

/// A page of the jobs that fail.
pub(super) fn page(db: &Connection, page: &FailingPage, damage: &Damage) -> Result<Vec<FailingJob>, Error> {
    let (started, job) = page.after.map_or((i64::MAX, i64::MAX), |after| (after.started.ticks(), after.job.0));
    let mut statement = db.prepare_cached(PAGE)?;
    let rows = statement.query([started, job])?;
    damage.read_page(rows, page.limit, |row| read(row))
}
