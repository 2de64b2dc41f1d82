//! The paths of jobs, for those who are told of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::db::Db;
use super::error::Fault;
use crate::cells::Cells;
use crate::columns::path::read_path;
use crate::error::Error;
use crate::key::JobId;

/// Paths of jobs that are remembered: a path never becomes another one.
const PATHS_MAX: usize = 10_000;

/// The names of paths. The server's own jobs have none that anybody could use.
const PATHS: &str = "select job.name, name_written, collection.id, record, job.id
    from job join collection on collection.id = job.collection
    where job.id = any($1) and deleted_at is null and collection.id <> 0";

/// Paths that were looked up.
#[derive(Debug, Default)]
pub(super) struct PathCache(Mutex<HashMap<JobId, Arc<str>>>);

/// Paths by the numbers of jobs, without those that are gone.
pub(super) type Paths = HashMap<JobId, Arc<str>>;

impl PathCache {
    /// The paths of these jobs, as they are or were.
    pub(super) async fn get(&self, db: &Db, jobs: impl IntoIterator<Item = JobId>) -> Result<Paths, Fault> {
        let (mut found, mut missing) = (Paths::new(), Vec::new());
        {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for job in jobs {
                match known.get(&job) {
                    Some(path) => _ = found.insert(job, Arc::clone(path)),
                    None => missing.push(job),
                }
            }
        }
        let read = paths(db, missing).await?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + read.len() > PATHS_MAX {
            known.clear();
        }
        known.extend(read.iter().take(PATHS_MAX).map(|(job, path)| (*job, Arc::clone(path))));
        found.extend(read);
        Ok(found)
    }
}

/// The paths of these jobs as users write them, as far as the jobs are there. `Corrupt` if one cannot be read.
pub(super) async fn paths(db: &Db, mut jobs: Vec<JobId>) -> Result<Paths, Fault> {
    if jobs.is_empty() {
        return Ok(Paths::new());
    }
    jobs.sort_unstable();
    jobs.dedup();
    let ids: Vec<i64> = jobs.iter().map(|job| job.0).collect();
    let rows = db.rows(PATHS, &[&ids]).await?;
    let read = |row: &tokio_postgres::Row| {
        let mut cells = Cells::of(row);
        cells.skip(4);
        let job = JobId(cells.next()?);
        let path = read_path(row).map_err(|error| error.of_job(job))?;
        Ok((job, Arc::from(path)))
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

/// The path of one job, if it is there.
pub(super) async fn path(db: &Db, job: JobId) -> Result<Option<Arc<str>>, Fault> {
    Ok(paths(db, vec![job]).await?.remove(&job))
}
