//! Which jobs fail: one row for each whose last attempt failed. A success of a healthy job writes nothing here.

use std::collections::HashMap;

use punctual_model::failure::Failure;
use punctual_model::health::{self, RecentOutcome};
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::alert::facts::keep_failures;
use super::alert::signals::Watch;
use super::db::Db;
use super::error::Fault;
use super::rounds::rounds;
use super::values::{large, number, plain, ticks};
use super::write::WriteTx;
use crate::cells::Cells;
use crate::columns::failing::read;
use crate::damage::Damage;
use crate::error::Error;
use crate::failing::{FailingJob, FailingPage};
use crate::history::HistoryEntry;
use crate::history::number::numbers;
use crate::key::JobId;
use crate::record::codes;
use crate::run_log::{RunNote, RunNoteKind};

/// Attempts of jobs that are there failed, one of each.
const INSERT: &str = "insert into failing
        (job, collection, target, class, code, host, detail, since, count, given_up, started, number, occurrence, retry_at,
            is_other)
    select job.id, job.collection, job.target, new.class, new.code, new.host, new.detail, new.started, 1,
        case when new.retry_at is null then 1 else 0 end, new.started, new.number, new.occurrence, new.retry_at, true
    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[],
        $9::bigint[]) as new (job, class, code, host, detail, started, number, occurrence, retry_at)
    join job on job.id = new.job and job.collection <> 0
    order by job.id
    on conflict (job) do update set is_other = (failing.class, failing.target) <> (excluded.class, excluded.target),
        collection = excluded.collection, target = excluded.target, class = excluded.class, code = excluded.code,
        host = excluded.host, detail = excluded.detail, count = failing.count + 1,
        given_up = failing.given_up + excluded.given_up, started = excluded.started, number = excluded.number,
        occurrence = excluded.occurrence, retry_at = excluded.retry_at
    returning job, count, given_up, is_other";

/// The jobs that fail, those whose last attempt is the latest first.
const PAGE: &str = "select job.name, name_written, collection.id, collection.record,
        failing.job, failing.target, class, code, host, detail, failing.since, count, started, number, occurrence, retry_at
    from failing
    join job on job.id = failing.job
    join collection on collection.id = job.collection
    where (started, failing.job) < ($1, $2) and deleted_at is null
    order by started desc, failing.job desc";

/// A record that changes whether its job fails: its place, its number, what is recorded, and whether the attempt failed.
type Outcome<'a> = (usize, u64, &'a HistoryEntry, bool);

/// Takes note of what came of jobs: of the records of a batch, in the order in which they were written. Says what of it is worth a
/// line of the log.
pub(super) async fn record(tx: &WriteTx, batch: i64, entries: &[HistoryEntry]) -> Result<Vec<RunNote>, Fault> {
    let watch = Watch::read(tx).await?;
    let counted = numbers(batch)?.zip(entries).enumerate().filter(|(_, (_, entry))| !entry.is_duplicate);
    let mut outcomes: Vec<Outcome<'_>> = Vec::new();
    watch.ran(tx, entries.iter().filter(|entry| !entry.is_duplicate)).await?;
    for (at, (number, entry)) in counted {
        match health::outcome(&entry.record) {
            Some(RecentOutcome::Failed) => outcomes.push((at, number, entry, true)),
            Some(RecentOutcome::Succeeded) => outcomes.push((at, number, entry, false)),
            Some(RecentOutcome::NotRun) | None => {}
        }
    }
    // Mostly no job fails, which is asked once.
    let has_failed = outcomes.iter().any(|(.., has_failed)| *has_failed);
    if !has_failed && !tx.exists("select 1::bigint from failing limit 1", &[]).await? {
        return Ok(Vec::new());
    }
    let mut notes = Vec::new();
    // Of several records of one job each follows from the one before.
    for round in rounds(outcomes, |(_, _, entry, _)| [entry.job.0]) {
        let (failed, succeeded): (Vec<_>, Vec<_>) = round.into_iter().partition(|(.., has_failed)| *has_failed);
        notes.extend(insert(tx, &failed, &watch).await?);
        notes.extend(recover(tx, &succeeded, &watch).await?);
    }
    notes.sort_by_key(|note| note.at);
    Ok(notes)
}

