//! The keys that open the actions: whether a node has the right ones, and how they are changed.
//!
//! The database knows the number of each key and a value that tells it from any other. A node that has another key of a number is
//! refused. Who writes something sealed holds the row of its key until the commit; who forgets a key waits for all of them, and looks
//! whether anything is left that only that key opens.

use std::sync::Arc;

use punctual_model::job::Uid;
use tokio_postgres::Row;

use super::db::Db;
use super::error::Fault;
use super::pool::Pool;
use super::shared::Shared;
use super::write::WriteTx;
use crate::cells::Cells;
use crate::error::Error;
use crate::key::JobId;
use crate::seal::{self, Keyring};
use crate::store::ResealProgress;

/// Jobs that are sealed with a new key in one write, so that others need not wait.
const RESEALED_MAX: i64 = 200;

/// Tables that hold actions, sealed. What jobs are comes before what they were: until it is done, a rotation names the job it has
/// come to.
const SEALED: [&str; 3] = ["job", "change", "alert"];

/// Compares each key with what the database knows of it, and notes new ones. Refuses keys that are others than those that the database
/// was written with, and a keyring without a key that something is sealed with.
pub(super) async fn register(tx: &WriteTx, keys: &[(i64, String)]) -> Result<(), Fault> {
    tx.take_time().await?;
    for (id, value) in keys {
        let insert = "insert into sealing_key (id, check_value) values ($1, $2) on conflict (id) do nothing";
        tx.execute(insert, &[id, value]).await?;
        let row = tx.one("select check_value = $2 from sealing_key where id = $1", &[id, value]).await?;
        let is_same: bool = Cells::of(&row).next()?;
        if !is_same {
            let reason = "is not the one that the database was written with; put that one back";
            return Err(Error::corrupt(format!("sealing key {id} {reason}")).into());
        }
    }
    for row in &tx.rows("select id from sealing_key order by id", &[]).await? {
        let id: i64 = Cells::of(row).next()?;
        if keys.iter().all(|(known, _)| *known != id) && is_in_use(tx, id).await? {
            let reason = "is missing, and the database holds actions that only it opens; put it back";
            return Err(Error::corrupt(format!("sealing key {id} {reason}")).into());
        }
    }
    Ok(())
}

/// The number of the newest key that the database was written with, if it was written at all.
pub(super) async fn newest(pool: &Pool) -> Result<Option<i64>, Fault> {
    let db = pool.connection().await?;
    Ok(Cells::of(&db.one("select max(id) from sealing_key", &[]).await?).next()?)
}

