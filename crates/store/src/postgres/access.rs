//! Tokens and role assignments. They are read for each request: what was taken back on one node must not be taken by another.

use punctual_model::access::{Claimants, Grant, TokenId};

use super::db::Db;
use super::error::Fault;
use super::session;
use super::write::WriteTx;
use crate::access::{AssignmentEntry, TokenEntry};
use crate::cells::Cells;
use crate::columns::access::{read_assignment, read_token};
use crate::damage::Damage;
use crate::error::Error;
use crate::record;
use crate::session::SessionOwner;

/// The token of that public part. One that cannot be read lets nobody in.
pub(super) async fn token(db: &Db, id: &TokenId, damage: &Damage) -> Result<Option<TokenEntry>, Fault> {
    let Some(row) = db.row("select id, record from token where id = $1", &[&id.as_str()]).await? else {
        return Ok(None);
    };
    Ok(damage.sieve(read_token(&row))?)
}

/// All tokens, oldest first.
pub(super) async fn tokens(db: &Db, damage: &Damage) -> Result<Vec<TokenEntry>, Fault> {
    let sql = "select id, record from token order by created, id";
    db.read_page(sql, &[], usize::MAX, damage, |row| read_token(row)).await
}

/// All assignments, oldest first.
pub(super) async fn assignments(db: &Db, damage: &Damage) -> Result<Vec<AssignmentEntry>, Fault> {
    db.read_page("select id, record from assignment order by id", &[], usize::MAX, damage, |row| read_assignment(row))
        .await
}

/// Keeps one.
pub(super) async fn put_token(tx: &mut WriteTx, token: &TokenEntry, tokens_max: u32) -> Result<(), Fault> {
    tx.lock("tokens").await?;
    check_room(tx, "select count(*) from token", tokens_max).await?;
    let sql = "insert into token (id, created, record) values ($1, $2, $3) on conflict (id) do nothing";
    let record = record::write_token(token);
    let inserted = tx.execute(sql, &[&token.id.as_str(), &token.created.ticks(), &record]).await?;
    if inserted == 1 { Ok(()) } else { Err(Error::Stale.into()) }
}

/// Forgets one, and ends the sessions of those who signed in with it. Says whether it was there.
pub(super) async fn delete_token(tx: &mut WriteTx, id: &TokenId) -> Result<bool, Fault> {
    // First: who begins a session at this instant holds the token until that is written, and the session is seen then.
    let deleted = tx.execute("delete from token where id = $1", &[&id.as_str()]).await?;
    session::delete_of(tx, &SessionOwner::Token(id.clone())).await?;
    Ok(deleted == 1)
}

/// Assigns a role.
pub(super) async fn put_assignment(
    tx: &mut WriteTx,
    claimants: &Claimants,
    grant: &Grant,
    assignments_max: u32,
) -> Result<AssignmentEntry, Fault> {
    tx.lock("assignments").await?;
    check_room(tx, "select count(*) from assignment", assignments_max).await?;
    let record = record::write_assignment(claimants, grant);
    let row = tx.one("insert into assignment (record) values ($1) returning id", &[&record]).await?;
    Ok(AssignmentEntry { id: Cells::of(&row).next()?, claimants: claimants.clone(), grant: grant.clone() })
}

/// Takes one back. Says whether it was there.
pub(super) async fn delete_assignment(db: &Db, id: i64) -> Result<bool, Fault> {
    Ok(db.execute("delete from assignment where id = $1", &[&id]).await? == 1)
}

async fn check_room(db: &Db, count: &str, max: u32) -> Result<(), Fault> {
    let there: i64 = Cells::of(&db.one(count, &[]).await?).next()?;
    if there < i64::from(max) { Ok(()) } else { Err(Error::Full { max }.into()) }
}
