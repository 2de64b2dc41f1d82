//! Connections, and links on them: made when they are first wanted, shared, and dropped when nobody wanted them for a
//! while.
//!
//! An attempt may be given up at any moment, and what it was making would be lost for all who wait for it, too. So a task
//! makes it, and attempts only wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::broken::Broken;
use crate::failure::Failure;
use crate::limits;
use crate::pulse::Pulse;

/// Things by name.
pub(crate) struct Shelf<T> {
    slots: Mutex<HashMap<String, Slot<T>>>,
    slots_max: usize,
    pulse: Arc<Pulse>,
}

struct Slot<T> {
    shared: Shared<T>,
    used_seconds: u32,
}

/// Something that is being made, or was.
pub(crate) struct Shared<T>(watch::Receiver<Option<Made<T>>>);

type Made<T> = Result<Arc<T>, Broken>;

impl<T: Send + Sync + 'static> Shelf<T> {
    pub(crate) fn new(slots_max: usize, pulse: Arc<Pulse>) -> Self {
        Self { slots: Mutex::default(), slots_max, pulse }
    }

    /// What has this name; if there is nothing, or it could not be made, it is made now.
    pub(crate) fn get_or_make<F>(&self, name: &str, make: impl FnOnce() -> F) -> Shared<T>
    where
        F: Future<Output = Result<T, Broken>> + Send + 'static,
    {
        let used_seconds = self.pulse.seconds();
        let mut slots = self.slots();
        if let Some(slot) = slots.get_mut(name).filter(|slot| !slot.shared.has_failed()) {
            slot.used_seconds = used_seconds;
            return slot.shared.clone();
        }
        if slots.len() >= self.slots_max {
            // Whoever uses it has a hold of it; only nobody will find it any more.
            let oldest = slots.iter().min_by_key(|(_, slot)| slot.used_seconds).map(|(name, _)| name.clone());
            oldest.and_then(|name| slots.remove(&name));
        }
        let shared = Shared::make(make());
        slots.insert(name.to_owned(), Slot { shared: shared.clone(), used_seconds });
        shared
    }

    /// Has nobody find this again.
    pub(crate) fn discard(&self, name: &str, shared: &Shared<T>) {
        let mut slots = self.slots();
        if slots.get(name).is_some_and(|slot| slot.shared.0.same_channel(&shared.0)) {
            slots.remove(name);
        }
    }

    /// Has nobody find again what has this name.
    pub(crate) fn remove(&self, name: &str) {
        self.slots().remove(name);
    }

    /// Drops what nobody wanted for a while, and what could not be made; gives the rest.
    pub(crate) fn sweep(&self) -> Vec<Arc<T>> {
        let now = self.pulse.seconds();
        let mut slots = self.slots();
        slots.retain(|_, slot| {
            let is_young = now.saturating_sub(slot.used_seconds) < limits::AMQP_IDLE_SECONDS_MAX;
            match &*slot.shared.0.borrow() {
                None => true,
                Some(Err(_)) => false,
                // Who waits for an answer on it has another hold of it.
                Some(Ok(made)) => is_young || Arc::strong_count(made) > 1,
            }
        });
        let made = |slot: &Slot<T>| slot.shared.0.borrow().as_ref().and_then(|made| made.as_ref().ok().cloned());
        slots.values().filter_map(made).collect()
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot<T>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + Sync + 'static> Shared<T> {
    fn make(making: impl Future<Output = Result<T, Broken>> + Send + 'static) -> Self {
        let (told, shared) = watch::channel(None);
        tokio::spawn(async move { told.send_replace(Some(making.await.map(Arc::new))) });
        Self(shared)
    }

    /// Waits until it is made.
    pub(crate) async fn get(&self) -> Made<T> {
        if let Some(made) = &*self.0.borrow() {
            return made.clone();
        }
        let mut shared = self.0.clone();
        let made = shared.wait_for(Option::is_some).await.ok().and_then(|made| made.clone());
        made.unwrap_or_else(|| Err(Failure::Closed("This server is about to stop.".into()).into()))
    }

    fn has_failed(&self) -> bool {
        matches!(&*self.0.borrow(), Some(Err(_)))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
