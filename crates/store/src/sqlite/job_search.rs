//! Jobs that are looked for in many collections.
//!
//! A search reads the few columns that its filter looks at, most of them from an index, and opens only the jobs it has found:
//! opening a job decrypts and parses its definition, which takes many times as long as looking at it.

use std::collections::HashMap;

use punctual_model::Name;
use punctual_model::health::{RecentOutcome, RecentOutcomes};
use punctual_model::job::State;
use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::cells::Cells;
use super::damage::Damage;
use super::{due, job};
use crate::error::Error;
use crate::job_search::{
    FailingSince, FoundJob, FoundJobs, JobFacts, JobFilter, JobPlace, JobSearch, JobSort, JobStart,
};
use crate::key::{CollectionId, JobId, WorkId};
use crate::record::codes;
use crate::seal::Keyring;
use crate::shards::Shards;
use crate::work_store::{DueKey, DuePage, DueStart};

/// Keys of what wakes that are read at once.
const KEYS: usize = 1000;

/// In collections with no more jobs than this, the keys of all of them are read and sorted. Else the index of all jobs that
/// wake is walked, in which jobs of the wanted collections may be few and far between.
const SORTED_MAX: u64 = 5000;

/// A collection that is not deleted.
const COLLECTION: &str = "select stopped_at is not null, jobs from collection where id = ?1 and deleted_at is null";

/// Jobs that fail, those that began last first.
pub(super) const FAILING: &str =
    "select since, job from failing where (since, job) < (?1, ?2) order by since desc, job desc";

/// The same of one collection, in no order.
pub(super) const FAILING_IN_COLLECTION: &str =
    "select since, job from failing where collection = ?3 and (since, job) < (?1, ?2)";

/// When the enabled jobs of a collection wake, in no order.
pub(super) const WAKES_IN_COLLECTION: &str = "select wake_at, work.lane, work.id from job indexed by job_searched
    cross join work on work.id = job.id where job.collection = ?1 and state = 0 and wake_at is not null";

/// Looks for jobs.
pub(super) fn find(
    db: &Connection,
    keyring: &Keyring,
    search: &JobSearch,
    damage: &Damage,
) -> Result<FoundJobs, Error> {
    let collections = read_collections(db, &search.collections)?;
    let mut finder = Finder { db, keyring, search, damage, collections, found: FoundJobs::default() };
    match &search.start {
        JobStart::Name(after) => finder.walk_names(after.as_ref())?,
        JobStart::NextRun(after) => finder.walk_wakes(*after)?,
        JobStart::FailingSince(after) => finder.walk_failing(*after)?,
    }
    Ok(finder.found)
}

/// The SQL that looks at the jobs of a collection after a name.
pub(super) fn named_sql(filter: &JobFilter) -> String {
    // Few jobs fail and few are not enabled, and indexes hold those.
    let (from, condition) = match (filter.outcome, filter.state) {
        (Some(RecentOutcome::Failed), _) => (
            "failing indexed by failing_in_collection cross join job on job.id = failing.job",
            "failing.collection = ?1 and ".to_owned(),
        ),
        (_, None | Some(State::Enabled)) => ("job indexed by job_searched", String::new()),
        (_, Some(state)) => {
            ("job indexed by job_not_enabled", format!("state <> 0 and state = {} and ", codes::state(state)))
        }
    };
    let facts = facts_sql(filter, from);
    format!("{facts} where {condition}job.collection = ?1 and job.name > ?2 order by job.name")
}

/// The SQL that looks at one job.
pub(super) fn numbered_sql(filter: &JobFilter) -> String {
    format!("{} where job.id = ?1", facts_sql(filter, "job"))
}

/// Selects what [`Facts::read`] takes; what the filter does not look at is not read.
fn facts_sql(filter: &JobFilter, from: &str) -> String {
    let looks_at_work = matches!(filter.outcome, Some(RecentOutcome::Succeeded | RecentOutcome::NotRun))
        || filter.without == Some(JobSort::NextRun);
    let looks_at_failing =
        filter.outcome == Some(RecentOutcome::Failed) || filter.without == Some(JobSort::FailingSince);
    let (work, recent) = if looks_at_work {
        (" cross join work on work.id = job.id", "work.recent, work.wake_at is not null")
    } else {
        ("", "0, 0")
    };
    let fails = if looks_at_failing { "exists (select 1 from failing as fails where fails.job = job.id)" } else { "0" };
    format!("select job.id, job.collection, job.name, job.target, job.state, {recent}, {fails} from {from}{work}")
}

