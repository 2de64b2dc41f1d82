//! Writes what became of what was due: many rows at a time, each on the condition that it is as it was read.

use punctual_model::job::{Counters, State};
use punctual_model::occurrence::Occurrence;
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;
use rusqlite::{CachedStatement, Connection, ErrorCode, Params, params, params_from_iter};

use super::alert::signals;
use super::savepoint::in_savepoint;
use super::tally;
use super::work::{self, Open};
use super::writer::WriteTx;
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::key::{Revision, WorkId};
use crate::record::{self, codes};
use crate::tally::TallyWrite;
use crate::work_change::{BesideRow, RowChange, WorkChange, Written};

/// Writes these changes, and notes of what changes nothing.
///
/// All of them at once, as a rule. If that fails because of what one of them is about, they are written one by one, and
/// those that cannot be written are left out.
pub(super) fn write(
    tx: &mut WriteTx<'_>,
    changes: Vec<WorkChange>,
    notes: Vec<HistoryEntry>,
) -> Result<Vec<Written>, Error> {
    let mut statements = Statements::new(tx.db);
    let at_once = in_savepoint(tx, |_| changes.iter().map(|change| statements.write(change)).collect());
    let written: Vec<Written> = match at_once {
        Err(error) if error.is_of_one_record() && !tx.db.is_autocommit() => {
            let one_by_one = changes.iter().map(|change| write_alone(tx, &mut statements, change));
            one_by_one.collect::<Result<_, Error>>()?
        }
        other => other?,
    };
    let mut tally = TallyWrite::default();
    for (change, became) in changes.into_iter().zip(&written) {
        if matches!(became, Written::Applied { .. }) {
            for entry in change.records.iter().filter(|entry| !entry.is_duplicate) {
                tally.add(change.collection, &entry.record);
            }
            tx.history.extend(change.records);
        }
    }
    tally::add(tx.db, tally)?;
    tx.history.extend(notes);
    Ok(written)
}

/// Writes one change, or says why it cannot be written.
fn write_alone(tx: &mut WriteTx<'_>, statements: &mut Statements<'_>, change: &WorkChange) -> Result<Written, Error> {
    match in_savepoint(tx, |_| statements.write(change)) {
        Err(error) if error.is_of_one_record() => Ok(Written::Refused(error.to_string())),
        written => written,
    }
}

/// Every statement here raises the revision of its row by one.
const fn applied(change: &WorkChange, beside: Option<WorkId>) -> Written {
    Written::Applied { revision: Revision(change.revision.0 + 1), beside }
}

/// Whether a row beside a schedule is as it was read.
const IS_AS_READ: &str = "select 1 from work where id = ?1 and revision = ?2 and job = ?3";

/// An occurrence beside a schedule goes on.
const UPDATE_BESIDE: &str = "update work set revision = revision + 1,
        resends = case when (nominal, phase, attempt) is (?5, ?6, ?7) then resends else 0 end,
        lane = ?4, nominal = ?5, phase = ?6, attempt = ?7, wake_at = ?8, repeat = ?9, series = ?10, backlog_until = ?11,
        failure = case when ?6 = 1 then failure end
    where id = ?1 and revision = ?2 and job = ?3";

/// An occurrence beside a schedule is over.
const REMOVE_BESIDE: &str = "delete from work where id = ?1 and revision = ?2 and job = ?3";

/// What ran beside the schedule adds to the counters of the job, whatever they are.
const COUNT: &str = "update work set executions = executions + ?2, failures = failures + ?3, faulted = faulted + ?4,
        last_started = case when ?5 is null or last_started > ?5 then last_started else ?5 end,
        failures_in_row = case ?6 when 0 then 0 when 1 then failures_in_row + 1 else failures_in_row end,
        last_success = case when ?6 = 0 and coalesce(last_success, ?7) <= ?7 then ?7 else last_success end,
        recent = (recent << ?8) | ?9
    where id = ?1";

