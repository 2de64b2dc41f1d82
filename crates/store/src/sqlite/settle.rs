//! Writes what became of what was due: many rows at a time, each on the condition that it is as it was read.

use punctual_model::job::Counters;
use punctual_model::lane::Lane;
use punctual_model::occurrence::Occurrence;
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;
use rusqlite::{CachedStatement, Connection, params};

use super::work::{self, Open};
use super::writer::Pen;
use super::{job, series};
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::key::{Revision, WorkId};
use crate::work_store::{RowChange, WorkChange, Written};

/// Writes these changes, and notes of what changes nothing.
pub(super) fn write(
    pen: &mut Pen<'_>,
    changes: Vec<WorkChange>,
    notes: Vec<HistoryEntry>,
) -> Result<Vec<Written>, Error> {
    let mut statements = Statements::new(pen.db)?;
    let mut written = Vec::with_capacity(changes.len());
    for change in changes {
        let became = match change.row {
            RowChange::Schedule { progress, beside } => statements.settle_schedule(&change, &progress, beside.as_ref()),
            RowChange::Beside { occurrence, schedule } => {
                statements.settle_beside(&change, occurrence.as_ref(), schedule)
            }
            RowChange::Resent => statements.count_resend(&change),
        }?;
        if became != Written::Stale {
            if let Some((state, at)) = change.ends {
                series::keep(pen.db, change.job, at)?;
                statements.end.execute([change.job.0, job::state_number(state), at.ticks()])?;
            }
            pen.history.extend(change.records);
        }
        written.push(became);
    }
    pen.history.extend(notes);
    Ok(written)
}

/// Every statement here raises the revision of its row by one.
const fn applied(change: &WorkChange, beside: Option<WorkId>) -> Written {
    Written::Applied { revision: Revision(change.revision.0 + 1), beside }
}

/// How the counters of a job change by what ran beside its schedule: added to, whatever they are.
const COUNT: &str = "executions = executions + ?2, failures = failures + ?3, faulted = faulted + ?4,
    last_started = case when ?5 is null or last_started > ?5 then last_started else ?5 end";

/// The statements of a batch, looked up once.
struct Statements<'db> {
    db: &'db Connection,
    schedule: CachedStatement<'db>,
    insert_beside: CachedStatement<'db>,
    is_as_read: CachedStatement<'db>,
    beside: CachedStatement<'db>,
    remove_beside: CachedStatement<'db>,
    count: CachedStatement<'db>,
    count_scheduled: CachedStatement<'db>,
    resend: CachedStatement<'db>,
    end: CachedStatement<'db>,
}

impl<'db> Statements<'db> {
    fn new(db: &'db Connection) -> Result<Self, Error> {
        let beside = "update work set revision = revision + 1,
                 resends = case when (nominal, phase, attempt) is (?3, ?4, ?5) then resends else 0 end,
                 lane = ?2, nominal = ?3, phase = ?4, attempt = ?5, wake_at = ?6, repeat = ?7, series = ?8,
                 backlog_until = ?9
             where id = ?1";
        let count_scheduled = format!(
            "update work set revision = revision + 1, last_failed = ?7, {COUNT} where id = ?1 and revision = ?6"
        );
        Ok(Self {
            db,
            schedule: db.prepare_cached(work::UPDATE_SCHEDULE)?,
            insert_beside: db.prepare_cached(work::INSERT_BESIDE)?,
            is_as_read: db.prepare_cached("select 1 from work where id = ?1 and revision = ?2 and job = ?3")?,
            beside: db.prepare_cached(beside)?,
            remove_beside: db.prepare_cached("delete from work where id = ?1")?,
            count: db.prepare_cached(&format!("update work set {COUNT} where id = ?1"))?,
            count_scheduled: db.prepare_cached(&count_scheduled)?,
            resend: db.prepare_cached(
                "update work set revision = revision + 1, resends = resends + 1 where id = ?1 and revision = ?2",
            )?,
            // Its revision stays: a job that ended is not another one for whoever edits it.
            end: db.prepare_cached("update job set state = ?2, ended_at = ?3, since = ?3 where id = ?1")?,
        })
    }

    /// The schedule's own row: one statement for all of it.
    fn settle_schedule(
        &mut self,
        change: &WorkChange,
        progress: &Progress,
        beside: Option<&Occurrence>,
    ) -> Result<Written, Error> {
        let values = work::schedule_values(change.id.0, change.revision, change.lane, progress, &change.counted);
        let updated = self.schedule.execute(values)?;
        if updated == 0 {
            return Ok(Written::Stale);
        }
        let beside = beside.map(|occurrence| self.insert_beside(change, occurrence)).transpose()?;
        Ok(applied(change, beside))
    }

    fn count_resend(&mut self, change: &WorkChange) -> Result<Written, Error> {
        let updated = self.resend.execute([change.id.0, change.revision.0])?;
        Ok(if updated == 1 { applied(change, None) } else { Written::Stale })
    }

    fn insert_beside(&mut self, change: &WorkChange, occurrence: &Occurrence) -> Result<WorkId, Error> {
        let values = work::beside_values(change.job, occurrence, change.lane);
        self.insert_beside.execute(values)?;
        Ok(WorkId(self.db.last_insert_rowid()))
    }

    /// A row beside the schedule. What it depends on is compared before anything is written.
    fn settle_beside(
        &mut self,
        change: &WorkChange,
        occurrence: Option<&Occurrence>,
        schedule: Option<(Revision, bool)>,
    ) -> Result<Written, Error> {
        let is_as_read = self.is_as_read.exists([change.id.0, change.revision.0, change.job.0])?;
        if !is_as_read || !self.count_beside(change, schedule)? {
            return Ok(Written::Stale);
        }
        match occurrence {
            Some(occurrence) => self.update_beside(change.id, occurrence, change.lane)?,
            None => _ = self.remove_beside.execute([change.id.0])?,
        }
        Ok(applied(change, None))
    }

    /// Adds to the counters in the schedule's row. Says whether that is as it was read, where that matters.
    fn count_beside(&mut self, change: &WorkChange, schedule: Option<(Revision, bool)>) -> Result<bool, Error> {
        let Counters { executions, failures, faulted, last_started } = change.counted;
        let last_started = last_started.map(Timestamp::ticks);
        if let Some((revision, last_failed)) = schedule {
            let (id, revision) = (change.job.0, revision.0);
            let values = params![id, executions, failures, faulted, last_started, revision, last_failed];
            return Ok(self.count_scheduled.execute(values)? == 1);
        }
        if change.counted != Counters::default() {
            self.count.execute(params![change.job.0, executions, failures, faulted, last_started])?;
        }
        Ok(true)
    }

    fn update_beside(&mut self, id: WorkId, occurrence: &Occurrence, lane: Lane) -> Result<(), Error> {
        let open = Open::of(Some(occurrence));
        self.beside.execute(params![
            id.0,
            lane.0,
            open.nominal,
            open.phase,
            open.attempt,
            open.wake_at,
            open.repeat,
            open.series,
            open.backlog_until
        ])?;
        Ok(())
    }
}