/// What a search must know of a collection.
struct Searched {
    is_stopped: bool,
    jobs: u64,
}

fn read_collections(db: &Connection, ids: &[CollectionId]) -> Result<HashMap<CollectionId, Searched>, Error> {
    let mut statement = db.prepare_cached(COLLECTION)?;
    let mut collections = HashMap::with_capacity(ids.len());
    for id in ids {
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?));
        if let Some((is_stopped, jobs)) = statement.query_row([id.0], read).optional()? {
            collections.insert(*id, Searched { is_stopped, jobs: jobs.try_into().unwrap_or(0) });
        }
    }
    Ok(collections)
}

/// What a filter looks at, with the numbers of the job and of its collection.
struct Facts<'a> {
    id: JobId,
    collection: CollectionId,
    name: &'a str,
    target: &'a str,
    state: State,
    recent: RecentOutcomes,
    wakes: bool,
    is_failing: bool,
}

impl<'a> Facts<'a> {
    fn read(row: &'a Row<'a>) -> Result<Self, Error> {
        let mut cells = Cells::of(row);
        Ok(Self {
            id: JobId(cells.next()?),
            collection: CollectionId(cells.next()?),
            name: cells.next_text()?,
            target: cells.next_text()?,
            state: job::read_state(cells.next()?)?,
            recent: RecentOutcomes(cells.next::<i64>()?.cast_unsigned()),
            wakes: cells.next()?,
            is_failing: cells.next()?,
        })
    }
}

/// A search under way.
struct Finder<'a> {
    db: &'a Connection,
    keyring: &'a Keyring,
    search: &'a JobSearch,
    damage: &'a Damage,
    /// Without those that are deleted.
    collections: HashMap<CollectionId, Searched>,
    found: FoundJobs,
}

