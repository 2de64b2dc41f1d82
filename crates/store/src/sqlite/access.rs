//! Tokens and role assignments; and what every request asks for, in memory.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use punctual_model::access::{Claimants, Grant, TokenId};
use rusqlite::{Connection, params};

use super::damage::Damage;
use super::{pause, session};
use crate::access::{AssignmentEntry, TokenEntry};
use crate::columns::access::{read_assignment, read_token};
use crate::error::Error;
use crate::pause::PauseEntry;
use crate::record;
use crate::session::SessionOwner;

/// Who may do what, and when the server was paused, in memory: every request asks, and few write. Nobody else writes to this
/// database.
#[derive(Clone)]
pub(super) struct Access {
    lists: Arc<RwLock<Lists>>,
    damage: Arc<Damage>,
}

struct Lists {
    /// In the order of their public parts.
    tokens: Vec<TokenEntry>,
    /// Oldest first.
    assignments: Vec<AssignmentEntry>,
    /// The earliest first; none if they cannot be read.
    pauses: Option<Vec<PauseEntry>>,
}

impl Access {
    /// Reads all. A token or an assignment that cannot be read lets nobody in, and keeps nobody else out.
    pub(super) fn load(db: &Connection, damage: Arc<Damage>) -> Result<Self, Error> {
        let lists = Lists::read(db, &damage)?;
        Ok(Self { lists: Arc::new(RwLock::new(lists)), damage })
    }

    /// Reads all again, after something was written.
    pub(super) fn refresh(&self, db: &Connection) -> Result<(), Error> {
        *self.lists.write().unwrap_or_else(PoisonError::into_inner) = Lists::read(db, &self.damage)?;
        Ok(())
    }

    /// The token of that public part.
    pub(super) fn token(&self, id: &TokenId) -> Option<TokenEntry> {
        let lists = self.lists();
        let at = lists.tokens.binary_search_by(|token| token.id.cmp(id)).ok()?;
        Some(lists.tokens[at].clone())
    }

    /// All tokens, oldest first.
    pub(super) fn tokens(&self) -> Vec<TokenEntry> {
        let mut tokens = self.lists().tokens.clone();
        tokens.sort_by_key(|token| token.created);
        tokens
    }

    /// All assignments, oldest first.
    pub(super) fn assignments(&self) -> Vec<AssignmentEntry> {
        self.lists().assignments.clone()
    }

    /// The last pauses of the server, the earliest first; none if they cannot be read.
    pub(super) fn pauses(&self) -> Option<Vec<PauseEntry>> {
        self.lists().pauses.clone()
    }

    fn lists(&self) -> RwLockReadGuard<'_, Lists> {
        self.lists.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lists {
    fn read(db: &Connection, damage: &Damage) -> Result<Self, Error> {
        let mut statement = db.prepare_cached("select id, record from token order by id")?;
        let tokens = damage.read_page(statement.query([])?, usize::MAX, |row| read_token(row))?;
        let mut statement = db.prepare_cached("select id, record from assignment order by id")?;
        let assignments = damage.read_page(statement.query([])?, usize::MAX, |row| read_assignment(row))?;
        Ok(Self { tokens, assignments, pauses: pause::list(db).ok() })
    }
}

/// Keeps one.
pub(super) fn put_token(db: &Connection, token: &TokenEntry, tokens_max: u32) -> Result<(), Error> {
    check_room(db, "select count(*) from token", tokens_max)?;
    let inserted = db
        .prepare_cached("insert into token (id, created, record) values (?1, ?2, ?3) on conflict (id) do nothing")?
        .execute(params![token.id.as_str(), token.created.ticks(), record::write_token(token)])?;
    if inserted == 1 { Ok(()) } else { Err(Error::Stale) }
}

/// Forgets one, and ends the sessions of those who signed in with it. Says whether it was there.
pub(super) fn delete_token(db: &Connection, id: &TokenId) -> Result<bool, Error> {
    session::delete_of(db, &SessionOwner::Token(id.clone()))?;
    Ok(db.prepare_cached("delete from token where id = ?1")?.execute([id.as_str()])? == 1)
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
