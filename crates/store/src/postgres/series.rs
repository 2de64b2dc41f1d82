//! What the schedule and the state of each job were. What they are is in the job's own row, with what a job that ended was before.

use punctual_model::time::Timestamp;

use super::db::{Db, count};
use super::error::Fault;
use crate::cells::Cells;
use crate::columns::series::{NUMBER_NOW, read};
use crate::damage::Damage;
use crate::error::Error;
use crate::key::{CollectionId, JobId};
use crate::series::{SeriesEntry, SeriesPage, Stop};

/// Rows that are forgotten in one write, so that others need not wait.
const FORGOTTEN_MAX: i64 = 1000;

/// Keeps what a job was before it ended, if it has ended and there was a time in which it was something else.
///
/// The revision of the job makes the number: at most one write of a revision keeps something, and the next has another one.
const KEEP_BEFORE: &str =
    "insert into series (job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved,
        schedule, zones)
    select id, 2 * revision, uid, collection, since_before, since, state_before, series, anchor_at, anchor_moved,
        schedule, zones
    from job where id = $1 and since_before <> since";

/// Keeps what the schedule and the state of a job were until now, if there was a time in which they were.
const KEEP: &str =
    "insert into series (job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved,
        schedule, zones)
    select id, 2 * revision + 1, uid, collection, since, $2, state, series, anchor_at, anchor_moved, schedule, zones
    from job where id = $1 and since <> $2";

/// What was, and what is. A collection that was deleted took its jobs with it.
const PAGE: &str =
    "select job, number, uid, collection, since, until, state, series, anchor_at, anchor_moved, schedule, zones,
        null::bigint, null::bigint
    from series where (job, number) > ($1, $2)
    union all
    select job.id, $3::bigint, uid, collection, since, deleted_at, state, series, anchor_at, anchor_moved, schedule, zones,
        since_before, state_before
    from job join collection on collection.id = job.collection where job.id >= $4 and collection.id <> 0
    order by 1, 2";

/// Keeps all that a job was until now; it is another one from now on, or gone.
pub(super) async fn keep(db: &Db, id: JobId, now: Timestamp) -> Result<(), Fault> {
    keep_before(db, id).await?;
    db.execute(KEEP, &[&id.0, &now.ticks()]).await?;
    Ok(())
}

/// Keeps what a job was before it ended: its row goes. Of the time after its end nothing is asked.
pub(super) async fn keep_before(db: &Db, id: JobId) -> Result<(), Fault> {
    db.execute(KEEP_BEFORE, &[&id.0]).await?;
    Ok(())
}

/// A page of what was and is.
pub(super) async fn page(db: &Db, page: &SeriesPage, damage: &Damage) -> Result<Vec<SeriesEntry>, Fault> {
    let (job, number) = page.after.map_or((i64::MIN, 0), |after| (after.job.0, after.number));
    let first_now = if number == NUMBER_NOW { job.saturating_add(1) } else { job };
    let rows = db
        .read_page(PAGE, &[&job, &number, &NUMBER_NOW, &first_now], page.limit, damage, |row| {
            let id = JobId(Cells::of(row).next()?);
            read(id, row).map_err(|error| error.of_job(id))
        })
        .await?;
    let mut entries = Vec::new();
    for (before, entry) in rows {
        // The last page may have ended between the two.
        entries.extend(before.filter(|before| page.after.is_none_or(|after| before.key > after)));
        entries.push(entry);
    }
    entries.truncate(page.limit);
    Ok(entries)
}

/// When the jobs of a collection did not run.
pub(super) async fn stops(db: &Db, collection: CollectionId) -> Result<Vec<Stop>, Fault> {
    let sql = "select stopped_from, stopped_until from collection_stop where collection = $1
        union all select stopped_at, null from collection where id = $1 and stopped_at is not null and deleted_at is null
        order by 1";
    let rows = db.rows(sql, &[&collection.0]).await?;
    let read = |row: &tokio_postgres::Row| {
        let mut cells = Cells::of(row);
        Ok(Stop { from: cells.next_required_instant()?, until: cells.next_instant()? })
    };
    Ok(rows.iter().map(read).collect::<Result<_, Error>>()?)
}

/// Forgets some of what was over before that instant. Says whether there may be more.
pub(super) async fn forget(db: &Db, before: Timestamp) -> Result<bool, Fault> {
    let sql = "delete from series where (job, number) in (select job, number from series where until < $1 limit $2)";
    let forgotten = db.execute(sql, &[&before.ticks(), &FORGOTTEN_MAX]).await?;
    db.execute("delete from collection_stop where stopped_until < $1 and all_woken", &[&before.ticks()]).await?;
    Ok(count(usize::try_from(forgotten).unwrap_or(usize::MAX)) == FORGOTTEN_MAX)
}
