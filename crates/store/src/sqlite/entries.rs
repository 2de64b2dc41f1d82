//! What the engine reads before it decides: rows of work, and the definitions they are run by.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use punctual_model::dispatch::InFlight;
use punctual_model::lane::Lane;
use punctual_model::progress::Progress;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

use super::cells::Cells;
use super::collection_cache::CollectionCache;
use super::work;
use crate::collection::EndedStop;
use crate::columns::entries::{definition, read_sku};
use crate::columns::job::Described;
use crate::error::Error;
use crate::key::{CollectionId, JobId, Revision, WorkId};
use crate::record::{self, codes};
use crate::seal::Keyring;
use crate::work_store::{DefinitionRead, JobDefinition, OpenWork, WorkEntry, WorkPage, WorkRead};

/// A row of work, beginning with the columns of [`work::PROGRESS`], with its job.
pub(super) const WORK: &str =
    "select work.nominal, work.phase, work.attempt, work.wake_at, work.repeat, work.series, work.backlog_until,
        work.accounted, work.walked_series, work.started, work.last_failed,
        work.id, work.job, work.kind, work.manual, work.revision, work.lane, work.resends, job.id, job.revision, job.name,
        job.collection, work.failure
    from work
    join job on job.id = coalesce(work.job, work.id)
    where work.id = ?1";

/// Occurrences of the schedule of a job that stand in rows beside it, but for the row itself.
pub(super) const SCHEDULED_BESIDE: &str = "select count(*) from work where job = ?1 and kind = 0 and id <> ?2";

/// The schedule beside which something runs: the columns of [`work::PROGRESS`], and its revision.
const SCHEDULE: &str =
    "select nominal, phase, attempt, wake_at, repeat, series, backlog_until, accounted, walked_series,
        started, last_failed, revision
    from work where id = ?1";

/// Times in which a collection was disabled after which not all of its jobs were woken.
pub(super) const ENDED_STOPS: &str = "select stopped_from, stopped_until, woken_until from collection_stop
    where collection = ?1 and all_woken = 0 order by stopped_from";

/// A job, beginning with the columns of [`job::DESCRIBED`].
pub(super) const DEFINITION: &str =
    "select job.name, name_written, uid, job.revision, state, disabled_at, job.series, anchor_at, anchor_moved,
        schedule, action, collection
    from job where id = ?1";

/// These rows of work, without those that are gone.
pub(super) fn work(db: &Connection, ids: &[WorkId]) -> Result<Vec<WorkRead>, Error> {
    let mut statement = db.prepare_cached(WORK)?;
    let mut around = Surroundings::new(db)?;
    let mut entries = Vec::with_capacity(ids.len());
    for id in ids {
        entries.extend(read_row(&mut statement, *id, &mut around)?);
    }
    Ok(entries)
}

/// These jobs, without those that are gone.
pub(super) fn definitions(db: &Connection, keyring: &Keyring, jobs: &[JobId]) -> Result<Vec<DefinitionRead>, Error> {
    let mut statement = db.prepare_cached(DEFINITION)?;
    let mut collections = CollectionCache::new(db);
    let mut definitions = Vec::with_capacity(jobs.len());
    for id in jobs {
        definitions.extend(read_job(&mut statement, *id, keyring, &mut collections)?);
    }
    Ok(definitions)
}

/// These rows of work, and the definitions of those of these jobs that they are of.
///
/// Each definition is read right after its row, while the page that both look at is in the cache of the connection: the cache is empty
/// when a snapshot begins.
pub(super) fn work_with_definitions(
    db: &Connection,
    keyring: &Keyring,
    ids: &[WorkId],
    jobs: &[JobId],
) -> Result<WorkPage, Error> {
    let (mut rows, mut wanted) = (db.prepare_cached(WORK)?, jobs.iter().copied().collect::<HashSet<_>>());
    let mut of_jobs = db.prepare_cached(DEFINITION)?;
    let (mut around, mut collections) = (Surroundings::new(db)?, CollectionCache::new(db));
    let mut page = WorkPage::default();
    for id in ids {
        let Some(row) = read_row(&mut rows, *id, &mut around)? else { continue };
        if let Some(job) = row.as_ref().ok().map(|entry| entry.job).filter(|job| wanted.remove(job)) {
            page.definitions.extend(read_job(&mut of_jobs, job, keyring, &mut collections)?);
        }
        page.rows.push(row);
    }
    Ok(page)
}

