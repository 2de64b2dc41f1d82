//! The keys of an issuer, asked for when they are needed and not more often.
//!
//! ```text
//!   known and less than an hour old ──────────────────────────────────► use them
//!   else: wait for the turn ── asked within 30 s (by whom we waited for) ► use what is there
//!                           └─ else ask ── answered ───────────────────► use the new ones
//!                                       └─ not answered ───────────────► use the old ones
//! ```
//!
//! A token with a known key never waits for tokens that name an unknown one.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use punctual_model::time::Timestamp;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::super::Denied;
use super::Fetch;
use super::algorithm::Algorithm;
use super::document::fetch_keys;
use super::key_set::KeySet;
use crate::limits;

/// The keys of one issuer.
pub(super) struct KeyCache {
    issuer: String,
    fetch: Arc<dyn Fetch>,
    known: RwLock<Option<FetchedKeys>>,
    /// Held by the one that asks, so that the others wait for the answer.
    last_attempt: Arc<Mutex<Option<Attempt>>>,
}

#[derive(Clone)]
struct FetchedKeys {
    keys: Arc<KeySet>,
    at: Timestamp,
}

struct Attempt {
    at: Timestamp,
    failure: Option<String>,
}

impl KeyCache {
    pub(super) fn new(issuer: String, fetch: Arc<dyn Fetch>) -> Self {
        Self { issuer, fetch, known: RwLock::new(None), last_attempt: Arc::new(Mutex::new(None)) }
    }

    /// The keys, which have one for such a token if there is any way to get it.
    pub(super) async fn keys_for(
        self: &Arc<Self>,
        key_id: Option<&str>,
        algorithm: Algorithm,
        now: Timestamp,
    ) -> Result<Arc<KeySet>, Denied> {
        match self.known() {
            Some(FetchedKeys { keys, at })
                if is_within(limits::OIDC_KEYS_AGE_TICKS_MAX, at, now) && keys.has(key_id, algorithm) =>
            {
                Ok(keys)
            }
            _ => self.ask(now).await,
        }
    }

    async fn ask(self: &Arc<Self>, now: Timestamp) -> Result<Arc<KeySet>, Denied> {
        let turn = Arc::clone(&self.last_attempt).lock_owned().await;
        if let Some(Attempt { at, failure }) = &*turn
            && is_within(limits::OIDC_FETCH_INTERVAL_TICKS_MIN, *at, now)
        {
            return self.known_or(failure.clone());
        }
        // A task of its own: it goes on when the caller hangs up. Otherwise somebody who does so again and again could
        // use up every turn without an answer.
        let failure = tokio::spawn(Arc::clone(self).fetch(turn, now)).await;
        self.known_or(failure.unwrap_or_else(|stopped| Some(stopped.to_string())))
    }

    /// Fetches the keys and says why not.
    async fn fetch(self: Arc<Self>, mut turn: OwnedMutexGuard<Option<Attempt>>, now: Timestamp) -> Option<String> {
        *turn = Some(Attempt { at: now, failure: None });
        let time_max = Duration::from_secs(limits::OIDC_FETCH_SECONDS_MAX);
        let fetched = tokio::time::timeout(time_max, fetch_keys(&self.issuer, &*self.fetch)).await;
        let failure = match fetched.unwrap_or_else(|_| Err(format!("no answer within {time_max:?}"))) {
            Ok(keys) => {
                let known = FetchedKeys { keys: Arc::new(keys), at: now };
                *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(known);
                None
            }
            Err(reason) => {
                tracing::warn!(
                    issuer = self.issuer,
                    reason,
                    "the keys of {} could not be fetched: {reason}",
                    self.issuer
                );
                Some(reason)
            }
        };
        *turn = Some(Attempt { at: now, failure: failure.clone() });
        failure
    }

    fn known(&self) -> Option<FetchedKeys> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn known_or(&self, failure: Option<String>) -> Result<Arc<KeySet>, Denied> {
        self.known().map(|known| known.keys).ok_or_else(|| Denied::NoKeys {
            issuer: self.issuer.clone(),
            reason: failure.unwrap_or_else(|| "the last attempt was broken off".to_owned()),
        })
    }
}

/// Whether two instants are less than `ticks` apart. In either direction: of requests that come together, the one that
/// read the clock first may get its turn last, and a clock that was set back must not make keys last for ever.
fn is_within(ticks: i64, one: Timestamp, other: Timestamp) -> bool {
    one.since(other).abs() < ticks
}
