//! What is open of a job, and how far its schedule has come; and jobs that are to be enabled again.

use super::db::Db;
use super::error::Fault;
use super::paths::path;
use crate::cells::Cells;
use crate::columns::to_enable::read;
use crate::columns::work::{PROGRESS, read_occurrence, read_progress};
use crate::damage::Damage;
use crate::job::{EnablePage, JobToEnable, OpenJob};
use crate::key::JobId;

/// What is open of the schedule of a job, if the job is there.
pub(super) async fn get(db: &Db, id: JobId) -> Result<Option<OpenJob>, Fault> {
    let Some(path) = path(db, id).await? else { return Ok(None) };
    let row = db.row(&format!("select {PROGRESS} from work where id = $1"), &[&id.0]).await?;
    let Some(row) = row else { return Ok(None) };
    let progress = read_progress(&mut Cells::of(&row))?;
    let sql = format!("select {PROGRESS} from work where job = $1 and kind = 0 order by id");
    let mut beside = Vec::new();
    for row in &db.rows(&sql, &[&id.0]).await? {
        beside.extend(read_occurrence(&mut Cells::of(row))?);
    }
    Ok(Some(OpenJob { path: path.to_string(), progress, beside }))
}

/// A page of the jobs whose time of being disabled is over, those that waited longest first.
pub(super) async fn to_enable(db: &Db, page: &EnablePage, damage: &Damage) -> Result<Vec<JobToEnable>, Fault> {
    let sql = "select job.id, disabled_until, job.name, name_written, collection.id, collection.record
        from job join collection on collection.id = job.collection and deleted_at is null
        where disabled_until <= $1 and (disabled_until, job.id) > ($2, $3) order by disabled_until, job.id";
    let (until, job) = page.after.map_or((i64::MIN, i64::MIN), |(until, job)| (until.ticks(), job.0));
    db.read_page(sql, &[&page.now.ticks(), &until, &job], page.limit, damage, |row| read(row)).await
}
