//! What the engine reads before it decides: rows of work, and the definitions they are run by.

use std::collections::{BTreeSet, HashMap};

use punctual_model::dispatch::InFlight;
use punctual_model::lane::Lane;
use tokio_postgres::Row;

use super::db::Db;
use super::error::Fault;
use super::stop::{self, OpenStop};
use crate::cells::Cells;
use crate::collection::EndedStop;
use crate::columns::collection::read_path;
use crate::columns::entries::{definition, read_sku};
use crate::columns::job::{DESCRIBED, Described};
use crate::columns::work::{PROGRESS, PROGRESS_COLUMNS, read_occurrence, read_progress};
use crate::error::Error;
use crate::key::{CollectionId, JobId, NodeId, Revision, WorkId};
use crate::record::{self, codes};
use crate::seal::Keyring;
use crate::work_store::{DefinitionRead, JobDefinition, OpenWork, WorkEntry, WorkPage, WorkRead};

/// These rows of work, without those that are gone.
pub(super) async fn work(db: &Db, ids: &[WorkId]) -> Result<Vec<WorkRead>, Fault> {
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let of_schedule = PROGRESS.replace("work.", "schedule.");
    let sql = format!(
        "select {PROGRESS}, work.id, work.job, work.kind, work.manual, work.revision, work.lane, work.resends, job.id,
             job.revision, job.name, job.collection, work.failure, collection.sku, collection.stopped_at,
             (select count(*) from work as beside
                 where beside.job = job.id and beside.kind = 0 and beside.id <> work.id),
             work.claimed_by,
             (select count(*) from work as claimed where claimed.claimed_by is not null and claimed.kind = 0
                 and coalesce(claimed.job, claimed.id) = job.id and claimed.id <> work.id),
             (select count(*) from work as claimed where claimed.claimed_by is not null and claimed.kind <> 0
                 and coalesce(claimed.job, claimed.id) = job.id and claimed.id <> work.id),
             {of_schedule}, schedule.revision
         from work
         join job on job.id = coalesce(work.job, work.id)
         join collection on collection.id = job.collection and collection.deleted_at is null
         left join work as schedule on schedule.id = work.job
         where work.id = any($1)"
    );
    let rows = db.rows(&sql, &[&numbers]).await?;
    let stops = stops(db, &rows).await?;
    let mut entries = Vec::with_capacity(rows.len());
    for row in &rows {
        let id = WorkId(read_number(row)?);
        let read = read_work(row, &stops).map_err(|error| error.about(format_args!("work number {}", id.0)));
        match read {
            Err(error) if !error.is_of_one_record() => return Err(error.into()),
            read => entries.push(read.map_err(|error| (id, error))),
        }
    }
    Ok(entries)
}

/// The number of a row of work.
fn read_number(row: &Row) -> Result<i64, Error> {
    let mut cells = Cells::of(row);
    cells.skip(PROGRESS_COLUMNS);
    cells.next()
}

/// Times in which the collections of these rows were disabled. Mostly there are none.
async fn stops(db: &Db, rows: &[Row]) -> Result<Vec<OpenStop>, Fault> {
    let collection = |row: &Row| {
        let mut cells = Cells::of(row);
        cells.skip(PROGRESS_COLUMNS + 10);
        cells.next()
    };
    let collections: BTreeSet<i64> = rows.iter().map(collection).collect::<Result<_, Error>>()?;
    stop::open_of(db, &collections.into_iter().collect::<Vec<_>>()).await
}