impl Finder<'_> {
    /// Looks at jobs by collection and name.
    fn walk_names(&mut self, after: Option<&Name>) -> Result<(), Error> {
        let mut statement = self.db.prepare_cached(&named_sql(&self.search.filter))?;
        for (at, collection) in self.search.collections.iter().enumerate() {
            if !self.collections.contains_key(collection) {
                continue;
            }
            let after = after.filter(|_| at == 0).map_or("", Name::folded);
            let mut rows = statement.query(params![collection.0, after])?;
            while let Some(row) = rows.next()? {
                let Some(facts) = self.damage.sieve(Facts::read(row))? else { continue };
                self.look(&facts, None)?;
                if self.stop_if_done(|| Ok(JobPlace::Name(*collection, parse_name(facts.name)?)))? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Looks at enabled jobs in the order in which they wake.
    fn walk_wakes(&mut self, after: Option<DueKey>) -> Result<(), Error> {
        let mut start = after.map_or(DueStart::Beginning, DueStart::After);
        let is_sorted = self.jobs() <= SORTED_MAX;
        loop {
            let keys = if is_sorted { self.sort_wakes(start)? } else { self.read_wakes(start)? };
            let is_last = is_sorted || keys.len() < KEYS;
            for key in keys {
                // What runs beside the schedule is no next run of the job.
                if key.id == WorkId::from(key.job) {
                    self.look_at(key.job, JobPlace::NextRun(key))?;
                }
                if self.stop_if_done(|| Ok(JobPlace::NextRun(key)))? {
                    return Ok(());
                }
                start = DueStart::After(key);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn read_wakes(&self, start: DueStart) -> Result<Vec<DueKey>, Error> {
        let page = DuePage { shards: Shards::ALL, start, until: Timestamp::MAX, lane: None, limit: KEYS };
        due::page(self.db, &page, self.damage)
    }

    fn sort_wakes(&self, start: DueStart) -> Result<Vec<DueKey>, Error> {
        let mut statement = self.db.prepare_cached(WAKES_IN_COLLECTION)?;
        let mut keys = Vec::new();
        for (id, _) in self.collections.iter().filter(|(_, collection)| !collection.is_stopped) {
            let mut rows = statement.query([id.0])?;
            while let Some(row) = rows.next()? {
                let key = self.damage.sieve(read_wake(row))?;
                keys.extend(key.filter(|key| start.has(key)));
            }
        }
        keys.sort_unstable();
        Ok(keys)
    }

    /// Looks at jobs that fail, those that began last first.
    fn walk_failing(&mut self, after: Option<FailingSince>) -> Result<(), Error> {
        let (since, job) = after.map_or((i64::MAX, i64::MAX), |after| (after.since.ticks(), after.job.0));
        let read = |row: &Row<'_>| {
            let mut cells = Cells::of(row);
            Ok(FailingSince { since: cells.next_required_instant()?, job: JobId(cells.next()?) })
        };
        let places = if self.jobs() <= SORTED_MAX {
            let mut statement = self.db.prepare_cached(FAILING_IN_COLLECTION)?;
            let mut places = Vec::new();
            for id in self.collections.keys() {
                let rows = statement.query([since, job, id.0])?;
                places.extend(self.damage.read_page(rows, usize::MAX, |row| read(row))?);
            }
            places.sort_by_key(|place| std::cmp::Reverse((place.since, place.job)));
            places
        } else {
            let mut statement = self.db.prepare_cached(FAILING)?;
            let rows = statement.query([since, job])?;
            let most = self.search.looks - self.found.looked_at;
            self.damage.read_page(rows, most, |row| read(row))?
        };
        for place in places {
            self.look_at(place.job, JobPlace::FailingSince(place))?;
            if self.stop_if_done(|| Ok(JobPlace::FailingSince(place)))? {
                break;
            }
        }
        Ok(())
    }

    /// How many jobs the collections have.
    fn jobs(&self) -> u64 {
        self.collections.values().map(|collection| collection.jobs).sum()
    }

    /// Looks at the job of that number, which has that place in an order.
    fn look_at(&mut self, id: JobId, place: JobPlace) -> Result<(), Error> {
        let mut statement = self.db.prepare_cached(&numbered_sql(&self.search.filter))?;
        let mut rows = statement.query([id.0])?;
        let Some(row) = rows.next()? else { return Ok(()) };
        let Some(facts) = self.damage.sieve(Facts::read(row))? else { return Ok(()) };
        self.look(&facts, Some(place))
    }

    /// Opens a job if it is one that is looked for. Without a place it is listed by its name.
    fn look(&mut self, facts: &Facts<'_>, place: Option<JobPlace>) -> Result<(), Error> {
        self.found.looked_at += 1;
        let Some(collection) = self.collections.get(&facts.collection) else { return Ok(()) };
        let runs = facts.state == State::Enabled && !collection.is_stopped;
        if matches!(place, Some(JobPlace::NextRun(_))) && !runs {
            return Ok(());
        }
        let Facts { name, target, state, recent, is_failing, .. } = *facts;
        let has_next_run = runs && facts.wakes;
        if !self.search.filter.admits(&JobFacts { name, target, state, recent, is_failing, has_next_run }) {
            return Ok(());
        }
        let job = self.damage.sieve(job::get_numbered(self.db, self.keyring, facts.id))?;
        let Some(job) = job.flatten() else { return Ok(()) };
        let collection = facts.collection;
        let place = place.unwrap_or_else(|| JobPlace::Name(collection, job.name.clone()));
        self.found.jobs.push(FoundJob { collection, job, place });
        Ok(())
    }

    /// Ends the search where enough was found or looked at, and says whether it has ended. `place` is where it is.
    fn stop_if_done(&mut self, place: impl FnOnce() -> Result<JobPlace, Error>) -> Result<bool, Error> {
        if self.found.jobs.len() >= self.search.limit {
            return Ok(true);
        }
        let is_over = self.found.looked_at >= self.search.looks;
        if is_over {
            self.found.stopped_at = Some(place()?);
        }
        Ok(is_over)
    }
}

fn read_wake(row: &Row<'_>) -> Result<DueKey, Error> {
    let mut cells = Cells::of(row);
    let (wake_at, lane, id) = (cells.next_required_instant()?, Lane(cells.next()?), cells.next()?);
    Ok(DueKey { wake_at, lane, id: WorkId(id), job: JobId(id) })
}

fn parse_name(folded: &str) -> Result<Name, Error> {
    Name::parse(folded).map_err(|reason| Error::corrupt(reason.to_string()))
}