/// The same of an occurrence that the schedule opened, if the schedule is as it was read.
const COUNT_SCHEDULED: &str = "update work set revision = revision + 1, last_failed = ?11,
        executions = executions + ?2, failures = failures + ?3, faulted = faulted + ?4,
        last_started = case when ?5 is null or last_started > ?5 then last_started else ?5 end,
        failures_in_row = case ?6 when 0 then 0 when 1 then failures_in_row + 1 else failures_in_row end,
        last_success = case when ?6 = 0 and coalesce(last_success, ?7) <= ?7 then ?7 else last_success end,
        recent = (recent << ?8) | ?9
    where id = ?1 and revision = ?10";

/// What a row holds is sent again.
const RESEND: &str = "update work set revision = revision + 1, resends = resends + 1 where id = ?1 and revision = ?2";

/// Why an action failed, for its error action.
const SET_FAILURE: &str = "update work set failure = ?2 where id = ?1";

/// A job ends. Its revision stays: for a client that edits it, it is not another one. Its row keeps what it was until now; see
/// [`series`](super::series).
const END: &str = "update job set
        since_before = case when since = ?3 then since_before else since end,
        state_before = case when since = ?3 then state_before else state end,
        since = ?3, state = ?2, ended_at = ?3, disabled_until = null
    where id = ?1";

/// The statements of a batch, each looked up when it is first needed.
struct Statements<'db> {
    db: &'db Connection,
    schedule: Lazy<'db>,
    insert_beside: Lazy<'db>,
    is_as_read: Lazy<'db>,
    update_beside: Lazy<'db>,
    remove_beside: Lazy<'db>,
    count: Lazy<'db>,
    count_scheduled: Lazy<'db>,
    resend: Lazy<'db>,
    set_failure: Lazy<'db>,
    end: Lazy<'db>,
}

impl<'db> Statements<'db> {
    const fn new(db: &'db Connection) -> Self {
        Self {
            db,
            schedule: Lazy::new(db, work::UPDATE_SCHEDULE),
            insert_beside: Lazy::new(db, work::INSERT_BESIDE),
            is_as_read: Lazy::new(db, IS_AS_READ),
            update_beside: Lazy::new(db, UPDATE_BESIDE),
            remove_beside: Lazy::new(db, REMOVE_BESIDE),
            count: Lazy::new(db, COUNT),
            count_scheduled: Lazy::new(db, COUNT_SCHEDULED),
            resend: Lazy::new(db, RESEND),
            set_failure: Lazy::new(db, SET_FAILURE),
            end: Lazy::new(db, END),
        }
    }

    /// Writes a change, but for its records.
    fn write(&mut self, change: &WorkChange) -> Result<Written, Error> {
        let written = match &change.row {
            RowChange::Schedule { progress, beside } => self.settle_schedule(change, progress, *beside),
            RowChange::Beside { occurrence, schedule } => self.settle_beside(change, occurrence.as_ref(), *schedule),
            RowChange::Resent => self.count_resend(change),
        }?;
        if written != Written::Stale
            && let Some(failure) = change.failure_of_action()
        {
            self.set_failure.execute(params![change.id.0, record::write_failure(failure)])?;
        }
        if let Some((state, at)) = change.ends
            && written != Written::Stale
        {
            self.end.execute([change.job.0, codes::state(state), at.ticks()])?;
            if state == State::Faulted {
                signals::ended(self.db, change.job, at)?;
            }
        }
        Ok(written)
    }

    /// The schedule's own row: one statement for all of it.
    fn settle_schedule(
        &mut self,
        change: &WorkChange,
        progress: &Progress,
        beside: Option<BesideRow>,
    ) -> Result<Written, Error> {
        let WorkChange { id, revision, lane, counted, .. } = change;
        let values = work::schedule_values(id.0, *revision, *lane, progress, counted, &change.health());
        if self.schedule.execute(values)? == 0 {
            return Ok(Written::Stale);
        }
        let beside = beside.map(|beside| self.insert_beside(change, beside)).transpose()?;
        Ok(applied(change, beside))
    }

