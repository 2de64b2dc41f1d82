//! Jobs that were disabled until an instant, which has come.

use rusqlite::Connection;

use super::damage::Damage;
use crate::columns::to_enable::read;
use crate::error::Error;
use crate::job::{EnablePage, JobToEnable};

/// The jobs whose time of being disabled is over, those that waited longest first.
pub(super) const PAGE: &str = "select job.id, disabled_until, job.name, name_written, collection.id, collection.record
    from job cross join collection on collection.id = job.collection and deleted_at is null
    where disabled_until <= ?1 and (disabled_until, job.id) > (?2, ?3) order by disabled_until, job.id";

/// A page of the jobs whose time of being disabled is over.
pub(super) fn page(db: &Connection, page: &EnablePage, damage: &Damage) -> Result<Vec<JobToEnable>, Error> {
    let (until, job) = page.after.map_or((i64::MIN, i64::MIN), |(until, job)| (until.ticks(), job.0));
    let mut statement = db.prepare_cached(PAGE)?;
    let rows = statement.query([page.now.ticks(), until, job])?;
    damage.read_page(rows, page.limit, |row| read(row))
}
