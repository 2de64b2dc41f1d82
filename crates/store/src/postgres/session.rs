//! [`SessionStore`] for PostgreSQL.

use async_trait::async_trait;
use punctual_model::time::Timestamp;

use super::Postgres;
use super::db::{Db, count};
use super::error::Fault;
use super::values::plain;
use super::write::WriteTx;
use crate::cells::Cells;
use crate::columns::session::{columns, read};
use crate::error::Error;
use crate::session::{SessionEntry, SessionOwner};
use crate::session_store::SessionStore;

/// A session, which takes the place of one of the same owner only.
const PUT: &str = "insert into session (hash, token, subject, issued, expires, record) values ($1, $2, $3, $4, $5, $6)
    on conflict (hash) do update set issued = excluded.issued, expires = excluded.expires, record = excluded.record
    where (session.token, session.subject) is not distinct from (excluded.token, excluded.subject)";

#[async_trait]
impl SessionStore for Postgres {
    async fn put_session(&self, session: SessionEntry, sessions_max: u32) -> Result<(), Error> {
        self.shared
            .write((session, sessions_max), |tx, (session, sessions_max)| Box::pin(put(tx, session, *sessions_max)))
            .await
    }

    async fn session(&self, hash: [u8; 32], now: Timestamp) -> Result<Option<SessionEntry>, Error> {
        let db = self.shared.pool.connection().await?;
        let sql = "select hash, token, subject, issued, expires, record from session where hash = $1 and expires > $2";
        let row = db.row(sql, &[&hash.as_slice(), &now.ticks()]).await?;
        row.map(|row| read(&row)).transpose().map_err(|error| error.about("a session"))
    }

    async fn delete_session(&self, hash: [u8; 32]) -> Result<bool, Error> {
        self.shared
            .write(hash, |tx, hash| {
                Box::pin(async move {
                    Ok(tx.execute("delete from session where hash = $1", &[&hash.as_slice()]).await? == 1)
                })
            })
            .await
    }

    async fn delete_sessions(&self, owner: SessionOwner) -> Result<usize, Error> {
        self.shared.write(owner, |tx, owner| Box::pin(delete_of(tx, owner))).await
    }

    async fn forget_sessions(&self, now: Timestamp, limit: usize) -> Result<usize, Error> {
        self.shared
            .write((now, limit), |tx, (now, limit)| {
                Box::pin(async move {
                    let sql = "delete from session where hash in
                        (select hash from session where expires <= $1 order by expires limit $2)";
                    let forgotten = tx.execute(sql, &[&now.ticks(), &count(*limit)]).await?;
                    Ok(usize::try_from(forgotten).unwrap_or(usize::MAX))
                })
            })
            .await
    }
}

async fn put(tx: &mut WriteTx, session: &SessionEntry, sessions_max: u32) -> Result<(), Fault> {
    let SessionEntry { hash, owner, issued, expires, record } = session;
    let (token, subject) = columns(owner);
    let subject = subject.map(plain);
    // Who counts the sessions of somebody is alone with it.
    if let Some(token) = token {
        if !tx.exists("select 1::bigint from token where id = $1 for no key update", &[&token]).await? {
            return Err(Error::Stale.into());
        }
    } else if let Some(subject) = &subject {
        tx.lock(&format!("sessions {}", bucket(subject))).await?;
    }
    let others = if token.is_some() { "token" } else { "subject" };
    let sql = format!("select count(*) from session where {others} = $1 and hash <> $2 and expires > $3");
    let owner = token.map(Into::into).or(subject.clone());
    let row = tx.one(&sql, &[&owner, &hash.as_slice(), &issued.ticks()]).await?;
    let others: i64 = Cells::of(&row).next()?;
    if others >= i64::from(sessions_max) {
        return Err(Error::Full { max: sessions_max }.into());
    }
    let (issued, expires) = (issued.ticks(), expires.ticks());
    let put = tx.execute(PUT, &[&hash.as_slice(), &token, &subject, &issued, &expires, &plain(record)]).await?;
    if put == 1 { Ok(()) } else { Err(Error::Stale.into()) }
}

/// One of a few rows that stand for all subjects: a row for each would stay for ever.
fn bucket(subject: &str) -> u8 {
    subject.bytes().fold(0_u8, |bucket, byte| bucket.wrapping_mul(31).wrapping_add(byte))
}

/// Ends all sessions of somebody. Returns how many there were.
pub(super) async fn delete_of(db: &Db, owner: &SessionOwner) -> Result<usize, Fault> {
    let sql = match owner {
        SessionOwner::Token(_) => "delete from session where token = $1",
        SessionOwner::Subject(_) => "delete from session where subject = $1",
    };
    let (token, subject) = columns(owner);
    let deleted = db.execute(sql, &[&token.or(subject).map(plain)]).await?;
    Ok(usize::try_from(deleted).unwrap_or(usize::MAX))
}