    fn count_resend(&mut self, change: &WorkChange) -> Result<Written, Error> {
        let updated = self.resend.execute([change.id.0, change.revision.0])?;
        Ok(if updated == 1 { applied(change, None) } else { Written::Stale })
    }

    fn insert_beside(&mut self, change: &WorkChange, beside: BesideRow) -> Result<WorkId, Error> {
        self.insert_beside.execute(work::beside_values(change.job, beside, change.lane))?;
        Ok(WorkId(self.db.last_insert_rowid()))
    }

    /// A row beside the schedule. Where it depends on the schedule's row as well, both are compared before one is written.
    fn settle_beside(
        &mut self,
        change: &WorkChange,
        occurrence: Option<&Occurrence>,
        schedule: Option<(Revision, bool)>,
    ) -> Result<Written, Error> {
        if let Some(schedule) = schedule {
            let is_as_read = self.is_as_read.get()?.exists([change.id.0, change.revision.0, change.job.0])?;
            if !is_as_read || !self.count_scheduled(change, schedule)? {
                return Ok(Written::Stale);
            }
        }
        let written = match occurrence {
            Some(occurrence) => self.update_beside.execute(update_values(change, occurrence))?,
            None => self.remove_beside.execute([change.id.0, change.revision.0, change.job.0])?,
        };
        if written == 0 {
            return Ok(Written::Stale);
        }
        if schedule.is_none() && change.counted != Counters::default() {
            self.count.execute(count_values(change))?;
        }
        Ok(applied(change, None))
    }

    /// Adds to the counters in the schedule's row. Returns whether that row is as it was read.
    fn count_scheduled(&mut self, change: &WorkChange, schedule: (Revision, bool)) -> Result<bool, Error> {
        let (Revision(revision), last_failed) = schedule;
        let values = count_values(change).into_iter().chain([Some(revision), Some(last_failed.into())]);
        Ok(self.count_scheduled.execute(params_from_iter(values))? == 1)
    }
}

/// The values of [`COUNT`], with which those of [`COUNT_SCHEDULED`] begin.
fn count_values(change: &WorkChange) -> [Option<i64>; 9] {
    let Counters { executions, failures, faulted, last_started } = change.counted;
    let count = |count: u64| Some(i64::try_from(count).unwrap_or(i64::MAX));
    let [failed, attempted, shift, recent] = work::health_values(&change.health());
    let last_started = last_started.map(Timestamp::ticks);
    let [executions, failures, faulted] = [executions, failures, faulted].map(count);
    [Some(change.job.0), executions, failures, faulted, last_started, failed, attempted, shift, recent]
}

/// The values of [`UPDATE_BESIDE`].
fn update_values(change: &WorkChange, occurrence: &Occurrence) -> [Option<i64>; 11] {
    let open = Open::of(Some(occurrence));
    [
        Some(change.id.0),
        Some(change.revision.0),
        Some(change.job.0),
        Some(change.lane.0),
        open.nominal,
        open.phase,
        open.attempt.map(i64::from),
        open.wake_at,
        open.repeat.map(i64::from),
        open.series.map(i64::from),
        open.backlog_until,
    ]
}

/// A statement that is looked up when it is first needed.
struct Lazy<'db> {
    db: &'db Connection,
    sql: &'static str,
    statement: Option<CachedStatement<'db>>,
}

impl<'db> Lazy<'db> {
    const fn new(db: &'db Connection, sql: &'static str) -> Self {
        Self { db, sql, statement: None }
    }

    fn get(&mut self) -> Result<&mut CachedStatement<'db>, Error> {
        match &mut self.statement {
            Some(statement) => Ok(statement),
            empty => Ok(empty.insert(self.db.prepare_cached(self.sql)?)),
        }
    }

    fn execute(&mut self, values: impl Params) -> Result<usize, Error> {
        self.get()?.execute(values).map_err(refusal)
    }
}

/// What an error of SQLite means for a change: one that the schema does not allow is never written, however often that is
/// tried.
fn refusal(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch) => {
            Error::corrupt(error.to_string())
        }
        _ => error.into(),
    }
}
