//! How much memory the bodies of requests may take: all of them together, and those of one caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{BODIES_BYTES_MAX, BODIES_BYTES_PER_CALLER_MAX};

/// Gives out room for bodies, to those first who asked first.
pub(super) struct BodyBudget {
    all: Arc<Semaphore>,
    /// The room of each caller who has taken some.
    callers: Mutex<HashMap<String, Weak<Semaphore>>>,
    caller_units: usize,
}

/// Room for a body, until this is dropped.
pub(super) struct Reservation {
    bytes: usize,
    of_caller: OwnedSemaphorePermit,
    of_all: OwnedSemaphorePermit,
}

/// Room is counted in units of this many bytes, because a semaphore counts to 2³² at most.
const UNIT_BYTES: usize = 1024;

impl BodyBudget {
    /// A budget in which the longest body has room.
    pub(super) fn new(body_bytes_max: usize) -> Self {
        let units = |bytes: usize| bytes.max(body_bytes_max).div_ceil(UNIT_BYTES);
        Self {
            all: Arc::new(Semaphore::new(units(BODIES_BYTES_MAX))),
            callers: Mutex::default(),
            caller_units: units(BODIES_BYTES_PER_CALLER_MAX),
        }
    }

    /// Waits until there is room for `bytes` of a body of `caller`.
    pub(super) async fn reserve(&self, caller: &str, bytes: usize) -> Option<Reservation> {
        let of_caller = self.of_caller(caller).acquire_many_owned(units(bytes)).await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_many_owned(units(bytes)).await.ok()?;
        Some(Reservation { bytes, of_caller, of_all })
    }

    /// Reserves room if there is some now.
    pub(super) fn try_reserve(&self, caller: &str, bytes: usize) -> Option<Reservation> {
        let of_caller = self.of_caller(caller).try_acquire_many_owned(units(bytes)).ok()?;
        let of_all = Arc::clone(&self.all).try_acquire_many_owned(units(bytes)).ok()?;
        Some(Reservation { bytes, of_caller, of_all })
    }

    fn of_caller(&self, caller: &str) -> Arc<Semaphore> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = callers.get(caller).and_then(Weak::upgrade) {
            return known;
        }
        callers.retain(|_, room| room.strong_count() > 0);
        let room = Arc::new(Semaphore::new(self.caller_units));
        callers.insert(caller.to_owned(), Arc::downgrade(&room));
        room
    }
}

impl Reservation {
    /// For how much of the body there is room.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes more room if there is some now. Bodies that are half read do not wait for room: each could wait for the other.
    pub(super) fn try_grow(&mut self, bytes: usize) -> bool {
        let more = |permit: &OwnedSemaphorePermit| Arc::clone(permit.semaphore()).try_acquire_many_owned(units(bytes));
        let (Ok(of_caller), Ok(of_all)) = (more(&self.of_caller), more(&self.of_all)) else { return false };
        self.of_caller.merge(of_caller);
        self.of_all.merge(of_all);
        self.bytes += bytes;
        true
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    /// Whether the future is done after one more look.
    fn poll_once<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> bool {
        future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[tokio::test]
    async fn a_caller_waits_for_their_own_bodies_and_leaves_room_for_others() {
        let budget = BodyBudget::new(1 << 20);
        let mut mine: Vec<_> = Vec::new();
        for _ in 0..8 {
            mine.push(budget.reserve("mallory", 1 << 20).await.unwrap());
        }
        let mut ninth = pin!(budget.reserve("mallory", 1));
        assert!(!poll_once(ninth.as_mut()), "mallory has taken all that one caller can");
        let mut others = Vec::new();
        for caller in ["ada", "bob", "eve"] {
            for _ in 0..8 {
                others.push(budget.reserve(caller, 1 << 20).await);
            }
        }
        let mut one_more = pin!(budget.reserve("zoe", 1));
        assert!(!poll_once(one_more.as_mut()), "everything is taken");
        assert!(budget.try_reserve("yan", 1).is_none());
        others.pop();
        assert!(poll_once(one_more.as_mut()), "room that was given back is given out");
        mine.pop();
        assert!(poll_once(ninth.as_mut()));
        drop((mine, others));
        assert!(budget.of_caller("somebody").available_permits() > 0);
        assert_eq!(budget.callers.lock().unwrap().len(), 1, "callers without bodies are forgotten");
    }

    #[tokio::test]
    async fn the_longest_body_has_room() {
        let budget = BodyBudget::new(64 << 20);
        assert_eq!(budget.reserve("ada", 64 << 20).await.map(|room| room.bytes()), Some(64 << 20));
    }

    #[tokio::test]
    async fn a_body_takes_more_room_while_there_is_some() {
        let budget = BodyBudget::new(1 << 20);
        let mut room = budget.try_reserve("ada", 8 << 19).unwrap();
        assert!(room.try_grow(8 << 19) && room.bytes() == 8 << 20);
        assert!(!room.try_grow(1), "ada has taken all that one caller can");
        drop(room);
        assert!(budget.try_reserve("ada", 8 << 20).is_some());
    }
}
