//! Signals: what happened to jobs that an alert may have to tell.
//!
//! They are written in the transaction of what happened, and only where an alert may want to hear of it. A signal says of which
//! job, hardly more: who takes it looks at how the job stands by then. So there is one of a kind for a job at most.

use punctual_model::alert::{Alert, Standing};
use punctual_model::history::Record;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::alerts;
use crate::alert::SignalEntry;
use crate::columns::alert::signals::{ENDED, HEALTH, LATE, late_ticks, read_kind, read_standing};
use crate::error::Error;
use crate::key::{CollectionId, JobId};
use crate::sqlite::cells::Cells;
use crate::sqlite::damage::Damage;
use crate::sqlite::open_job;

/// A signal takes the place of an older one of its kind. Its number is another one, so that who takes the old one does not
/// take it. The server's own jobs give none.
const INSERT: &str = "insert or replace into signal (job, kind, at, value) select ?1, ?2, ?3, ?4
    where not exists (select 1 from job where id = ?1 and collection = 0)";

/// Whether an alert has to hear of the failed attempt of that number: of the one that it waits for, and of later ones of a job
/// that is in no incident. Such a job was told of as one that had not run yet, or was disabled for a while.
const IS_WANTED: &str = "select 1 from alert where failing_after = ?1 or (failing_after < ?1 and not exists
    (select 1 from incident_member where job = ?2 and left_at is null and incident_member.alert = alert.id)) limit 1";

/// Jobs that have ended are not waited for.
const OF_FAILING: &str = "insert or replace into signal (job, kind, at, value)
    select failing.job, ?1, ?2, 0 from failing join job on job.id = failing.job join collection on collection.id = job.collection
    where job.state = 0 and (?3 is null or subscription = ?3) and (?4 is null or resource_group = ?4)
        and (?5 is null or collection.name = ?5) and (?6 is null or job.name = ?6)";

const OF_COLLECTION: &str = "insert or replace into signal (job, kind, at, value)
    select distinct incident_member.job, ?1, ?2, 0 from incident_member join job on job.id = incident_member.job
    where left_at is null and job.collection = ?3";

/// What alerts look for.
pub(in crate::sqlite) struct Watch<'db> {
    db: &'db Connection,
    has_alerts: bool,
    late_after: Option<i64>,
}

impl<'db> Watch<'db> {
    /// What alerts look for now: asked once for all that is written together.
    pub(in crate::sqlite) fn read(db: &'db Connection) -> Result<Self, Error> {
        let mut statement = db.prepare_cached("select count(*) > 0, min(late_after) from alert")?;
        let (has_alerts, late_after) = statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Self { db, has_alerts, late_after })
    }

    /// An attempt has failed, the one of that number since one succeeded. `is_other`: something about it is new.
    pub(in crate::sqlite) fn failed(&self, job: JobId, at: Timestamp, count: i64, is_other: bool) -> Result<(), Error> {
        if !self.has_alerts {
            return Ok(());
        }
        let mut is_wanted = self.db.prepare_cached(IS_WANTED)?;
        if is_other || is_wanted.exists([count, job.0])? { insert(self.db, job, HEALTH, at, 0) } else { Ok(()) }
    }

    /// An attempt has succeeded after others have failed.
    pub(in crate::sqlite) fn recovered(&self, job: JobId, at: Timestamp) -> Result<(), Error> {
        if self.has_alerts { insert(self.db, job, HEALTH, at, 0) } else { Ok(()) }
    }

    /// Something came of a job: it may have started late.
    pub(in crate::sqlite) fn ran(&self, job: JobId, record: &Record) -> Result<(), Error> {
        let (Some(late_after), Some(late_ticks)) = (self.late_after, late_ticks(record)) else { return Ok(()) };
        if late_ticks >= late_after { insert(self.db, job, LATE, record.started, late_ticks) } else { Ok(()) }
    }
}

/// An alert was written: it has to hear of jobs that fail already, of those that it watches.
pub(super) fn of_failing(db: &Connection, alert: &Alert, at: Timestamp) -> Result<(), Error> {
    let [subscription, group, collection, job] = alerts::scope_names(alert);
    let values = params![HEALTH, at.ticks(), subscription, group, collection, job];
    db.prepare_cached(OF_FAILING)?.execute(values)?;
    Ok(())
}

/// A collection was enabled or disabled: incidents that its jobs are in have to hear of that.
pub(in crate::sqlite) fn of_collection(db: &Connection, id: CollectionId, at: Timestamp) -> Result<(), Error> {
    db.prepare_cached(OF_COLLECTION)?.execute(params![HEALTH, at.ticks(), id.0])?;
    Ok(())
}

/// A job has ended with a failure.
pub(in crate::sqlite) fn ended(db: &Connection, job: JobId, at: Timestamp) -> Result<(), Error> {
    let is_wanted = db.prepare_cached("select 1 from alert where tells_ended limit 1")?.exists([])?;
    if is_wanted { insert(db, job, ENDED, at, 0) } else { of_member(db, job, at) }
}

/// A job was edited, has ended or is gone: an incident that it is in has to hear of that.
pub(in crate::sqlite) fn of_member(db: &Connection, job: JobId, at: Timestamp) -> Result<(), Error> {
    let mut statement = db.prepare_cached("select 1 from incident_member where job = ?1 and left_at is null")?;
    if statement.exists([job.0])? { insert(db, job, HEALTH, at, 0) } else { Ok(()) }
}

fn insert(db: &Connection, job: JobId, kind: i64, at: Timestamp, value: i64) -> Result<(), Error> {
    db.prepare_cached(INSERT)?.execute([job.0, kind, at.ticks(), value])?;
    Ok(())
}

/// What happened to jobs, the earliest first.
pub(super) fn page(db: &Connection, limit: usize, damage: &Damage) -> Result<Vec<SignalEntry>, Error> {
    let mut statement = db.prepare_cached("select id, job, kind, at, value from signal order by id limit ?1")?;
    let rows = statement.query(params![limit])?;
    damage.read_page(rows, limit, |row| read(db, row))
}

fn read(db: &Connection, row: &Row<'_>) -> Result<SignalEntry, Error> {
    let mut cells = Cells::of(row);
    let (id, job) = (cells.next()?, JobId(cells.next()?));
    let (kind, at) = (cells.next()?, cells.next_required_instant()?);
    let kind = read_kind(kind, cells.next()?)?;
    // A job that cannot be read is in trouble of another kind; its alerts take it for gone.
    let path = open_job::path(db, job).ok().flatten().map(Into::into);
    let (target, standing) = standing(db, job)?;
    Ok(SignalEntry { id, job, path, target, kind, at, standing })
}

/// What a job calls, and how it stands.
fn standing(db: &Connection, id: JobId) -> Result<(String, Standing), Error> {
    let mut statement = db.prepare_cached(
        "select coalesce(failing.target, job.target), state, stopped_at is not null, class, count, given_up, started
         from job join collection on collection.id = job.collection left join failing on failing.job = job.id
         where job.id = ?1",
    )?;
    let found = statement.query_row([id.0], |row| Ok(read_standing(row))).optional()?.transpose()?;
    Ok(found.unwrap_or((String::new(), Standing { state: None, failing: None })))
}

/// Takes signals.
pub(super) fn take(db: &Connection, ids: &[i64]) -> Result<(), Error> {
    let mut statement = db.prepare_cached("delete from signal where id = ?1")?;
    ids.iter().try_for_each(|id| statement.execute([id]).map(drop))?;
    Ok(())
}