async fn insert(db: &Db, failed: &[Outcome<'_>], watch: &Watch) -> Result<Vec<RunNote>, Fault> {
    let rows: Vec<(&Outcome<'_>, &Failure)> =
        failed.iter().filter_map(|row| row.2.record.failure.as_ref().map(|failure| (row, failure))).collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let occurrences: Vec<[u8; 16]> = rows.iter().map(|(row, _)| row.2.record.occurrence.bytes()).collect();
    let found = db
        .rows(
            INSERT,
            &[
                &rows.iter().map(|(row, _)| row.2.job.0).collect::<Vec<_>>(),
                &rows.iter().map(|(_, failure)| codes::failure_class(failure.class)).collect::<Vec<_>>(),
                &rows.iter().map(|(_, failure)| failure.code.map(number)).collect::<Vec<_>>(),
                &rows.iter().map(|(_, failure)| plain(&failure.host)).collect::<Vec<_>>(),
                &rows.iter().map(|(_, failure)| plain(&failure.detail)).collect::<Vec<_>>(),
                &rows.iter().map(|(row, _)| row.2.record.started.ticks()).collect::<Vec<_>>(),
                &rows.iter().map(|(row, _)| large(row.1)).collect::<Vec<_>>(),
                &occurrences.iter().map(<[u8; 16]>::as_slice).collect::<Vec<_>>(),
                &rows.iter().map(|(row, _)| ticks(row.2.record.retry_at)).collect::<Vec<_>>(),
            ],
        )
        .await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((cells.next()?, (cells.next()?, cells.next()?, cells.next()?)))
    };
    let counts: HashMap<i64, (i64, i64, bool)> = found.iter().map(read).collect::<Result<_, Error>>()?;
    let (mut notes, mut wanted) = (Vec::new(), Vec::new());
    for ((at, _, entry, _), _) in rows {
        let Some((count, given_up, is_other)) = counts.get(&entry.job.0).copied() else { continue };
        let gives_up_first = entry.record.retry_at.is_none() && given_up == 1;
        wanted.push((entry.job, entry.record.ended, count, is_other || gives_up_first));
        let kind = match count {
            _ if gives_up_first => Some(RunNoteKind::GaveUp),
            1 => Some(RunNoteKind::BeganToFail),
            _ => None,
        };
        notes.extend(kind.map(|kind| RunNote { at: *at, kind }));
    }
    watch.failed(db, &wanted).await?;
    Ok(notes)
}

async fn recover(db: &Db, succeeded: &[Outcome<'_>], watch: &Watch) -> Result<Vec<RunNote>, Fault> {
    let jobs: Vec<i64> = succeeded.iter().map(|(_, _, entry, _)| entry.job.0).collect();
    let rows = db.rows("select job from failing where job = any($1) order by job for update", &[&jobs]).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    keep_failures(db, &jobs).await?;
    let rows = db.rows("delete from failing where job = any($1) returning job, since, count", &[&jobs]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((cells.next()?, (cells.next_instant()?, cells.next()?)))
    };
    let counts: HashMap<i64, (Option<Timestamp>, i64)> = rows.iter().map(read).collect::<Result<_, Error>>()?;
    let (mut notes, mut recovered) = (Vec::new(), Vec::new());
    for (at, _, entry, _) in succeeded {
        let Some((since, count)) = counts.get(&entry.job.0).copied() else { continue };
        recovered.push((entry.job, entry.record.ended, 0));
        let (since, count) = (since.unwrap_or(Timestamp::EPOCH), u64::try_from(count).unwrap_or(0));
        notes.push(RunNote { at: *at, kind: RunNoteKind::Recovered { since, count } });
    }
    watch.recovered(db, &recovered).await?;
    Ok(notes)
}

/// The job is gone.
pub(super) async fn remove(db: &Db, job: JobId) -> Result<(), Fault> {
    keep_failures(db, &[job.0]).await?;
    db.execute("delete from failing where job = $1", &[&job.0]).await?;
    Ok(())
}

/// A page of the jobs that fail.
pub(super) async fn page(db: &Db, page: &FailingPage, damage: &Damage) -> Result<Vec<FailingJob>, Fault> {
    let (started, job) = page.after.map_or((i64::MAX, i64::MAX), |after| (after.started.ticks(), after.job.0));
    db.read_page(PAGE, &[&started, &job], page.limit, damage, |row| read(row)).await
}
