//! The store as the console sees it: who has signed in.

use async_trait::async_trait;
use punctual_model::time::Timestamp;

use crate::error::Error;
use crate::session::{SessionEntry, SessionOwner};

/// Where sessions live. Every function is one transaction. A session that is found proves who somebody was when they signed in;
/// what they may do is judged at each request. [`Store::delete_token`](crate::Store::delete_token) ends the sessions of its token.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Keeps a session, in place of one of the same hash and owner. `Stale` if its token is gone or the hash belongs to another
    /// owner, `Full` if the owner has `sessions_max` others that are not over when this one begins.
    async fn put_session(&self, session: SessionEntry, sessions_max: u32) -> Result<(), Error>;

    /// The session of that hash, unless it is over by now.
    async fn session(&self, hash: [u8; 32], now: Timestamp) -> Result<Option<SessionEntry>, Error>;

    /// Ends a session. Returns whether it was there.
    async fn delete_session(&self, hash: [u8; 32]) -> Result<bool, Error>;

    /// Ends all sessions of somebody. Returns how many there were.
    async fn delete_sessions(&self, owner: SessionOwner) -> Result<usize, Error>;

    /// Forgets some of the sessions that are over by now. Returns how many.
    async fn forget_sessions(&self, now: Timestamp, limit: usize) -> Result<usize, Error>;
}
