//! Tokens for HTTP actions (OAuth 2, client credentials), and how long they are kept.
//!
//! A token is asked for once, however many jobs need it, and used until shortly before it expires. The question goes on
//! whether or not somebody still waits for it: a job with little time must not keep the others from their token.

mod authority;
mod grant;

pub use authority::Authority;
pub(crate) use grant::Grant;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use punctual_model::action::Secret;
use tokio::sync::watch;

use crate::credential::Credential;
use crate::failure::Failure;
use crate::http::{Client, Stage};
use crate::limits;
use crate::pulse::Pulse;

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
    known: Mutex<HashMap<Credential, Known>>,
    pulse: Arc<Pulse>,
}

/// What is known of one token.
#[derive(Default)]
struct Known {
    /// The last answer, and until when it is used.
    last: Option<(Answered, u32)>,
    /// Gets the answer, or loses its sender, when the question under way ends.
    running: Option<watch::Receiver<Option<Answered>>>,
    used_seconds: u32,
}

impl Tokens {
    /// There are none yet.
    pub(crate) fn new(client: Arc<Client>, authority: Authority, pulse: Arc<Pulse>) -> Self {
        Self { shared: Arc::new(Shared { client, authority, known: Mutex::default(), pulse }) }
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

    /// Another token than the one that the target refused. If somebody else has noticed before, it is there already.
    pub(crate) async fn renew(&self, grant: &Grant, refused: &Token, stage: &Stage) -> Answered {
        if let Some(known) = self.shared.lock().get_mut(&grant.credential) {
            known.last.take_if(|(answered, _)| answered.as_ref().is_ok_and(|token| Arc::ptr_eq(token, refused)));
        }
        self.get(grant, stage).await
    }

    /// Forgets a token.
    pub(crate) fn forget(&self, credential: Credential) {
        self.shared.lock().remove(&credential);
    }

    /// Forgets what is not used any more.
    pub(crate) fn sweep(&self) {
        let now = self.shared.pulse.seconds();
        self.shared.lock().retain(|_, known| known.is_of_use(now));
    }
}

impl Shared {
    /// The last answer, if it is still good; else the question that is under way.
    fn last_or_running(self: &Arc<Self>, grant: &Grant) -> Result<Answered, watch::Receiver<Option<Answered>>> {
        let now = self.pulse.seconds();
        let mut tokens = self.lock();
        if tokens.len() >= limits::TOKENS_KEPT_MAX && !tokens.contains_key(&grant.credential) {
            let oldest = tokens.iter().min_by_key(|(_, known)| known.used_seconds).map(|(oldest, _)| *oldest);
            oldest.and_then(|oldest| tokens.remove(&oldest));
        }
        let known = tokens.entry(grant.credential).or_default();
        known.used_seconds = now;
        if let Some((answered, _)) = known.last.as_ref().filter(|(_, until_seconds)| now < *until_seconds) {
            return Ok(answered.clone());
        }
        Err(known.running.get_or_insert_with(|| self.ask(grant)).clone())
    }

    /// Asks, and keeps the answer.
    fn ask(self: &Arc<Self>, grant: &Grant) -> watch::Receiver<Option<Answered>> {
        let (sender, receiver) = watch::channel(None);
        let (shared, grant) = (Arc::clone(self), grant.clone());
        tokio::spawn(async move {
            let began_seconds = shared.pulse.seconds();
            let (answered, seconds) = match grant.ask(&shared.authority, &shared.client).await {
                Ok((token, seconds)) => (Ok(Arc::new(token)), seconds),
                Err(failure) => (Err(failure), limits::TOKEN_FAILED_SECONDS),
            };
            // One that was forgotten meanwhile is not kept.
            if let Some(known) = shared.lock().get_mut(&grant.credential) {
                known.running = None;
                known.last = Some((answered.clone(), began_seconds.saturating_add(seconds)));
            }
            sender.send_replace(Some(answered));
        });
        receiver
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Credential, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn is_of_use(&self, now: u32) -> bool {
        self.running.is_some() || self.last.as_ref().is_some_and(|(_, until_seconds)| now < *until_seconds)
    }
}
