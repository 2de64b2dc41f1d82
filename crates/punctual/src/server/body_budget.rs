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
    _of_caller: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
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

    /// Waits until there is room for a body of `caller`, of at most `bytes`. All of the room is taken at once: bodies that
    /// are half read never wait for each other.
    pub(super) async fn reserve(&self, caller: &str, bytes: usize) -> Reservation {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        // `acquire_many_owned` never fails: nobody closes the semaphores.
        let of_caller = self.of_caller(caller).acquire_many_owned(units).await.ok();
        let of_all = Arc::clone(&self.all).acquire_many_owned(units).await.ok();
        Reservation { _of_caller: of_caller, _of_all: of_all }
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

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn is_ready<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> bool {
        future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[tokio::test]
    async fn a_caller_waits_for_their_own_bodies_and_leaves_room_for_others() {
        let budget = BodyBudget::new(1 << 20);
        let mut mine: Vec<_> = Vec::new();
        for _ in 0..8 {
            mine.push(budget.reserve("mallory", 1 << 20).await);
        }
        let mut ninth = pin!(budget.reserve("mallory", 1));
        assert!(!is_ready(ninth.as_mut()), "mallory has taken all that one caller can");
        let mut others = Vec::new();
        for caller in ["ada", "bob", "eve"] {
            for _ in 0..8 {
                others.push(budget.reserve(caller, 1 << 20).await);
            }
        }
        let mut one_more = pin!(budget.reserve("zoe", 1));
        assert!(!is_ready(one_more.as_mut()), "everything is taken");
        others.pop();
        assert!(is_ready(one_more.as_mut()), "room that was given back is given out");
        mine.pop();
        assert!(is_ready(ninth.as_mut()));
        drop((mine, others));
        assert!(budget.of_caller("somebody").available_permits() > 0);
        assert_eq!(budget.callers.lock().unwrap().len(), 1, "callers without bodies are forgotten");
    }

    #[tokio::test]
    async fn the_longest_body_has_room() {
        let budget = BodyBudget::new(64 << 20);
        budget.reserve("ada", 64 << 20).await;
    }
}