fn read_row(
    statement: &mut CachedStatement<'_>,
    id: WorkId,
    around: &mut Surroundings<'_>,
) -> Result<Option<WorkRead>, Error> {
    let read = read_one(statement, id.0, |row| read_work(row, around))?;
    Ok(read.map(|read| read.map_err(|error| (id, error.about(format_args!("work number {}", id.0))))))
}

fn read_job(
    statement: &mut CachedStatement<'_>,
    id: JobId,
    keyring: &Keyring,
    collections: &mut CollectionCache<'_>,
) -> Result<Option<DefinitionRead>, Error> {
    let read = read_one(statement, id.0, |row| read_definition(id, row, keyring, collections))?;
    Ok(read.map(|read| read.map_err(|error| (id, error.of_job(id)))))
}

/// Reads the row of that number, if it is there. What is wrong with this row alone is an entry, and not the end of all.
fn read_one<T>(
    statement: &mut CachedStatement<'_>,
    id: i64,
    read: impl FnOnce(&Row<'_>) -> Result<Option<T>, Error>,
) -> Result<Option<Result<T, Error>>, Error> {
    let mut rows = statement.query([id])?;
    let row = rows.next().map_err(Error::from);
    match row.and_then(|row| row.map_or(Ok(None), read)) {
        Err(error) if !error.is_of_one_record() => Err(error),
        read => Ok(read.transpose()),
    }
}

/// Reads a row of work; none if its collection is deleted.
fn read_work(row: &Row<'_>, around: &mut Surroundings<'_>) -> Result<Option<WorkEntry>, Error> {
    let mut own = Cells::of(row);
    let mut cells = Cells::of(row);
    cells.skip(work::PROGRESS_COLUMNS);
    let id = WorkId(cells.next()?);
    let beside: Option<i64> = cells.next()?;
    let (kind, manual) = (cells.next()?, cells.next()?);
    let open = if let Some(job) = beside {
        let occurrence = work::read_occurrence(&mut own)?;
        let mut occurrence = occurrence.ok_or_else(|| Error::corrupt("no occurrence is open"))?;
        let origin = codes::read_origin(kind, Some(manual));
        occurrence.origin = origin.ok_or_else(|| Error::corrupt(format!("there is no kind {kind} of work")))?;
        let (schedule, schedule_revision) = read_schedule(&mut around.schedules, job)?;
        OpenWork::Beside { occurrence, schedule, schedule_revision }
    } else {
        OpenWork::Schedule(work::read_progress(&mut own)?)
    };
    let (revision, lane, resends) = (Revision(cells.next()?), Lane(cells.next()?), cells.next()?);
    let (job, job_revision) = (JobId(cells.next()?), Revision(cells.next()?));
    let name = cells.next_text()?;
    let collection = CollectionId(cells.next()?);
    let Some(of_collection) = around.collections.get(collection)? else { return Ok(None) };
    let sku = of_collection.sku.as_deref().map(|name| read_sku(collection, name)).transpose()?;
    let collection_stopped_at = of_collection.stopped_at;
    Ok(Some(WorkEntry {
        id,
        job,
        revision,
        lane,
        resends,
        claimed_by: None,
        claimed_beside: InFlight::default(),
        open,
        job_revision,
        collection,
        sku,
        collection_stopped_at,
        scheduled_beside: around.count_scheduled_beside(job, id)?,
        failure: cells.next_optional_text()?.map(record::read_failure).transpose()?.map(Box::new),
        ended_stops: around.ended_stops.after_which_to_wake(collection, name)?,
    }))
}

fn read_schedule(schedules: &mut CachedStatement<'_>, job: i64) -> Result<(Progress, Revision), Error> {
    let read = |row: &Row<'_>| {
        let mut cells = Cells::of(row);
        Ok::<_, Error>((work::read_progress(&mut cells)?, Revision(cells.next()?)))
    };
    let found = schedules.query_row([job], |row| Ok(read(row))).optional()?;
    found.unwrap_or_else(|| Err(Error::corrupt(format!("job number {job} has no schedule"))))
}