fn read_work(row: &Row, stops: &[OpenStop]) -> Result<WorkEntry, Error> {
    let (mut own, mut cells) = (Cells::of(row), Cells::of(row));
    cells.skip(PROGRESS_COLUMNS);
    let (id, beside) = (WorkId(cells.next()?), cells.next::<Option<i64>>()?);
    let (kind, manual) = (cells.next()?, cells.next()?);
    let (revision, lane, resends) = (Revision(cells.next()?), Lane(cells.next()?), cells.next()?);
    let (job, job_revision) = (JobId(cells.next()?), Revision(cells.next()?));
    let (name, collection) = (cells.next_text()?, CollectionId(cells.next()?));
    let failure = cells.next_optional_text()?.map(record::read_failure).transpose()?.map(Box::new);
    let sku = cells.next_optional_text()?.map(|name| read_sku(collection, name)).transpose()?;
    let (collection_stopped_at, scheduled_beside) = (cells.next_instant()?, cells.next()?);
    let claimed_by = cells.next::<Option<u32>>()?.map(NodeId);
    let claimed_beside = InFlight { scheduled: cells.next()?, asked_for: cells.next()? };
    let open = if beside.is_some() {
        let occurrence = read_occurrence(&mut own)?;
        let mut occurrence = occurrence.ok_or_else(|| Error::corrupt("no occurrence is open"))?;
        let origin = codes::read_origin(kind, Some(manual));
        occurrence.origin = origin.ok_or_else(|| Error::corrupt(format!("there is no kind {kind} of work")))?;
        let (schedule, schedule_revision) = (read_progress(&mut cells)?, Revision(cells.next()?));
        OpenWork::Beside { occurrence, schedule, schedule_revision }
    } else {
        OpenWork::Schedule(read_progress(&mut own)?)
    };
    let mut ended_stops: Vec<EndedStop> = Vec::new();
    for (_, stop) in stops.iter().filter(|(of, _)| *of == collection) {
        // One that cannot be read keeps the jobs of its collection from running, and no others.
        let (stop, woken_until) = stop.as_ref().map_err(Error::corrupt)?;
        ended_stops.extend(Some(*stop).filter(|_| name > woken_until.as_str()));
    }
    Ok(WorkEntry {
        id,
        job,
        revision,
        lane,
        resends,
        claimed_by,
        claimed_beside,
        open,
        scheduled_beside,
        job_revision,
        collection,
        sku,
        collection_stopped_at,
        ended_stops,
        failure,
    })
}

/// These rows of work, and the definitions of these jobs.
pub(super) async fn work_with_definitions(
    db: &Db,
    keyring: &Keyring,
    ids: &[WorkId],
    jobs: &[JobId],
) -> Result<WorkPage, Fault> {
    let rows = work(db, ids).await?;
    let definitions = if jobs.is_empty() { Vec::new() } else { definitions(db, keyring, jobs).await? };
    Ok(WorkPage { rows, definitions })
}

/// These jobs, without those that are gone.
pub(super) async fn definitions(db: &Db, keyring: &Keyring, jobs: &[JobId]) -> Result<Vec<DefinitionRead>, Fault> {
    let ids: Vec<i64> = jobs.iter().map(|job| job.0).collect();
    let sql = format!(
        "select {DESCRIBED}, job.id, collection.id, collection.record
         from job join collection on collection.id = job.collection and deleted_at is null where job.id = any($1)"
    );
    let rows = db.rows(&sql, &[&ids]).await?;
    // Hundreds of jobs are in the same collection, whose record is read once.
    let mut paths = HashMap::new();
    let mut definitions = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut cells = Cells::of(row);
        cells.skip(11);
        let id = JobId(cells.next()?);
        match read_definition(id, row, keyring, &mut paths) {
            Err(error) if !error.is_of_one_record() => return Err(error.into()),
            read => definitions.push(read.map_err(|error| (id, error.of_job(id)))),
        }
    }
    Ok(definitions)
}

fn read_definition(
    id: JobId,
    row: &Row,
    keyring: &Keyring,
    paths: &mut HashMap<CollectionId, String>,
) -> Result<JobDefinition, Error> {
    let mut cells = Cells::of(row);
    let job = Described::read(&mut cells, keyring)?;
    cells.skip(1);
    let (collection, record) = (CollectionId(cells.next()?), cells.next_text()?);
    if let std::collections::hash_map::Entry::Vacant(place) = paths.entry(collection) {
        place.insert(read_path(collection, record)?);
    }
    Ok(definition(id, job, &paths[&collection]))
}
