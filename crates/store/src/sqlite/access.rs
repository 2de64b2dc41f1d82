//! Tokens and role assignments.

use punctual_model::access::{Grant, Principal, TokenId};
use rusqlite::{Connection, OptionalExtension, params};

use crate::access::{AssignmentEntry, TokenEntry};
use crate::error::Error;
use crate::record;

/// The token of that public part.
pub(super) fn token(db: &Connection, id: &TokenId) -> Result<Option<TokenEntry>, Error> {
    let mut statement = db.prepare_cached("select record from token where id = ?1")?;
    let record: Option<String> = statement.query_row([id.as_str()], |row| row.get(0)).optional()?;
    record.map(|record| read_token(id.clone(), &record)).transpose()
}

/// All tokens, oldest first.
pub(super) fn tokens(db: &Connection) -> Result<Vec<TokenEntry>, Error> {
    let mut statement = db.prepare_cached("select id, record from token order by created, id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| {
        let (id, record): (String, String) = row?;
        let id = TokenId::parse(&id).map_err(|reason| Error::corrupt(format!("the name of a token: {reason}")))?;
        read_token(id, &record)
    })
    .collect()
}

/// Keeps one.
pub(super) fn put_token(db: &Connection, token: &TokenEntry, tokens_max: u32) -> Result<(), Error> {
    check_room(db, "select count(*) from token", tokens_max)?;
    let inserted = db
        .prepare_cached("insert into token (id, created, record) values (?1, ?2, ?3) on conflict (id) do nothing")?
        .execute(params![token.id.as_str(), token.created.ticks(), record::write_token(token)])?;
    if inserted == 1 { Ok(()) } else { Err(Error::Stale) }
}

/// Forgets one. Says whether it was there.
pub(super) fn delete_token(db: &Connection, id: &TokenId) -> Result<bool, Error> {
    Ok(db.prepare_cached("delete from token where id = ?1")?.execute([id.as_str()])? == 1)
}

/// All assignments, oldest first.
pub(super) fn assignments(db: &Connection) -> Result<Vec<AssignmentEntry>, Error> {
    let mut statement = db.prepare_cached("select id, record from assignment order by id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| {
        let (id, record): (i64, String) = row?;
        let read = record::read_assignment(&record);
        let (principal, grant) = read.map_err(|reason| Error::corrupt(format!("assignment {id}: {reason}")))?;
        Ok(AssignmentEntry { id, principal, grant })
    })
    .collect()
}

/// Assigns a role.
pub(super) fn put_assignment(
    db: &Connection,
    principal: Principal,
    grant: Grant,
    assignments_max: u32,
) -> Result<AssignmentEntry, Error> {
    check_room(db, "select count(*) from assignment", assignments_max)?;
    let record = record::write_assignment(&principal, &grant);
    db.prepare_cached("insert into assignment (record) values (?1)")?.execute([record])?;
    Ok(AssignmentEntry { id: db.last_insert_rowid(), principal, grant })
}

/// Takes one back. Says whether it was there.
pub(super) fn delete_assignment(db: &Connection, id: i64) -> Result<bool, Error> {
    Ok(db.prepare_cached("delete from assignment where id = ?1")?.execute([id])? == 1)
}

fn check_room(db: &Connection, count: &str, max: u32) -> Result<(), Error> {
    let there: u32 = db.prepare_cached(count)?.query_row([], |row| row.get(0))?;
    if there < max { Ok(()) } else { Err(Error::Full { max }) }
}

fn read_token(id: TokenId, text: &str) -> Result<TokenEntry, Error> {
    let name = id.clone();
    record::read_token(id, text).map_err(|reason| Error::corrupt(format!("token {}: {reason}", name.as_str())))
}
