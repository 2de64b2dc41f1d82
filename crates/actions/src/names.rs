//! Finds the addresses of names.
//!
//! The system's resolver is asked, not a name server: it knows the hosts file, the search list and the order that the
//! operator set up. It has one fault: it blocks a thread, and for as long as a name server does not answer. Hence:
//!
//! - One look-up of a name at a time; whoever needs the same name waits for it.
//! - So many look-ups in all. A name whose last look-up hung may take only a few of these places: names that hang again and
//!   again leave the others alone.
//! - Whoever waits does so for a limited time. The look-up itself goes on, holds its place until the resolver lets go of
//!   it, and its late answer is kept.
//! - Answers are kept. An old one is used where no newer one comes in a moment.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

use crate::failure::Failure;
use crate::limits;
use crate::pulse::Pulse;
use crate::settings::LookUp;

/// Addresses in the order in which they should be tried.
pub(crate) type Addresses = Arc<[IpAddr]>;

/// What is known about names.
pub(crate) struct Names {
    shared: Arc<Shared>,
}

struct Shared {
    look_up: LookUp,
    known: Mutex<HashMap<Box<str>, Known>>,
    places: Arc<Semaphore>,
    places_of_suspects: Arc<Semaphore>,
    pulse: Arc<Pulse>,
}

/// What is known about one name.
#[derive(Default)]
struct Known {
    found: Option<Found>,
    failed: Option<(Failure, u32)>,
    /// Becomes true, or loses its sender, when the look-up under way ends.
    running: Option<watch::Receiver<bool>>,
    /// Whether somebody waited in vain for its last look-up.
    is_suspect: bool,
}

#[derive(Clone)]
struct Found {
    addresses: Addresses,
    at_seconds: u32,
}

/// What is to be done about a name.
enum Plan {
    Use(Addresses),
    Fail(Failure),
    /// A look-up is under way; meanwhile there may be an old answer.
    Wait(watch::Receiver<bool>, Option<Addresses>),
}

impl Names {
    /// Nothing is known yet.
    pub(crate) fn new(look_up: LookUp, pulse: Arc<Pulse>) -> Self {
        let places = Arc::new(Semaphore::new(limits::LOOK_UPS_MAX));
        let places_of_suspects = Arc::new(Semaphore::new(limits::LOOK_UPS_SUSPECT_MAX));
        let shared = Shared { look_up, known: Mutex::default(), places, places_of_suspects, pulse };
        Self { shared: Arc::new(shared) }
    }

    /// The addresses of a name.
    pub(crate) async fn find(&self, name: &str) -> Result<Addresses, Failure> {
        let (running, old) = match self.plan(name) {
            Plan::Use(addresses) => return Ok(addresses),
            Plan::Fail(failure) => return Err(failure),
            Plan::Wait(running, old) => (running, old),
        };
        let patience = match &old {
            Some(_) => Duration::from_millis(limits::NAME_REFRESH_MILLISECONDS_MAX),
            None => Duration::from_secs(limits::LOOK_UP_SECONDS_MAX),
        };
        let ended = timeout(patience, ended(running)).await.is_ok();
        match (self.shared.answer(name, ended), old) {
            (Err(_), Some(old)) => Ok(old),
            (answer, _) => answer,
        }
    }

    /// Forgets what is too old to be used.
    pub(crate) fn sweep(&self) {
        let now = self.shared.pulse.seconds();
        self.shared.known.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, known| known.is_of_use(now));
    }

    fn plan(&self, name: &str) -> Plan {
        let now = self.shared.pulse.seconds();
        let mut names = self.shared.known.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= limits::NAMES_KEPT_MAX && !names.contains_key(name) {
            make_room(&mut names, now);
        }
        let known = names.entry(name.into()).or_default();
        let old = known.found.as_ref().filter(|found| is_younger(found.at_seconds, now, limits::NAME_STALE_SECONDS));
        if let Some(found) = old.filter(|found| is_younger(found.at_seconds, now, limits::NAME_FRESH_SECONDS)) {
            return Plan::Use(Arc::clone(&found.addresses));
        }
        let old = old.map(|found| Arc::clone(&found.addresses));
        let failed = known.failed.as_ref().filter(|(_, at)| is_younger(*at, now, limits::NAME_FAILED_SECONDS));
        match (failed, &known.running, old) {
            (Some(_), _, Some(old)) => Plan::Use(old),
            (Some((failure, _)), _, None) => Plan::Fail(failure.clone()),
            (None, Some(running), old) => Plan::Wait(running.clone(), old),
            (None, None, old) => {
                let running = self.shared.start(name, known.is_suspect);
                known.running = Some(running.clone());
                Plan::Wait(running, old)
            }
        }
    }
}

