//! Looks up the addresses of host names, and keeps them for a while.
//!
//! The system's resolver is asked, not a name server: it knows the hosts file, the search list and the order that the
//! operator set up. It has one fault: it blocks a thread, and for as long as a name server does not answer. Hence:
//!
//! - One look-up of a name at a time; attempts that need the same name wait for it.
//! - A limited number of look-ups in all. Names in a zone that does not answer share a few permits of their own, however many
//!   names there are: `zones` says which names those are.
//! - An attempt waits for a limited time. The look-up itself goes on, with a permit for slow ones, and its late answer is
//!   kept.
//! - Answers are kept. An old one is used where no newer one comes in a moment.

mod zones;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use self::zones::Zones;
use crate::coarse_clock::CoarseClock;
use crate::failure::Failure;
use crate::limits;
use crate::settings::LookUp;

/// Addresses in the order in which they should be tried.
pub(crate) type Addresses = Arc<[IpAddr]>;

/// Host names and their addresses.
pub(crate) struct DnsCache {
    shared: Arc<Shared>,
}

struct Shared {
    look_up: LookUp,
    cached: Mutex<HashMap<Box<str>, CachedName>>,
    zones: Zones,
    clock: Arc<CoarseClock>,
}

/// What was found about one name, or is being looked up.
#[derive(Default)]
struct CachedName {
    found: Option<Found>,
    failed: Option<(Failure, u32)>,
    /// Becomes true, or loses its sender, when the look-up under way ends.
    running: Option<watch::Receiver<bool>>,
}

#[derive(Clone)]
struct Found {
    addresses: Addresses,
    at_seconds: u32,
}

/// How an attempt gets the addresses of a name.
enum Plan {
    Use(Addresses),
    Fail(Failure),
    /// A look-up is under way; meanwhile there may be an old answer.
    Wait(watch::Receiver<bool>, Option<Addresses>),
}

impl DnsCache {
    /// An empty cache.
    pub(crate) fn new(look_up: LookUp, clock: Arc<CoarseClock>) -> Self {
        let zones = Zones::new(Arc::clone(&clock));
        let shared = Shared { look_up, cached: Mutex::default(), zones, clock };
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

    /// Forgets answers that are too old to be used.
    pub(crate) fn sweep(&self) {
        let now = self.shared.clock.seconds();
        self.shared.cached.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, known| known.is_of_use(now));
        self.shared.zones.sweep();
    }

    fn plan(&self, name: &str) -> Plan {
        let now = self.shared.clock.seconds();
        let mut names = self.shared.cached.lock().unwrap_or_else(PoisonError::into_inner);
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
                let running = self.shared.start(name);
                known.running = Some(running.clone());
                Plan::Wait(running, old)
            }
        }
    }
}

impl Shared {
    /// Starts a look-up that goes on whether or not somebody waits for it.
    fn start(self: &Arc<Self>, name: &str) -> watch::Receiver<bool> {
        let (done, running) = watch::channel(false);
        let (shared, name) = (Arc::clone(self), name.to_owned());
        tokio::spawn(async move {
            let answer = shared.look_up_in_turn(&name).await;
            shared.keep(&name, answer);
            done.send_replace(true);
        });
        running
    }

    /// Looks a name up when its turn comes, and notes how its zones answer.
    async fn look_up_in_turn(self: &Arc<Self>, name: &str) -> Result<Addresses, Failure> {
        // Half of the time, so that a name that only waited for its turn is not taken for one that hung.
        let patience = Duration::from_secs(limits::LOOK_UP_SECONDS_MAX / 2);
        let busy = || Failure::LookUpsBusy { name: name.to_owned() };
        let mut turn = timeout(patience, self.zones.wait(name)).await.map_err(|_| busy())?;
        let (shared, asked) = (Arc::clone(self), name.to_owned());
        let mut answer = tokio::task::spawn_blocking(move || shared.look_up(&asked));
        let moment = Duration::from_millis(limits::LOOK_UP_PROMPT_MILLISECONDS_MAX);
        let answer = if let Ok(answer) = timeout(moment, &mut answer).await {
            self.zones.mark_answered(name);
            answer
        } else {
            self.zones.mark_slow(name, &mut turn);
            let answer = answer.await;
            self.zones.end_slow(name);
            if matches!(answer, Ok(Ok(_))) {
                self.zones.mark_answered(name);
            }
            answer
        };
        answer.unwrap_or_else(|_| Err(busy()))
    }

    /// Asks the system's resolver, on a thread that may wait.
    fn look_up(&self, name: &str) -> Result<Addresses, Failure> {
        let not_found = |reason| Failure::NameNotFound { name: name.to_owned(), reason };
        match self.look_up.addresses(name) {
            Ok(addresses) if addresses.is_empty() => Err(not_found("it has no addresses".to_owned())),
            Ok(addresses) => Ok(addresses.into()),
            Err(error) => {
                let text = error.to_string();
                Err(not_found(text.trim_start_matches("failed to lookup address information: ").to_owned()))
            }
        }
    }

    fn keep(&self, name: &str, answer: Result<Addresses, Failure>) {
        let at_seconds = self.clock.seconds();
        let mut names = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        // A name that had to make room meanwhile is not asked for any more.
        let Entry::Occupied(mut entry) = names.entry(name.into()) else { return };
        let known = entry.get_mut();
        known.running = None;
        match answer {
            Ok(addresses) => {
                *known = CachedName { found: Some(Found { addresses, at_seconds }), ..CachedName::default() }
            }
            Err(failure) => known.failed = Some((failure, at_seconds)),
        }
    }

    /// The answer after a look-up ended, or after the time to wait for it was over.
    fn answer(&self, name: &str, ended: bool) -> Result<Addresses, Failure> {
        let now = self.clock.seconds();
        let mut names = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let timed_out = || Failure::LookUpTimedOut { name: name.to_owned() };
        let known = names.get_mut(name).ok_or_else(timed_out)?;
        if !ended {
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

impl CachedName {
    fn is_of_use(&self, now: u32) -> bool {
        let is_kept = |at_seconds: u32| is_younger(at_seconds, now, limits::NAME_STALE_SECONDS);
        let is_found = self.found.as_ref().is_some_and(|found| is_kept(found.at_seconds));
        let is_failed = self.failed.as_ref().is_some_and(|(_, at_seconds)| is_kept(*at_seconds));
        is_found || is_failed || self.running.is_some()
    }
}

/// Whether less than `seconds_max` have passed since `at_seconds`. The coarse clock may be a little behind.
fn is_younger(at_seconds: u32, now: u32, seconds_max: u32) -> bool {
    now.saturating_sub(at_seconds) < seconds_max
}

/// Ends with the look-up, also if that was given up.
async fn ended(mut running: watch::Receiver<bool>) {
    let _ = running.wait_for(|done| *done).await;
}

/// Forgets answers that are no longer fresh, and if that is not enough, all answers. Names that are being looked up stay.
fn make_room(names: &mut HashMap<Box<str>, CachedName>, now: u32) {
    let is_fresh = |found: &Found| is_younger(found.at_seconds, now, limits::NAME_FRESH_SECONDS);
    names.retain(|_, known| known.running.is_some() || known.found.as_ref().is_some_and(is_fresh));
    if names.len() >= limits::NAMES_KEPT_MAX {
        names.retain(|_, known| known.running.is_some());
    }
}
