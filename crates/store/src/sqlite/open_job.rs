//! What is open of a job, and how far its schedule has come.

use std::sync::Arc;

use punctual_model::occurrence::Occurrence;
use punctual_model::progress::Progress;
use rusqlite::{Connection, OptionalExtension, Row};

use super::cells::Cells;
use super::collection_cache::CollectionCache;
use super::{job, work};
use crate::columns::path::read_path;
use crate::error::Error;
use crate::job::OpenJob;
use crate::key::{CollectionId, JobId};

/// The names of its path. The server's own jobs have none that anybody could use.
pub(super) const PATH: &str = "select job.name, name_written, collection.id, record
    from job join collection on collection.id = job.collection
    where job.id = ?1 and deleted_at is null and collection.id <> 0";

/// The name of a job that is not the server's own, and the number of its collection.
const NAME: &str = "select name, name_written, collection from job where id = ?1 and collection <> 0";

/// The schedule, or what it opened beside itself.
pub(super) fn schedule_sql() -> String {
    format!("select {} from work where id = ?1", work::PROGRESS)
}

pub(super) fn beside_sql() -> String {
    format!("select {} from work where job = ?1 and kind = 0", work::PROGRESS)
}

/// What is open of the schedule of a job, if the job is there.
pub(super) fn get(db: &Connection, id: JobId) -> Result<Option<OpenJob>, Error> {
    let path = path(db, id)?;
    let read = |row: &Row<'_>| work::read_progress(&mut Cells::of(row));
    let progress: Option<Progress> =
        db.prepare_cached(&schedule_sql())?.query_row([id.0], |row| Ok(read(row))).optional()?.transpose()?;
    let mut statement = db.prepare_cached(&beside_sql())?;
    let rows = statement.query_and_then([id.0], |row| work::read_occurrence(&mut Cells::of(row)))?;
    let beside: Vec<Option<Occurrence>> = rows.collect::<Result<_, Error>>()?;
    let beside = beside.into_iter().flatten().collect();
    Ok(path.zip(progress).map(|(path, progress)| OpenJob { path, progress, beside }))
}

/// The path of a job as users write it, if the job is there.
pub(super) fn path(db: &Connection, id: JobId) -> Result<Option<String>, Error> {
    let path = db.prepare_cached(PATH)?.query_row([id.0], |row| Ok(read_path(row))).optional()?.transpose();
    path.map_err(|error| error.of_job(id))
}

/// The same for one job of many, whose collections are read once.
pub(super) fn path_in(
    db: &Connection,
    collections: &mut CollectionCache<'_>,
    id: JobId,
) -> Result<Option<Arc<str>>, Error> {
    let mut statement = db.prepare_cached(NAME)?;
    let mut rows = statement.query([id.0])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut cells = Cells::of(row);
    let mut read = || {
        let name = job::read_name(&mut cells)?;
        let path = collections.path(CollectionId(cells.next()?))?;
        Ok(path.map(|path| format!("{path}/{name}").into()))
    };
    read().map_err(|error: Error| error.of_job(id))
}
