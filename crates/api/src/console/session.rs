//! Sessions: who has signed in. A session proves who somebody was; what they may do is read anew for each request, so that a
//! token that was revoked, or a role that was taken, ends at once.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use punctual_model::access::TokenId;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use punctual_store::{Error, SessionEntry, SessionOwner};

use super::cookies;
use crate::api::Api;
use crate::auth::Identity;
use crate::fault::Fault;
use crate::limits::{SESSION_TICKS, SESSIONS_OF_OWNER_MAX};

/// A session that goes on.
pub(super) struct Session {
    pub(super) identity: Identity,
    /// What the visitor is called.
    pub(super) name: String,
    /// The secret that the browser shows.
    pub(super) secret: Vec<u8>,
}

/// The session that a request shows, unless it is over or its owner has nothing left to do here.
pub(super) async fn find(api: &Api, headers: &HeaderMap, now: Timestamp) -> Result<Option<Session>, Fault> {
    let Some(sessions) = &api.console.sessions else { return Ok(None) };
    let Some(secret) = shown(headers) else { return Ok(None) };
    let Some(entry) = sessions.session(hash(&secret), now).await? else { return Ok(None) };
    let found = match &entry.owner {
        SessionOwner::Token(id) => api.gate.holder_of(id, now).await?,
        SessionOwner::Subject(_) => None,
    };
    Ok(found.map(|(identity, name)| Session { identity, name, secret }))
}

/// Begins a session of who has shown a token. Gives the cookie.
pub(super) async fn begin(api: &Api, token: TokenId, now: Timestamp, is_secure: bool) -> Result<String, Fault> {
    let sessions = api.console.sessions.as_ref().ok_or(Fault::Busy)?;
    let secret: [u8; 32] = api.operations.random();
    let entry = SessionEntry {
        hash: hash(&secret),
        owner: SessionOwner::Token(token),
        issued: now,
        expires: now.saturating_add(SESSION_TICKS),
        record: String::new(),
    };
    // What is over takes room that nobody needs.
    sessions.forget_sessions(now, 100).await?;
    match sessions.put_session(entry, SESSIONS_OF_OWNER_MAX).await {
        Err(Error::Full { max }) => Err(Fault::Conflict {
            target: "session",
            message: format!("{max} browsers are signed in with this token already; sign out in one of them."),
        }),
        written => Ok(written?),
    }?;
    Ok(cookies::session(&URL_SAFE_NO_PAD.encode(secret), is_secure, SESSION_TICKS / TICKS_PER_SECOND))
}

/// Ends the session that a request shows.
pub(super) async fn end(api: &Api, headers: &HeaderMap) -> Result<(), Fault> {
    if let (Some(sessions), Some(secret)) = (&api.console.sessions, shown(headers)) {
        sessions.delete_session(hash(&secret)).await?;
    }
    Ok(())
}

fn shown(headers: &HeaderMap) -> Option<Vec<u8>> {
    let text = cookies::read(headers, cookies::SESSION)?;
    URL_SAFE_NO_PAD.decode(text).ok().filter(|secret| secret.len() == 32)
}

fn hash(secret: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest(&SHA256, secret).as_ref());
    bytes
}
