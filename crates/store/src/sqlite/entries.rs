//! What the engine reads before it decides: rows of work, and the definitions they are run by.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use punctual_model::collection::Sku;
use punctual_model::job::Uid;
use punctual_model::lane::Lane;
use punctual_model::progress::Progress;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

use super::cells::Cells;
use super::{job, work};
use crate::collection::Pause;
use crate::error::Error;
use crate::key::{CollectionId, JobId, Revision, WorkId};
use crate::record;
use crate::seal::Keyring;
use crate::work_store::{JobDefinition, OpenWork, WorkEntry, WorkRead};

/// A parsed definition takes about so many times the bytes of its record.
const BYTES_PER_STORED: usize = 3;

/// What a definition takes, however short it is.
const BYTES_MIN: usize = 512;

/// A row of work with its job and collection.
pub(super) fn work_sql() -> String {
    format!(
        "select {}, work.id, work.job, work.kind, work.manual, work.revision, work.lane, work.resends, job.id,
             job.revision, job.name, collection.id, collection.sku, collection.stopped_at,
             (select count(*) from work as beside
              where beside.job = job.id and beside.kind = 0 and beside.id <> work.id)
         from work
         join job on job.id = coalesce(work.job, work.id)
         join collection on collection.id = job.collection
         where work.id = ?1 and deleted_at is null",
        work::PROGRESS
    )
}

/// The schedule beside which something runs.
pub(super) fn schedule_sql() -> String {
    format!("select {}, revision from work where id = ?1", work::PROGRESS)
}

/// Times in which a collection was disabled that not all of its jobs were told of.
pub(super) const PAUSES: &str = "select paused_from, paused_until, told_until from collection_pause
    where collection = ?1 and all_told = 0 order by paused_from";

/// These rows of work, without those that are gone.
pub(super) fn work(db: &Connection, ids: &[WorkId]) -> Result<Vec<WorkRead>, Error> {
    let mut statement = db.prepare_cached(&work_sql())?;
    let mut schedules = db.prepare_cached(&schedule_sql())?;
    let mut pauses = Pauses::new(db)?;
    let mut entries = Vec::with_capacity(ids.len());
    for id in ids {
        let mut rows = statement.query([id.0])?;
        if let Some(row) = rows.next()? {
            entries.push(read_work(row, &mut schedules, &mut pauses).map_err(|error| (*id, error)));
        }
    }
    Ok(entries)
}

fn read_work(row: &Row<'_>, schedules: &mut CachedStatement<'_>, pauses: &mut Pauses<'_>) -> Result<WorkEntry, Error> {
    let mut own = Cells::of(row);
    let mut cells = Cells::of(row);
    cells.skip(work::PROGRESS_COLUMNS);
    let id = WorkId(cells.next()?);
    let beside: Option<i64> = cells.next()?;
    let (kind, manual) = (cells.next()?, cells.next()?);
    let open = if let Some(job) = beside {
        let occurrence = work::read_occurrence(&mut own)?;
        let mut occurrence = occurrence.ok_or_else(|| Error::corrupt(format!("work number {} is empty", id.0)))?;
        occurrence.origin = work::read_origin(kind, manual)?;
        let (schedule, schedule_revision) = read_schedule(schedules, job)?;
        OpenWork::Beside { occurrence, schedule, schedule_revision }
    } else {
        OpenWork::Schedule(work::read_progress(&mut own)?)
    };
    let (revision, lane, resends) = (Revision(cells.next()?), Lane(cells.next()?), cells.next()?);
    let (job, job_revision) = (JobId(cells.next()?), Revision(cells.next()?));
    let name = cells.next_text()?.unwrap_or_default();
    let collection = CollectionId(cells.next()?);
    let sku = cells.next_text()?.map(|name| read_sku(collection, name)).transpose()?;
    Ok(WorkEntry {
        id,
        job,
        revision,
        lane,
        resends,
        open,
        job_revision,
        collection,
        sku,
        collection_stopped_at: cells.next_instant()?,
        scheduled_beside: cells.next()?,
        pauses: pauses.unheard_of(collection, name)?,
    })
}