impl Shared {
    /// Starts a look-up that goes on whether or not somebody waits for it.
    fn start(self: &Arc<Self>, name: &str, is_suspect: bool) -> watch::Receiver<bool> {
        let (done, running) = watch::channel(false);
        let (shared, name) = (Arc::clone(self), name.to_owned());
        tokio::spawn(async move {
            let places = if is_suspect { &shared.places_of_suspects } else { &shared.places };
            let waiting = Arc::clone(places).acquire_owned();
            // Half of the time, so that who only waited for a place is not taken for one who hung.
            match timeout(Duration::from_secs(limits::LOOK_UP_SECONDS_MAX / 2), waiting).await {
                Ok(Ok(place)) => drop(tokio::task::spawn_blocking(move || shared.look_up(&name, place, &done))),
                _ => shared.keep(&name, Err(Failure::LookUpsBusy { name: name.clone() })),
            }
        });
        running
    }

    /// Asks the system, on a thread that may wait, and keeps what it says.
    fn look_up(&self, name: &str, place: OwnedSemaphorePermit, done: &watch::Sender<bool>) {
        let not_found = |reason| Failure::NameNotFound { name: name.to_owned(), reason };
        let answer = match self.look_up.addresses(name) {
            Ok(addresses) if addresses.is_empty() => Err(not_found("it has no addresses".to_owned())),
            Ok(addresses) => Ok(addresses.into()),
            Err(error) => {
                let text = error.to_string();
                Err(not_found(text.trim_start_matches("failed to lookup address information: ").to_owned()))
            }
        };
        self.keep(name, answer);
        drop(place);
        done.send_replace(true);
    }

    fn keep(&self, name: &str, answer: Result<Addresses, Failure>) {
        let at_seconds = self.pulse.seconds();
        let mut names = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // A name that had to make room meanwhile is not asked for any more.
        let Entry::Occupied(mut entry) = names.entry(name.into()) else { return };
        let known = entry.get_mut();
        known.running = None;
        match answer {
            Ok(addresses) => *known = Known { found: Some(Found { addresses, at_seconds }), ..Known::default() },
            Err(failure) => known.failed = Some((failure, at_seconds)),
        }
    }

    /// The answer after a look-up ended, or after nobody wanted to wait for it any longer.
    fn answer(&self, name: &str, ended: bool) -> Result<Addresses, Failure> {
        let now = self.pulse.seconds();
        let mut names = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let timed_out = || Failure::LookUpTimedOut { name: name.to_owned() };
        let known = names.get_mut(name).ok_or_else(timed_out)?;
        if !ended {
            known.is_suspect = true;
            known.failed = Some((timed_out(), now));
            return Err(timed_out());
        }
        match (&known.failed, &known.found) {
            (Some((failure, _)), _) => Err(failure.clone()),
            (None, Some(found)) => Ok(Arc::clone(&found.addresses)),
            (None, None) => Err(timed_out()),
        }
    }
}

impl Known {
    fn is_of_use(&self, now: u32) -> bool {
        let is_kept = |at_seconds: u32| is_younger(at_seconds, now, limits::NAME_STALE_SECONDS);
        let is_found = self.found.as_ref().is_some_and(|found| is_kept(found.at_seconds));
        let is_failed = self.failed.as_ref().is_some_and(|(_, at_seconds)| is_kept(*at_seconds));
        is_found || is_failed || self.running.is_some()
    }
}

/// Whether something that was at a certain second is younger than so many of them. The count may be a little behind.
fn is_younger(at_seconds: u32, now: u32, seconds_max: u32) -> bool {
    now.saturating_sub(at_seconds) < seconds_max
}

/// Ends with the look-up, also if that was given up.
async fn ended(mut running: watch::Receiver<bool>) {
    let _ = running.wait_for(|done| *done).await;
}

/// Forgets what is no longer fresh, and if that is not enough, everything. What is being looked up stays.
fn make_room(names: &mut HashMap<Box<str>, Known>, now: u32) {
    let is_fresh = |found: &Found| is_younger(found.at_seconds, now, limits::NAME_FRESH_SECONDS);
    names.retain(|_, known| known.running.is_some() || known.found.as_ref().is_some_and(is_fresh));
    if names.len() >= limits::NAMES_KEPT_MAX {
        names.retain(|_, known| known.running.is_some());
    }
}
