//! Zones of names, and whose turn it is to be looked up.
//!
//! A name server that does not answer is one of a zone, and every name of the zone hangs: whoever invents names in such a
//! zone could have all look-ups hang. So look-ups are counted by the zones that their names lie in:
//!
//! ```text
//!   prompt: one of the permits for all ── no answer in a moment ──▶ slow: the permit goes back,
//!                                                                   and one for slow look-ups is taken
//!   in a zone with many slow names: waits for a permit of that zone, of which there are few
//! ```
//!
//! Where a zone begins is not known, so each of the last parts of a name counts: `a.b.example` lies in `b.example` and in
//! `example`. An answer that comes promptly clears the zones of its name: they answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::coarse_clock::CoarseClock;
use crate::limits;

/// The zones in which look-ups are slow, and the permits for look-ups.
pub(super) struct Zones {
    slow: Mutex<HashMap<Box<str>, Zone>>,
    permits: Arc<Semaphore>,
    permits_of_slow: Arc<Semaphore>,
    permits_of_suspects: Arc<Semaphore>,
    clock: Arc<CoarseClock>,
}

/// A zone in which look-ups were slow.
struct Zone {
    /// Slow look-ups that are under way.
    under_way: usize,
    /// Slow look-ups since the last prompt answer.
    in_a_row: usize,
    permits: Arc<Semaphore>,
    used_seconds: u32,
}

/// The permission for a look-up, which is given back when the value is dropped.
pub(super) struct Turn {
    permit: OwnedSemaphorePermit,
    /// The permit of the zone, for a name in a zone that does not answer.
    of_zone: Option<OwnedSemaphorePermit>,
}

impl Zones {
    pub(super) fn new(clock: Arc<CoarseClock>) -> Self {
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self {
            slow: Mutex::default(),
            permits: semaphore(limits::LOOK_UPS_MAX),
            permits_of_slow: semaphore(limits::LOOK_UPS_SLOW_MAX),
            permits_of_suspects: semaphore(limits::LOOK_UPS_SUSPECT_MAX),
            clock,
        }
    }

    /// Waits until a name may be looked up.
    pub(super) async fn wait(&self, name: &str) -> Turn {
        loop {
            if let Some(of_zone) = self.suspect(name) {
                let of_zone = acquire(&of_zone).await;
                return Turn { permit: acquire(&self.permits_of_suspects).await, of_zone: Some(of_zone) };
            }
            let permit = acquire(&self.permits).await;
            // Meanwhile it may have turned out that the zone does not answer.
            if self.suspect(name).is_none() {
                return Turn { permit, of_zone: None };
            }
        }
    }

    /// Notes that a look-up got no answer in a moment.
    pub(super) fn mark_slow(&self, name: &str, turn: &mut Turn) {
        let mut slow = self.lock();
        if slow.len() >= limits::ZONES_KEPT_MAX {
            slow.retain(|_, zone| zone.under_way > 0);
        }
        for suffix in suffixes(name) {
            let zone = slow.entry(suffix.into()).or_insert_with(Zone::new);
            zone.under_way += 1;
            zone.in_a_row += 1;
            zone.used_seconds = self.clock.seconds();
        }
        drop(slow);
        if turn.of_zone.is_none()
            && let Ok(permit) = Arc::clone(&self.permits_of_slow).try_acquire_owned()
        {
            turn.permit = permit;
        }
    }

    /// Notes that a slow look-up has ended.
    pub(super) fn end_slow(&self, name: &str) {
        let mut slow = self.lock();
        for suffix in suffixes(name) {
            if let Some(zone) = slow.get_mut(suffix) {
                zone.under_way = zone.under_way.saturating_sub(1);
            }
        }
    }

    /// Notes that a look-up was answered: the zones of the name answer.
    pub(super) fn mark_answered(&self, name: &str) {
        let mut slow = self.lock();
        for suffix in suffixes(name) {
            if let Some(zone) = slow.get_mut(suffix) {
                zone.in_a_row = 0;
            }
        }
    }

    /// Forgets zones in which nothing was slow for a while.
    pub(super) fn sweep(&self) {
        let now = self.clock.seconds();
        let is_recent = |zone: &Zone| now.saturating_sub(zone.used_seconds) < limits::NAME_STALE_SECONDS;
        self.lock().retain(|_, zone| zone.under_way > 0 || zone.in_a_row > 0 && is_recent(zone));
    }

    /// The permits of the zone that a name lies in, if that zone does not answer. Of several such zones the smallest one counts:
    /// so the larger one has its permits left for its other names, and is cleared by the first that is found.
    fn suspect(&self, name: &str) -> Option<Arc<Semaphore>> {
        let slow = self.lock();
        let is_suspect = |suffix: &str, zone: &Zone| {
            // Everybody's names lie in `com`: it is not to blame for some that are slow, as long as others answer.
            let is_shared = !suffix.contains('.');
            zone.in_a_row >= limits::ZONE_SLOW_IN_A_ROW_MAX
                || !is_shared && zone.under_way >= limits::ZONE_SLOW_UNDER_WAY_MAX
        };
        let suspects = suffixes(name).filter_map(|suffix| slow.get(suffix).filter(|zone| is_suspect(suffix, zone)));
        suspects.last().map(|zone| Arc::clone(&zone.permits))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Zone>> {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Zone {
    fn new() -> Self {
        let permits = Arc::new(Semaphore::new(limits::LOOK_UPS_PER_SUSPECT_MAX));
        Self { under_way: 0, in_a_row: 0, permits, used_seconds: 0 }
    }
}

async fn acquire(permits: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(permits).acquire_owned().await.expect("the semaphores are never closed")
}

/// The last parts of a name, the shortest first. A name without a dot lies in a zone of its own.
fn suffixes(name: &str) -> impl Iterator<Item = &str> {
    let name = name.trim_end_matches('.');
    let dots = name.rmatch_indices('.').take(limits::ZONE_LABELS_MAX).map(|(dot, _)| &name[dot + 1..]);
    let own = (!name.contains('.')).then_some(name);
    dots.chain(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_of_a_name() {
        let told = |name| suffixes(name).collect::<Vec<_>>().join(" ");
        assert_eq!(told("a.b.example.com"), "com example.com b.example.com");
        assert_eq!(told("a.b.c.d.e.f"), "f e.f d.e.f c.d.e.f");
        assert_eq!(told("example.com."), "com");
        assert_eq!(told("localhost"), "localhost");
    }
}