/// Whether the database was written with all these keys.
pub(super) async fn has_all(pool: &Pool, keys: &[(i64, String)]) -> Result<bool, Fault> {
    let db = pool.connection().await?;
    for (id, value) in keys {
        let sql = "select 1::bigint from sealing_key where id = $1 and check_value = $2";
        if !db.exists(sql, &[id, value]).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The number of each key of a keyring, with its check value.
pub(super) fn check_values(keyring: &Keyring) -> Vec<(i64, String)> {
    keyring.check_values().map(|(id, value)| (id.into(), value)).collect()
}

/// Whether something is sealed with that key.
async fn is_in_use(db: &Db, key: i64) -> Result<bool, Fault> {
    let id = u32::try_from(key).unwrap_or(u32::MAX).to_be_bytes();
    for table in SEALED {
        // Behind the version, which is one byte.
        let sql = format!("select 1::bigint from {table} where substring(action from 2 for 4) = $1 limit 1");
        if db.exists(&sql, &[&id.as_slice()]).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Holds the key that something was sealed with, which has to be the newest: one that was replaced must not come back. It was sealed
/// before the transaction began.
pub(super) async fn hold(db: &Db, sealed: &[u8]) -> Result<(), Fault> {
    let key = seal::key_id(sealed).map(i64::from);
    let sql = "select id = (select max(id) from sealing_key) from sealing_key where id = $1 for share";
    let row = db.row(sql, &[&key]).await?;
    let is_newest = row.map(|row| Cells::of(&row).next()).transpose()?.unwrap_or(false);
    if is_newest { Ok(()) } else { Err(Error::Stale.into()) }
}

/// Takes a new key, with which is sealed from now on.
pub(super) async fn add(shared: &Arc<Shared>) -> Result<u32, Error> {
    // Nobody seals or opens anything until the database knows the key.
    let mut keyring = shared.keyring_mut().await;
    let with_new = shared.key_source.add_to(&keyring)?;
    shared.write(check_values(&with_new), |tx, keys| Box::pin(async move { register(tx, keys).await })).await?;
    *keyring = Arc::new(with_new);
    Ok(keyring.current_id())
}

/// Seals some of what an old key has sealed with the newest key; forgets old keys when all is done.
pub(super) async fn reseal(shared: &Arc<Shared>, after: Option<JobId>) -> Result<ResealProgress, Error> {
    let keyring = Arc::clone(&*shared.keyring().await);
    let key = keyring.current_id();
    let progress =
        shared.write((keyring, after), |tx, (keyring, after)| Box::pin(reseal_next(tx, keyring, *after))).await?;
    if progress.next.is_some() {
        return Ok(progress);
    }
    // In a commit of its own: only now all that was sealed with the new key is on disk for certain.
    if !shared.write(key, |tx, key| Box::pin(forget_old(tx, *key))).await? {
        return Ok(ResealProgress { next: Some(JobId(0)), ..progress });
    }
    let mut keyring = shared.keyring_mut().await;
    // If another key came in between, the old ones go with the end of its own rotation.
    if keyring.current_id() == key {
        let mut newest = Keyring::parse(&keyring.to_text()).map_err(Error::unavailable)?;
        newest.drop_old_keys();
        shared.key_source.save(&newest)?;
        *keyring = Arc::new(newest);
    }
    Ok(progress)
}

async fn reseal_next(tx: &WriteTx, keyring: &Keyring, after: Option<JobId>) -> Result<ResealProgress, Fault> {
    let key = keyring.current_id();
    let [jobs, others @ ..] = SEALED;
    // What is passed over is what we know to be sealed with this key, wherever the caller would go on: it may have begun
    // before another key came.
    let start = after.map_or(0, |id| id.0).min(resealed_until(tx, jobs, key).await?);
    let (resealed, last) = reseal_some(tx, keyring, jobs, start).await?;
    if let Some(last) = last {
        return Ok(ResealProgress { resealed, next: Some(JobId(last)) });
    }
    for other in others {
        let start_of_other = resealed_until(tx, other, key).await?;
        if reseal_some(tx, keyring, other, start_of_other).await?.1.is_some() {
            return Ok(ResealProgress { resealed, next: Some(JobId(start)) });
        }
    }
    Ok(ResealProgress { resealed, next: None })
}

/// Seals some rows of a table that come after a number. Returns how many, and up to which; none if there are no more.
async fn reseal_some(db: &Db, keyring: &Keyring, table: &str, start: i64) -> Result<(u32, Option<i64>), Fault> {
    let key = keyring.current_id();
    let sql = format!(
        "select id, uid, action from {table} where id > $1 and action is not null order by id limit $2 for update"
    );
    let rows = db.rows(&sql, &[&start, &RESEALED_MAX]).await?;
    let read = |row: &Row| {
        let mut cells = Cells::of(row);
        Ok((cells.next()?, cells.next()?, cells.next()?))
    };
    let rows: Vec<(i64, [u8; 16], Vec<u8>)> = rows.iter().map(read).collect::<Result<_, Error>>()?;
    let mut resealed = 0;
    // What is sealed with a newer key than ours is the business of its own rotation.
    let is_old = |action: &[u8]| seal::key_id(action).is_none_or(|id| id < key);
    for (id, uid, action) in rows.iter().filter(|(_, _, action)| is_old(action)) {
        let uid = Uid::from_bytes(*uid);
        let action = keyring.open(uid, action).and_then(|plain| keyring.seal(uid, &plain));
        let action = action.map_err(|reason| Error::corrupt(format!("{table} number {id}: {reason}")))?;
        db.execute(&format!("update {table} set action = $2 where id = $1"), &[id, &action]).await?;
        resealed += 1;
    }
    let last = rows.last().map(|(id, ..)| *id);
    if let Some(last) = last {
        note_resealed(db, table, key, last).await?;
    }
    let is_done = super::db::count(rows.len()) < RESEALED_MAX && resealed == 0;
    Ok((resealed, last.filter(|_| !is_done)))
}

/// Forgets every key but this one, with which everything on disk is sealed. Says no if that is not so: somebody who had begun to write
/// before the key came has finished since, and the rotation begins anew.
async fn forget_old(tx: &mut WriteTx, key: u32) -> Result<bool, Fault> {
    let key = i64::from(key);
    tx.take_time().await?;
    let rows = tx.rows("select id from sealing_key where id < $1 order by id for update", &[&key]).await?;
    let old: Vec<i64> = rows.iter().map(|row| Cells::of(row).next()).collect::<Result<_, Error>>()?;
    for id in &old {
        if is_in_use(tx, *id).await? {
            tx.execute("delete from meta where name like 'resealed with %'", &[]).await?;
            return Ok(false);
        }
    }
    tx.execute("delete from sealing_key where id = any($1)", &[&old]).await?;
    let marks = format!("resealed with {key}: ");
    tx.execute("delete from meta where name like 'resealed with %' and not starts_with(name, $1)", &[&marks]).await?;
    Ok(true)
}

/// Rows of a table up to this number were sealed with that key. What is written is sealed with the newest key, but for what was begun
/// before.
async fn resealed_until(db: &Db, table: &str, key: u32) -> Result<i64, Fault> {
    let row = db.row("select value from meta where name = $1", &[&resealed_with(table, key)]).await?;
    Ok(row.map(|row| Cells::of(&row).next()).transpose()?.unwrap_or(0))
}

async fn note_resealed(db: &Db, table: &str, key: u32, until: i64) -> Result<(), Fault> {
    let sql = "insert into meta (name, value) values ($1, $2)
        on conflict (name) do update set value = greatest(meta.value, excluded.value)";
    db.execute(sql, &[&resealed_with(table, key), &until]).await?;
    Ok(())
}

fn resealed_with(table: &str, key: u32) -> String {
    format!("resealed with {key}: {table}")
}
