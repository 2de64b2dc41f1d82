//! Signals: what happened to jobs that an alert may have to tell.
//!
//! They are written in the transaction of what happened, and only where an alert may want to hear of it. A signal says of which
//! job, hardly more: who takes it looks at how the job stands by then. So there is one of a kind for a job at most.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use punctual_model::alert::{Alert, Standing};
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use crate::alert::{SignalEntry, SignalKind};
use crate::cells::Cells;
use crate::columns::alert::alerts::scope_names;
use crate::columns::alert::signals::{ENDED, HEALTH, LATE, late_ticks, read_kind, read_standing};
use crate::damage::Damage;
use crate::error::Error;
use crate::history::HistoryEntry;
use crate::key::{CollectionId, JobId};
use crate::postgres::db::{Db, count};
use crate::postgres::error::Fault;
use crate::postgres::paths::path;

/// A signal takes the place of an older one of its kind. Its number is another one, so that who takes the old one does not
/// take it. The server's own jobs give none.
const INSERT: &str = "insert into signal (job, kind, at, value)
    select new.job, $1, new.at, new.value from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as new (job, at, value)
    where not exists (select 1 from job where id = new.job and collection = 0) order by new.job
    on conflict (job, kind) do update set id = nextval('signal_id'), at = excluded.at, value = excluded.value";

/// Failed attempts that an alert has to hear of, by their numbers: of the one that it waits for, and of later ones of a job
/// that is in no incident. Such a job was told of as one that had not run yet, or was disabled for a while.
const WANTED: &str = "select new.job from unnest($1::bigint[], $2::bigint[]) as new (job, count)
    where exists (select 1 from alert where failing_after = new.count or (failing_after < new.count and not exists
        (select 1 from incident_member where job = new.job and left_at is null and incident_member.alert = alert.id)))";

/// Jobs that have ended are not waited for.
const OF_FAILING: &str = "insert into signal (job, kind, at, value)
    select failing.job, $1, $2, 0 from failing join job on job.id = failing.job join collection on collection.id = job.collection
    where job.state = 0 and ($3::text is null or subscription = $3) and ($4::text is null or resource_group = $4)
        and ($5::text is null or collection.name = $5) and ($6::text is null or job.name = $6)
    order by failing.job
    on conflict (job, kind) do update set id = nextval('signal_id'), at = excluded.at, value = excluded.value";

const OF_COLLECTION: &str = "insert into signal (job, kind, at, value)
    select distinct incident_member.job, $1::bigint, $2::bigint, 0 from incident_member join job on job.id = incident_member.job
    where left_at is null and job.collection = $3
    on conflict (job, kind) do update set id = nextval('signal_id'), at = excluded.at, value = excluded.value";

/// A job, when something happened to it, and by how much it was late.
type NewSignal = (JobId, Timestamp, i64);

/// What alerts look for.
pub(in crate::postgres) struct Watch {
    has_alerts: bool,
    late_after: Option<i64>,
}

impl Watch {
    /// What alerts look for now: asked once for all that is written together.
    pub(in crate::postgres) async fn read(db: &Db) -> Result<Self, Fault> {
        let row = db.one("select count(*) > 0, min(late_after) from alert", &[]).await?;
        let mut cells = Cells::of(&row);
        Ok(Self { has_alerts: cells.next()?, late_after: cells.next()? })
    }

    /// Attempts have failed, each with its number since one succeeded, and whether something about it is new.
    pub(in crate::postgres) async fn failed(
        &self,
        db: &Db,
        failed: &[(JobId, Timestamp, i64, bool)],
    ) -> Result<(), Fault> {
        if !self.has_alerts {
            return Ok(());
        }
        let jobs: Vec<i64> = failed.iter().map(|(job, ..)| job.0).collect();
        let counts: Vec<i64> = failed.iter().map(|(_, _, count, _)| *count).collect();
        let rows = db.rows(WANTED, &[&jobs, &counts]).await?;
        let wanted: BTreeSet<i64> = rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?;
        let told = failed.iter().filter(|(job, _, _, is_new)| *is_new || wanted.contains(&job.0));
        insert(db, HEALTH, told.map(|(job, at, ..)| (*job, *at, 0))).await
    }

    /// Attempts have succeeded after others have failed.
    pub(in crate::postgres) async fn recovered(&self, db: &Db, recovered: &[NewSignal]) -> Result<(), Fault> {
        if self.has_alerts { insert(db, HEALTH, recovered.iter().copied()).await } else { Ok(()) }
    }

    /// Something came of jobs: some may have started late.
    pub(in crate::postgres) async fn ran<'a>(
        &self,
        db: &Db,
        entries: impl Iterator<Item = &'a HistoryEntry>,
    ) -> Result<(), Fault> {
        let Some(late_after) = self.late_after else { return Ok(()) };
        let late = |entry: &HistoryEntry| {
            let ticks = late_ticks(&entry.record).filter(|ticks| *ticks >= late_after)?;
            Some((entry.job, entry.record.started, ticks))
        };
        let signals: Vec<NewSignal> = entries.filter_map(late).collect();
        insert(db, LATE, signals.into_iter()).await
    }
}

/// An alert was written: it has to hear of jobs that fail already, of those that it watches.
pub(super) async fn of_failing(db: &Db, alert: &Alert, at: Timestamp) -> Result<(), Fault> {
    let [subscription, group, collection, job] = scope_names(alert);
    db.execute(OF_FAILING, &[&HEALTH, &at.ticks(), &subscription, &group, &collection, &job]).await?;
    Ok(())
}

