//! What other nodes have written: heard by looking for it, again and again.
//!
//! Numbers of changes become visible in their order, so that who has read up to a number has missed nothing before it.

use std::sync::atomic::Ordering;

use tokio_postgres::Row;

use super::db::Db;
use super::error::Fault;
use super::write::Committed;
use super::{Postgres, pause};
use crate::cells::Cells;
use crate::error::Error;
use crate::events::EventPlace;
use crate::history::number::last_number;
use crate::key::JobId;
use crate::pause::PauseEntry;

/// Changes that are looked at one by one. After more of them the engine reads everything again.
const CHANGES_MAX: i64 = 2000;

impl Postgres {
    /// Rings the bell for what other nodes have written since the last call, and tells those who watch.
    pub async fn follow(&self) -> Result<(), Error> {
        let db = self.shared.pool.connection().await?;
        let until = counters(&db).await?;
        let after = self.shared.followed_until.load(Ordering::Relaxed);
        let change = i64::try_from(until.change).unwrap_or(i64::MAX);
        if change > after {
            self.ring_for_changes(&db, after, change).await?;
            self.shared.followed_until.store(change, Ordering::Relaxed);
        }
        drop(db);
        self.shared.publish_until(until, &Committed::default()).await?;
        Ok(())
    }

    async fn ring_for_changes(&self, db: &Db, after: i64, until: i64) -> Result<(), Fault> {
        let bell = &self.shared.bell;
        let own = self.shared.take_own_changes(until);
        if until - after > CHANGES_MAX {
            bell.ring_all();
            bell.ring_for_pauses(PauseEntry::times(&pause::list(db).await?));
            return Ok(());
        }
        let sql = "select id, path from change where id > $1 and id <= $2 order by id";
        let mut paths: Vec<Vec<String>> = Vec::new();
        for (id, path) in
            db.rows(sql, &[&after, &until]).await?.iter().map(read_change).collect::<Result<Vec<_>, _>>()?
        {
            let parts: Vec<String> = path.split('/').map(ToOwned::to_owned).collect();
            match parts.as_slice() {
                _ if own.contains(&id) => {}
                [server] if server.is_empty() => bell.ring_for_pauses(PauseEntry::times(&pause::list(db).await?)),
                [_, _, _, _] => paths.push(parts),
                // Alerts are read when they are needed.
                [before, ..] if before.is_empty() => {}
                _ => bell.ring_all(),
            }
        }
        let found = jobs(db, &paths).await?;
        // The rows of a job that was deleted may be known to the engine, and nobody knows its number any more.
        if found.len() < paths.len() {
            bell.ring_all();
        }
        for job in found {
            bell.ring(job);
        }
        Ok(())
    }
}

fn read_change(row: &Row) -> Result<(i64, String), Error> {
    let mut cells = Cells::of(row);
    Ok((cells.next()?, cells.next_text()?.to_owned()))
}

/// Up to where history and changes are written and visible.
async fn counters(db: &Db) -> Result<EventPlace, Fault> {
    let sql =
        "select (select value from counter where name = 'history'), (select value from counter where name = 'change')";
    let row = db.one(sql, &[]).await?;
    let mut cells = Cells::of(&row);
    Ok(EventPlace { history: last_number(cells.next()?)?, change: cells.next()? })
}

/// The jobs of these paths, without those that are gone.
async fn jobs(db: &Db, paths: &[Vec<String>]) -> Result<Vec<JobId>, Fault> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let part = |at: usize| -> Vec<&str> { paths.iter().map(|parts| parts[at].as_str()).collect() };
    let sql = "select job.id from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as path (subscription, resource_group, collection, name)
        join collection on collection.subscription = path.subscription and collection.resource_group = path.resource_group
            and collection.name = path.collection and collection.deleted_at is null
        join job on job.collection = collection.id and job.name = path.name";
    let rows = db.rows(sql, &[&part(0), &part(1), &part(2), &part(3)]).await?;
    Ok(rows.iter().map(|row| Cells::of(row).next().map(JobId)).collect::<Result<_, Error>>()?)
}
