//! Tokens and role assignments.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use punctual_model::access::{Claimants, Grant, TokenId};
use rusqlite::{Connection, params};

use crate::access::{AssignmentEntry, TokenEntry};
use crate::error::Error;
use crate::record;

/// Who may do what, in memory: every request asks, and few write. Nobody else writes to this database.
#[derive(Clone)]
pub(super) struct Access(Arc<RwLock<Known>>);

struct Known {
    /// In the order of their public parts.
    tokens: Vec<TokenEntry>,
    /// Oldest first.
    assignments: Vec<AssignmentEntry>,
}

impl Access {
    pub(super) fn load(db: &Connection) -> Result<Self, Error> {
        Ok(Self(Arc::new(RwLock::new(Known::read(db)?))))
    }

    /// Looks again, after something was written.
    pub(super) fn refresh(&self, db: &Connection) -> Result<(), Error> {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Known::read(db)?;
        Ok(())
    }

    /// The token of that public part.
    pub(super) fn token(&self, id: &TokenId) -> Option<TokenEntry> {
        let known = self.known();
        let at = known.tokens.binary_search_by(|token| token.id.cmp(id)).ok()?;
        Some(known.tokens[at].clone())
    }

    /// All tokens, oldest first.
    pub(super) fn tokens(&self) -> Vec<TokenEntry> {
        let mut tokens = self.known().tokens.clone();
        tokens.sort_by_key(|token| token.created);
        tokens
    }

    /// All assignments, oldest first.
    pub(super) fn assignments(&self) -> Vec<AssignmentEntry> {
        self.known().assignments.clone()
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn read(db: &Connection) -> Result<Self, Error> {
        Ok(Self { tokens: tokens(db)?, assignments: assignments(db)? })
    }
}

fn tokens(db: &Connection) -> Result<Vec<TokenEntry>, Error> {
    let mut statement = db.prepare_cached("select id, record from token order by id")?;
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

fn assignments(db: &Connection) -> Result<Vec<AssignmentEntry>, Error> {
    let mut statement = db.prepare_cached("select id, record from assignment order by id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| {
        let (id, record): (i64, String) = row?;
        let read = record::read_assignment(&record);
        let (claimants, grant) = read.map_err(|reason| Error::corrupt(format!("assignment {id}: {reason}")))?;
        Ok(AssignmentEntry { id, claimants, grant })
    })
    .collect()
}

/// Assigns a role.
pub(super) fn put_assignment(
    db: &Connection,
    claimants: Claimants,
    grant: Grant,
    assignments_max: u32,
) -> Result<AssignmentEntry, Error> {
    check_room(db, "select count(*) from assignment", assignments_max)?;
    let record = record::write_assignment(&claimants, &grant);
    db.prepare_cached("insert into assignment (record) values (?1)")?.execute([record])?;
    Ok(AssignmentEntry { id: db.last_insert_rowid(), claimants, grant })
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
