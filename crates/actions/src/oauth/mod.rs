//! Tokens for HTTP actions (OAuth 2, client credentials), and how long they are kept.
//!
//! A token is requested once, however many jobs need it, and used until shortly before it expires. The request goes on
//! whether or not an attempt still waits for it: a job with little time must not keep the others from their token.

mod authority;
mod grant;

pub use authority::Authority;
pub(crate) use grant::Grant;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use punctual_model::action::Secret;
use tokio::sync::watch;

use crate::coarse_clock::CoarseClock;
use crate::credential::Credential;
use crate::failure::Failure;
use crate::http::{Client, Stage};
use crate::limits;

/// The tokens in use.
pub(crate) struct Tokens {
    shared: Arc<Shared>,
}

/// What a request shows to its target.
pub(crate) type Token = Arc<Secret>;

type Answered = Result<Token, Failure>;

struct Shared {
    client: Arc<Client>,
    authority: Authority,
    cached: Mutex<HashMap<Credential, CachedToken>>,
    clock: Arc<CoarseClock>,
}

/// A token, or why there is none.
#[derive(Default)]
struct CachedToken {
    /// The last answer, and until which second it is used.
    last: Option<(Answered, u32)>,
    /// Gets the answer, or loses its sender, when the request under way ends.
    running: Option<watch::Receiver<Option<Answered>>>,
    used_seconds: u32,
}

impl Tokens {
    /// There are none yet.
    pub(crate) fn new(client: Arc<Client>, authority: Authority, clock: Arc<CoarseClock>) -> Self {
        Self { shared: Arc::new(Shared { client, authority, cached: Mutex::default(), clock }) }
    }

    /// The token of an action.
    pub(crate) async fn get(&self, grant: &Grant, stage: &Stage) -> Answered {
        let mut running = match self.shared.last_or_running(grant) {
            Ok(answered) => return answered,
            Err(running) => running,
        };
        stage.asks_for_token();
        let lost = || Err(Failure::Credentials("The question for a token was not answered.".to_owned()));
        let answered = running.wait_for(Option::is_some).await.ok().and_then(|answered| answered.clone());
        answered.unwrap_or_else(lost)
    }

    /// Another token than the one that the target refused. If another attempt was refused before, the new token is there
    /// already.
    pub(crate) async fn renew(&self, grant: &Grant, refused: &Token, stage: &Stage) -> Answered {
        if let Some(cached) = self.shared.lock().get_mut(&grant.credential) {
            cached.last.take_if(|(answered, _)| answered.as_ref().is_ok_and(|token| Arc::ptr_eq(token, refused)));
        }
        self.get(grant, stage).await
    }

    /// Forgets a token.
    pub(crate) fn forget(&self, credential: Credential) {
        self.shared.lock().remove(&credential);
    }

    /// Forgets tokens that have expired.
    pub(crate) fn sweep(&self) {
        let now = self.shared.clock.seconds();
        self.shared.lock().retain(|_, cached| cached.is_of_use(now));
    }
}

impl Shared {
    /// The last answer, if it is still good; else the request that is under way.
    fn last_or_running(self: &Arc<Self>, grant: &Grant) -> Result<Answered, watch::Receiver<Option<Answered>>> {
        let now = self.clock.seconds();
        let mut tokens = self.lock();
        if tokens.len() >= limits::TOKENS_KEPT_MAX && !tokens.contains_key(&grant.credential) {
            let oldest = tokens.iter().min_by_key(|(_, cached)| cached.used_seconds).map(|(oldest, _)| *oldest);
            oldest.and_then(|oldest| tokens.remove(&oldest));
        }
        let cached = tokens.entry(grant.credential).or_default();
        cached.used_seconds = now;
        if let Some((answered, _)) = cached.last.as_ref().filter(|(_, until_seconds)| now < *until_seconds) {
            return Ok(answered.clone());
        }
        Err(cached.running.get_or_insert_with(|| self.ask(grant)).clone())
    }

    /// Requests a token, and keeps the answer.
    fn ask(self: &Arc<Self>, grant: &Grant) -> watch::Receiver<Option<Answered>> {
        let (sender, receiver) = watch::channel(None);
        let (shared, grant) = (Arc::clone(self), grant.clone());
        tokio::spawn(async move {
            let began_seconds = shared.clock.seconds();
            let (answered, seconds) = match grant.ask(&shared.authority, &shared.client).await {
                Ok((token, seconds)) => (Ok(Arc::new(token)), seconds),
                Err(failure) => (Err(failure), limits::TOKEN_FAILED_SECONDS),
            };
            // A token that was forgotten meanwhile is not kept.
            if let Some(cached) = shared.lock().get_mut(&grant.credential) {
                cached.running = None;
                cached.last = Some((answered.clone(), began_seconds.saturating_add(seconds)));
            }
            sender.send_replace(Some(answered));
        });
        receiver
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Credential, CachedToken>> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedToken {
    fn is_of_use(&self, now: u32) -> bool {
        self.running.is_some() || self.last.as_ref().is_some_and(|(_, until_seconds)| now < *until_seconds)
    }
}