/// What is read beside rows of work, in one read of many.
struct Surroundings<'db> {
    collections: CollectionCache<'db>,
    schedules: CachedStatement<'db>,
    /// None if no row is beside a schedule: mostly so, and asked once.
    scheduled_beside: Option<CachedStatement<'db>>,
    ended_stops: EndedStops<'db>,
}

impl<'db> Surroundings<'db> {
    fn new(db: &'db Connection) -> Result<Self, Error> {
        let are_any = db.prepare_cached("select 1 from work where job is not null limit 1")?.exists([])?;
        Ok(Self {
            collections: CollectionCache::new(db),
            schedules: db.prepare_cached(SCHEDULE)?,
            scheduled_beside: if are_any { Some(db.prepare_cached(SCHEDULED_BESIDE)?) } else { None },
            ended_stops: EndedStops::new(db)?,
        })
    }

    fn count_scheduled_beside(&mut self, job: JobId, row: WorkId) -> Result<u32, Error> {
        let Some(statement) = &mut self.scheduled_beside else { return Ok(0) };
        Ok(statement.query_row([job.0, row.0], |row| row.get(0))?)
    }
}

/// Looks for times in which collections were disabled. Mostly there are none, which is asked once.
struct EndedStops<'db> {
    statement: Option<CachedStatement<'db>>,
    /// With the name of the last job that was woken.
    read: HashMap<CollectionId, Vec<(EndedStop, String)>>,
}

impl<'db> EndedStops<'db> {
    fn new(db: &'db Connection) -> Result<Self, Error> {
        let are_any = db.prepare_cached("select 1 from collection_stop where all_woken = 0 limit 1")?.exists([])?;
        let statement = if are_any { Some(db.prepare_cached(ENDED_STOPS)?) } else { None };
        Ok(Self { statement, read: HashMap::new() })
    }

    /// Those after which the job of that name was not woken yet.
    fn after_which_to_wake(&mut self, collection: CollectionId, name: &str) -> Result<Vec<EndedStop>, Error> {
        let Some(statement) = &mut self.statement else {
            return Ok(Vec::new());
        };
        let ended_stops = match self.read.entry(collection) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => {
                let rows = statement.query_and_then([collection.0], read_stop)?;
                place.insert(rows.collect::<Result<_, Error>>()?)
            }
        };
        Ok(ended_stops.iter().filter(|(_, woken_until)| name > woken_until.as_str()).map(|(stop, _)| *stop).collect())
    }
}

fn read_stop(row: &Row<'_>) -> Result<(EndedStop, String), Error> {
    let mut cells = Cells::of(row);
    let stop = EndedStop { from: cells.next_required_instant()?, until: cells.next_required_instant()? };
    Ok((stop, cells.next()?))
}

/// Reads a definition; none if the collection of the job is deleted.
fn read_definition(
    id: JobId,
    row: &Row<'_>,
    keyring: &Keyring,
    collections: &mut CollectionCache<'_>,
) -> Result<Option<JobDefinition>, Error> {
    let mut cells = Cells::of(row);
    let job = Described::read(&mut cells, keyring)?;
    let Some(path) = collections.path(CollectionId(cells.next()?))? else { return Ok(None) };
    Ok(Some(definition(id, job, path)))
}