fn read_schedule(schedules: &mut CachedStatement<'_>, job: i64) -> Result<(Progress, Revision), Error> {
    let read = |row: &Row<'_>| {
        let mut cells = Cells::of(row);
        Ok::<_, Error>((work::read_progress(&mut cells)?, Revision(cells.next()?)))
    };
    let found = schedules.query_row([job], |row| Ok(read(row))).optional()?;
    found.unwrap_or_else(|| Err(Error::corrupt_job(JobId(job), "it has no schedule")))
}

fn read_sku(collection: CollectionId, name: &str) -> Result<Sku, Error> {
    let found = Sku::ALL.into_iter().find(|sku| sku.name() == name);
    found.ok_or_else(|| Error::corrupt(format!("collection number {}: {name:?} is no plan", collection.0)))
}

/// Looks for times in which collections were disabled. Mostly there are none, which is asked once.
struct Pauses<'db> {
    statement: Option<CachedStatement<'db>>,
    /// With the name of the last job that was told.
    read: HashMap<CollectionId, Vec<(Pause, String)>>,
}

impl<'db> Pauses<'db> {
    fn new(db: &'db Connection) -> Result<Self, Error> {
        let are_any = db.prepare_cached("select 1 from collection_pause where all_told = 0 limit 1")?.exists([])?;
        let statement = if are_any { Some(db.prepare_cached(PAUSES)?) } else { None };
        Ok(Self { statement, read: HashMap::new() })
    }

    /// Those that the job of that name was not told of.
    fn unheard_of(&mut self, collection: CollectionId, name: &str) -> Result<Vec<Pause>, Error> {
        let Some(statement) = &mut self.statement else {
            return Ok(Vec::new());
        };
        let pauses = match self.read.entry(collection) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => {
                let rows = statement.query_map([collection.0], |row| Ok(read_pause(row)))?;
                place.insert(rows.map(|row| row?).collect::<Result<_, Error>>()?)
            }
        };
        Ok(pauses.iter().filter(|(_, told_until)| name > told_until.as_str()).map(|(pause, _)| *pause).collect())
    }
}

fn read_pause(row: &Row<'_>) -> Result<(Pause, String), Error> {
    let mut cells = Cells::of(row);
    let pause = Pause { from: cells.next_required_instant()?, until: cells.next_required_instant()? };
    Ok((pause, cells.next()?))
}

/// A job with the names of its path.
pub(super) const DEFINITION: &str =
    "select job.name, name_written, uid, job.revision, state, disabled_at, series as job_series, anchor_at, anchor_moved,
        schedule, action, record
    from job join collection on collection.id = job.collection
    where job.id = ?1 and deleted_at is null";

/// A definition, or which one cannot be read.
type Readable = Result<JobDefinition, (JobId, Error)>;

/// These jobs, without those that are gone.
pub(super) fn definitions(db: &Connection, keyring: &Keyring, jobs: &[JobId]) -> Result<Vec<Readable>, Error> {
    let mut statement = db.prepare_cached(DEFINITION)?;
    let mut definitions = Vec::with_capacity(jobs.len());
    for id in jobs {
        let read = statement.query_row([id.0], |row| Ok(read_definition(*id, row, keyring))).optional()?;
        definitions.extend(read.map(|read| read.map_err(|error| (*id, error))));
    }
    Ok(definitions)
}

fn read_definition(id: JobId, row: &Row<'_>, keyring: &Keyring) -> Result<JobDefinition, Error> {
    let uid = Uid::from_bytes(row.get("uid")?);
    let record = row.get_ref("record")?.as_str()?;
    let (key, _) = record::read_collection(record).map_err(|reason| Error::corrupt_job(id, reason))?;
    let name = job::read_name(id, row)?;
    let path = format!("{}/{}/{}/{name}", key.subscription, key.group, key.collection);
    let stored = row.get_ref("schedule")?.as_str()?.len() + row.get_ref("action")?.as_blob()?.len() + path.len();
    Ok(JobDefinition {
        id,
        revision: Revision(row.get("revision")?),
        uid,
        path: path.into(),
        definition: Arc::new(job::read_definition(id, uid, row, keyring)?),
        state: job::read_standing(id, row)?,
        anchor: job::read_anchor(row)?,
        series: row.get("job_series")?,
        bytes: stored * BYTES_PER_STORED + BYTES_MIN,
    })
}
