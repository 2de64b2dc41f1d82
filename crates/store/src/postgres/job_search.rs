//! Jobs that are looked for in many collections.
//!
//! A search reads the few columns that its filter looks at, some hundreds of jobs at a time, and opens only the jobs it has found:
//! opening a job decrypts and parses its definition, which takes many times as long as looking at it.

use std::collections::HashMap;

use punctual_model::Name;
use punctual_model::health::{RecentOutcome, RecentOutcomes};
use punctual_model::job::State;
use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use tokio_postgres::Row;

use super::db::{Db, count};
use super::error::Fault;
use super::{due, job};
use crate::cells::Cells;
use crate::columns::job::read_state;
use crate::damage::Damage;
use crate::error::Error;
use crate::job::JobEntry;
use crate::job_search::{
    FailingSince, FoundJob, FoundJobs, JobFacts, JobFilter, JobPlace, JobSearch, JobSort, JobStart,
};
use crate::key::{CollectionId, JobId, WorkId};
use crate::record::codes;
use crate::seal::Keyring;
use crate::shards::Shards;
use crate::work_store::{DueKey, DuePage, DueStart};

/// Jobs that are looked at at once, at least and at most.
const LOOKS_MIN: usize = 50;
const LOOKS_MAX: usize = 1000;

/// In collections with no more jobs than this, the keys of all of them are read and sorted. Else the index of all jobs that
/// wake is walked, in which jobs of the wanted collections may be few and far between.
const SORTED_MAX: u64 = 5000;

/// Looks for jobs.
pub(super) async fn find(db: &Db, keyring: &Keyring, search: &JobSearch, damage: &Damage) -> Result<FoundJobs, Fault> {
    let collections = read_collections(db, &search.collections).await?;
    let mut finder = Finder { db, keyring, search, damage, collections, found: FoundJobs::default() };
    match &search.start {
        JobStart::Name(after) => finder.walk_names(after.as_ref()).await?,
        JobStart::NextRun(after) => finder.walk_wakes(*after).await?,
        JobStart::FailingSince(after) => finder.walk_failing(*after).await?,
    }
    Ok(finder.found)
}

/// What a search must know of a collection.
struct Searched {
    is_stopped: bool,
    jobs: u64,
}

async fn read_collections(db: &Db, ids: &[CollectionId]) -> Result<HashMap<CollectionId, Searched>, Fault> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let sql = "select id, stopped_at is not null, jobs from collection where id = any($1) and deleted_at is null";
    let rows = db.rows(sql, &[&ids]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((CollectionId(cells.next()?), Searched { is_stopped: cells.next()?, jobs: cells.next()? }))
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

/// The statement that looks at the jobs of a collection after a name.
fn named_sql(filter: &JobFilter) -> String {
    // Few jobs fail and few are not enabled, and indexes hold those.
    let (from, condition) = match (filter.outcome, filter.state) {
        (Some(RecentOutcome::Failed), _) => {
            ("failing join job on job.id = failing.job", "failing.collection = $1 and ".to_owned())
        }
        (_, None | Some(State::Enabled)) => ("job", String::new()),
        (_, Some(state)) => ("job", format!("job.state <> 0 and job.state = {} and ", codes::state(state))),
    };
    let facts = facts_sql(filter, from);
    format!("{facts} where {condition}job.collection = $1 and job.name > $2 order by job.name limit $3")
}

/// Selects what [`Facts::read`] takes; what the filter does not look at is not read.
fn facts_sql(filter: &JobFilter, from: &str) -> String {
    let looks_at_work = matches!(filter.outcome, Some(RecentOutcome::Succeeded | RecentOutcome::NotRun))
        || filter.without == Some(JobSort::NextRun);
    let looks_at_failing =
        filter.outcome == Some(RecentOutcome::Failed) || filter.without == Some(JobSort::FailingSince);
    let (work, recent) = if looks_at_work {
        (" join work on work.id = job.id", "work.recent, work.wake_at is not null")
    } else {
        ("", "0::bigint, false")
    };
    let fails =
        if looks_at_failing { "exists (select 1 from failing as fails where fails.job = job.id)" } else { "false" };
    format!("select job.id, job.collection, job.name, job.target, job.state, {recent}, {fails} from {from}{work}")
}

/// What a filter looks at, with the numbers of the job and of its collection.
struct Facts {
    id: JobId,
    collection: CollectionId,
    name: String,
    target: String,
    state: State,
    recent: RecentOutcomes,
    wakes: bool,
    is_failing: bool,
}

impl Facts {
    fn read(row: &Row) -> Result<Self, Error> {
        let mut cells = Cells::of(row);
        Ok(Self {
            id: JobId(cells.next()?),
            collection: CollectionId(cells.next()?),
            name: cells.next()?,
            target: cells.next()?,
            state: read_state(cells.next()?)?,
            recent: RecentOutcomes(cells.next::<i64>()?.cast_unsigned()),
            wakes: cells.next()?,
            is_failing: cells.next()?,
        })
    }
}

/// A step of a search: where it is, and the job that is there, if it is one to look at.
struct Step {
    place: JobPlace,
    facts: Option<Facts>,
}

/// A search under way.
struct Finder<'a> {
    db: &'a Db,
    keyring: &'a Keyring,
    search: &'a JobSearch,
    damage: &'a Damage,
    /// Without those that are deleted.
    collections: HashMap<CollectionId, Searched>,
    found: FoundJobs,
}