/// A collection was enabled or disabled: incidents that its jobs are in have to hear of that.
pub(in crate::postgres) async fn of_collection(db: &Db, id: CollectionId, at: Timestamp) -> Result<(), Fault> {
    db.execute(OF_COLLECTION, &[&HEALTH, &at.ticks(), &id.0]).await?;
    Ok(())
}

/// Jobs have ended with a failure.
pub(in crate::postgres) async fn ended(db: &Db, jobs: &[(JobId, Timestamp)]) -> Result<(), Fault> {
    if jobs.is_empty() {
        return Ok(());
    }
    if db.exists("select 1::bigint from alert where tells_ended limit 1", &[]).await? {
        return insert(db, ENDED, jobs.iter().map(|(job, at)| (*job, *at, 0))).await;
    }
    of_members(db, jobs).await
}

/// A job was edited, has ended or is gone: an incident that it is in has to hear of that.
pub(in crate::postgres) async fn of_member(db: &Db, job: JobId, at: Timestamp) -> Result<(), Fault> {
    of_members(db, &[(job, at)]).await
}

async fn of_members(db: &Db, jobs: &[(JobId, Timestamp)]) -> Result<(), Fault> {
    let ids: Vec<i64> = jobs.iter().map(|(job, _)| job.0).collect();
    let sql = "select distinct job from incident_member where job = any($1) and left_at is null";
    let rows = db.rows(sql, &[&ids]).await?;
    let members: BTreeSet<i64> = rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?;
    let told = jobs.iter().filter(|(job, _)| members.contains(&job.0));
    insert(db, HEALTH, told.map(|(job, at)| (*job, *at, 0))).await
}

/// Writes signals of one kind: of each job the last one.
async fn insert(db: &Db, kind: i64, signals: impl Iterator<Item = NewSignal>) -> Result<(), Fault> {
    let last: BTreeMap<i64, (i64, i64)> = signals.map(|(job, at, value)| (job.0, (at.ticks(), value))).collect();
    if last.is_empty() {
        return Ok(());
    }
    let jobs: Vec<i64> = last.keys().copied().collect();
    let at: Vec<i64> = last.values().map(|(at, _)| *at).collect();
    let values: Vec<i64> = last.values().map(|(_, value)| *value).collect();
    db.execute(INSERT, &[&kind, &jobs, &at, &values]).await?;
    Ok(())
}

/// What happened to jobs, the earliest first.
pub(super) async fn page(db: &Db, limit: usize, damage: &Damage) -> Result<Vec<SignalEntry>, Fault> {
    let rows = db.rows("select id, job, kind, at, value from signal order by id limit $1", &[&count(limit)]).await?;
    let standings = standings(db, &rows, damage).await?;
    let mut signals = Vec::new();
    for row in &rows {
        let read = |row: &Row| {
            let mut cells = Cells::of(row);
            let (id, job) = (cells.next()?, JobId(cells.next()?));
            let (kind, at) = (cells.next()?, cells.next_required_instant()?);
            Ok((id, job, read_kind(kind, cells.next()?)?, at))
        };
        let read: Result<(i64, JobId, SignalKind, Timestamp), Error> = read(row);
        let Some((id, job, kind, at)) = damage.sieve(read)? else { continue };
        let Some((target, standing)) = standings.get(&job.0).cloned() else { continue };
        // A job that cannot be read is in trouble of another kind; its alerts take it for gone.
        let path = path_of(db, job, damage).await?;
        signals.push(SignalEntry { id, job, path, target, kind, at, standing });
    }
    Ok(signals)
}

async fn path_of(db: &Db, job: JobId, damage: &Damage) -> Result<Option<Arc<str>>, Fault> {
    match path(db, job).await {
        Err(Fault::Final(error)) => Ok(damage.sieve(Err(error))?),
        path => path,
    }
}

/// What the jobs of signals call, and how they stand, without those that cannot be read.
async fn standings(db: &Db, signals: &[Row], damage: &Damage) -> Result<HashMap<i64, (String, Standing)>, Fault> {
    let job = |row: &Row| {
        let mut cells = Cells::of(row);
        cells.skip(1);
        cells.next()
    };
    let jobs: Vec<i64> = signals.iter().map(job).collect::<Result<_, Error>>()?;
    let gone = (String::new(), Standing { state: None, failing: None });
    let mut standings: HashMap<i64, (String, Standing)> = jobs.iter().map(|job| (*job, gone.clone())).collect();
    let sql = "select coalesce(failing.target, job.target), state, stopped_at is not null, class, count, given_up, started, job.id
        from job join collection on collection.id = job.collection left join failing on failing.job = job.id
        where job.id = any($1)";
    for row in &db.rows(sql, &[&jobs]).await? {
        let mut cells = Cells::of(row);
        cells.skip(7);
        let id = cells.next()?;
        match damage.sieve(read_standing(row))? {
            Some(standing) => standings.insert(id, standing),
            None => standings.remove(&id),
        };
    }
    Ok(standings)
}

/// Takes signals.
pub(super) async fn take(db: &Db, ids: &[i64]) -> Result<(), Fault> {
    db.execute("delete from signal where id = any($1)", &[&ids]).await?;
    Ok(())
}
