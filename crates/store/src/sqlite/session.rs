//! [`SessionStore`] for SQLite.

use async_trait::async_trait;
use punctual_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::Sqlite;
use super::writer::WriteTx;
use crate::columns::session::{columns, read};
use crate::error::Error;
use crate::session::{SessionEntry, SessionOwner};
use crate::session_store::SessionStore;

/// The session of a hash, unless it is over.
pub(super) const FIND: &str =
    "select hash, token, subject, issued, expires, record from session where hash = ?1 and expires > ?2";

/// Other sessions of a token that are not over.
pub(super) const OTHERS_OF_TOKEN: &str =
    "select count(*) from session where token = ?1 and hash <> ?2 and expires > ?3";

/// Other sessions of a subject that are not over.
pub(super) const OTHERS_OF_SUBJECT: &str =
    "select count(*) from session where subject = ?1 and hash <> ?2 and expires > ?3";

/// A session, which takes the place of one of the same owner only.
const PUT: &str = "insert into session (hash, token, subject, issued, expires, record) values (?1, ?2, ?3, ?4, ?5, ?6)
    on conflict (hash) do update set issued = ?4, expires = ?5, record = ?6 where (token, subject) is (?2, ?3)";

/// Sessions that are over.
pub(super) const FORGET: &str =
    "delete from session where hash in (select hash from session where expires <= ?1 order by expires limit ?2)";

#[async_trait]
impl SessionStore for Sqlite {
    async fn put_session(&self, session: SessionEntry, sessions_max: u32) -> Result<(), Error> {
        self.writer.write(move |WriteTx { db, .. }| put(db, &session, sessions_max)).await
    }

    async fn session(&self, hash: [u8; 32], now: Timestamp) -> Result<Option<SessionEntry>, Error> {
        self.readers.point(|db| find(db, hash, now))
    }

    async fn delete_session(&self, hash: [u8; 32]) -> Result<bool, Error> {
        let delete = move |WriteTx { db, .. }: &mut WriteTx<'_>| {
            Ok(db.prepare_cached("delete from session where hash = ?1")?.execute([hash])? == 1)
        };
        self.writer.write_from_reserve(delete).await
    }

    async fn delete_sessions(&self, owner: SessionOwner) -> Result<usize, Error> {
        self.writer.write_from_reserve(move |WriteTx { db, .. }| delete_of(db, &owner)).await
    }

    async fn forget_sessions(&self, now: Timestamp, limit: usize) -> Result<usize, Error> {
        let forget = move |WriteTx { db, .. }: &mut WriteTx<'_>| {
            Ok(db.prepare_cached(FORGET)?.execute(params![now.ticks(), limit])?)
        };
        self.writer.write_from_reserve(forget).await
    }
}

fn put(db: &Connection, session: &SessionEntry, sessions_max: u32) -> Result<(), Error> {
    let SessionEntry { hash, owner, issued, expires, record } = session;
    let (token, subject) = columns(owner);
    if let Some(token) = token
        && !db.prepare_cached("select 1 from token where id = ?1")?.exists([token])?
    {
        return Err(Error::Stale);
    }
    let others = if token.is_some() { OTHERS_OF_TOKEN } else { OTHERS_OF_SUBJECT };
    let values = params![token.or(subject), hash, issued.ticks()];
    let others: u32 = db.prepare_cached(others)?.query_row(values, |row| row.get(0))?;
    if others >= sessions_max {
        return Err(Error::Full { max: sessions_max });
    }
    let values = params![hash, token, subject, issued.ticks(), expires.ticks(), record];
    if db.prepare_cached(PUT)?.execute(values)? == 1 { Ok(()) } else { Err(Error::Stale) }
}

fn find(db: &Connection, hash: [u8; 32], now: Timestamp) -> Result<Option<SessionEntry>, Error> {
    let mut statement = db.prepare_cached(FIND)?;
    let found = statement.query_row(params![hash, now.ticks()], |row| Ok(read(row))).optional()?.transpose();
    found.map_err(|error: Error| error.about("a session"))
}

/// Ends all sessions of somebody. Returns how many there were.
pub(super) fn delete_of(db: &Connection, owner: &SessionOwner) -> Result<usize, Error> {
    let mut statement = db.prepare_cached(match owner {
        SessionOwner::Token(_) => "delete from session where token = ?1",
        SessionOwner::Subject(_) => "delete from session where subject = ?1",
    })?;
    let (token, subject) = columns(owner);
    Ok(statement.execute([token.or(subject)])?)
}