impl Finder<'_> {
    /// Looks at jobs by collection and name.
    async fn walk_names(&mut self, after: Option<&Name>) -> Result<(), Fault> {
        let sql = named_sql(&self.search.filter);
        for (at, collection) in self.search.collections.iter().enumerate() {
            if !self.collections.contains_key(collection) {
                continue;
            }
            let mut after = after.filter(|_| at == 0).map_or_else(String::new, |name| name.folded().to_owned());
            loop {
                let looks = self.next_looks();
                let rows = self.db.rows(&sql, &[&collection.0, &after, &count(looks)]).await?;
                let mut steps = Vec::with_capacity(rows.len());
                for row in &rows {
                    let Some(facts) = self.damage.sieve(Facts::read(row))? else { continue };
                    after.clone_from(&facts.name);
                    let name = Name::parse(&facts.name).map_err(|reason| Error::corrupt(reason.to_string()))?;
                    steps.push(Step { place: JobPlace::Name(*collection, name), facts: Some(facts) });
                }
                if self.take(steps).await? {
                    return Ok(());
                }
                if rows.len() < looks {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Looks at enabled jobs in the order in which they wake.
    async fn walk_wakes(&mut self, after: Option<DueKey>) -> Result<(), Fault> {
        let mut start = after.map_or(DueStart::Beginning, DueStart::After);
        let is_sorted = self.jobs() <= SORTED_MAX;
        loop {
            let keys = if is_sorted { self.sort_wakes(start).await? } else { self.read_wakes(start).await? };
            let is_last = is_sorted || keys.len() < LOOKS_MAX;
            for some in keys.chunks(self.next_looks()) {
                // What runs beside the schedule is no next run of the job.
                let of_schedule = |key: &&DueKey| key.id == WorkId::from(key.job);
                let mut facts = self.read_facts(some.iter().filter(of_schedule).map(|key| key.job)).await?;
                let step = |key: &DueKey| Step {
                    place: JobPlace::NextRun(*key),
                    facts: Some(key).filter(of_schedule).and_then(|key| facts.remove(&key.job)),
                };
                let steps = some.iter().map(step).collect();
                if self.take(steps).await? {
                    return Ok(());
                }
            }
            let Some(last) = keys.last().filter(|_| !is_last) else { return Ok(()) };
            start = DueStart::After(*last);
        }
    }

    async fn read_wakes(&self, start: DueStart) -> Result<Vec<DueKey>, Fault> {
        let page = DuePage { shards: Shards::ALL, start, until: Timestamp::MAX, lane: None, limit: LOOKS_MAX };
        due::page(self.db, &page, self.damage).await
    }

    async fn sort_wakes(&self, start: DueStart) -> Result<Vec<DueKey>, Fault> {
        let running = self.collections.iter().filter(|(_, collection)| !collection.is_stopped);
        let ids: Vec<i64> = running.map(|(id, _)| id.0).collect();
        let sql = "select wake_at, work.lane, work.id from job join work on work.id = job.id
            where job.collection = any($1) and state = 0 and wake_at is not null";
        let mut keys = Vec::new();
        for row in &self.db.rows(sql, &[&ids]).await? {
            let key = self.damage.sieve(read_wake(row))?;
            keys.extend(key.filter(|key| start.has(key)));
        }
        keys.sort_unstable();
        Ok(keys)
    }

    /// Looks at jobs that fail, those that began last first.
    async fn walk_failing(&mut self, after: Option<FailingSince>) -> Result<(), Fault> {
        let (since, job) = after.map_or((i64::MAX, i64::MAX), |after| (after.since.ticks(), after.job.0));
        let ids: Option<Vec<i64>> =
            (self.jobs() <= SORTED_MAX).then(|| self.collections.keys().map(|collection| collection.0).collect());
        let sql = "select since, job from failing
            where (since, job) < ($1, $2) and ($3::bigint[] is null or collection = any($3))
            order by since desc, job desc";
        let read = |row: &Row| {
            let mut cells = Cells::of(row);
            Ok(FailingSince { since: cells.next_required_instant()?, job: JobId(cells.next()?) })
        };
        let most = self.search.looks - self.found.looked_at;
        let places = self.db.read_page(sql, &[&since, &job, &ids], most, self.damage, read).await?;
        for some in places.chunks(self.next_looks()) {
            let mut facts = self.read_facts(some.iter().map(|place| place.job)).await?;
            let step =
                |place: &FailingSince| Step { place: JobPlace::FailingSince(*place), facts: facts.remove(&place.job) };
            let steps = some.iter().map(step).collect();
            if self.take(steps).await? {
                break;
            }
        }
        Ok(())
    }

    /// How many jobs the collections have.
    fn jobs(&self) -> u64 {
        self.collections.values().map(|collection| collection.jobs).sum()
    }

    /// How many jobs are looked at next: about as many as are still wanted, and more where few of them are.
    fn next_looks(&self) -> usize {
        (self.search.limit - self.found.jobs.len()).saturating_add(self.found.looked_at).clamp(LOOKS_MIN, LOOKS_MAX)
    }

    /// What the filter looks at of these jobs, without those that cannot be read.
    async fn read_facts(&self, jobs: impl Iterator<Item = JobId>) -> Result<HashMap<JobId, Facts>, Fault> {
        let ids: Vec<i64> = jobs.map(|job| job.0).collect();
        let sql = format!("{} where job.id = any($1)", facts_sql(&self.search.filter, "job"));
        let mut found = HashMap::with_capacity(ids.len());
        for row in &self.db.rows(&sql, &[&ids]).await? {
            found.extend(self.damage.sieve(Facts::read(row))?.map(|facts| (facts.id, facts)));
        }
        Ok(found)
    }

    /// Takes steps until enough was found or looked at, and says whether it was. Opens jobs that are looked for.
    async fn take(&mut self, steps: Vec<Step>) -> Result<bool, Fault> {
        let admitted: Vec<JobId> = steps.iter().filter(|step| self.admits(step)).filter_map(Step::job).collect();
        // As many as are wanted, together. If some of them cannot be read, others take their places.
        let (first, others) = admitted.split_at(admitted.len().min(self.search.limit - self.found.jobs.len()));
        let mut opened = self.open(first).await?;
        for step in steps {
            self.found.looked_at += usize::from(step.facts.is_some());
            if let Some(facts) = step.facts.as_ref().filter(|_| self.admits(&step)) {
                if others.contains(&facts.id) {
                    opened.extend(self.open(&[facts.id]).await?);
                }
                if let Some(job) = opened.remove(&facts.id) {
                    let place = match &step.place {
                        JobPlace::Name(collection, _) => JobPlace::Name(*collection, job.name.clone()),
                        other => other.clone(),
                    };
                    self.found.jobs.push(FoundJob { collection: facts.collection, job, place });
                }
            }
            if self.found.jobs.len() >= self.search.limit {
                return Ok(true);
            }
            if self.found.looked_at >= self.search.looks {
                self.found.stopped_at = Some(step.place);
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn open(&self, jobs: &[JobId]) -> Result<HashMap<JobId, JobEntry>, Fault> {
        let ids: Vec<i64> = jobs.iter().map(|job| job.0).collect();
        let opened = job::get_numbered(self.db, self.keyring, &ids, self.damage).await?;
        Ok(opened.into_iter().map(|job| (job.id, job)).collect())
    }

    /// Whether the job of a step is one that is looked for.
    fn admits(&self, step: &Step) -> bool {
        let Some(facts) = &step.facts else { return false };
        let Some(collection) = self.collections.get(&facts.collection) else { return false };
        let runs = facts.state == State::Enabled && !collection.is_stopped;
        if matches!(step.place, JobPlace::NextRun(_)) && !runs {
            return false;
        }
        let Facts { name, target, state, recent, is_failing, wakes, .. } = facts;
        self.search.filter.admits(&JobFacts {
            name,
            target,
            state: *state,
            recent: *recent,
            is_failing: *is_failing,
            has_next_run: runs && *wakes,
        })
    }
}

impl Step {
    fn job(&self) -> Option<JobId> {
        self.facts.as_ref().map(|facts| facts.id)
    }
}

fn read_wake(row: &Row) -> Result<DueKey, Error> {
    let mut cells = Cells::of(row);
    let (wake_at, lane, id) = (cells.next_required_instant()?, Lane(cells.next()?), cells.next()?);
    Ok(DueKey { wake_at, lane, id: WorkId(id), job: JobId(id) })
}
