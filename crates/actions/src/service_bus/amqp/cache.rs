//! A cache of connections, or of links on one: each is made when it is first needed, shared, and dropped when nobody used
//! it for a while.
//!
//! An attempt may be given up at any moment, and a connection that it was making would be lost for all others who wait for
//! it. So a task makes the connection, and attempts only wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::broken::Broken;
use crate::coarse_clock::CoarseClock;
use crate::failure::Failure;
use crate::limits;

/// Connections or links, by name.
pub(crate) struct SharedCache<T> {
    entries: Mutex<HashMap<String, Entry<T>>>,
    entries_max: usize,
    clock: Arc<CoarseClock>,
}

struct Entry<T> {
    shared: Shared<T>,
    used_seconds: u32,
}

/// A connection or link that is being made, or was.
pub(crate) struct Shared<T>(watch::Receiver<Option<Made<T>>>);

type Made<T> = Result<Arc<T>, Broken>;

impl<T: Send + Sync + 'static> SharedCache<T> {
    pub(crate) fn new(entries_max: usize, clock: Arc<CoarseClock>) -> Self {
        Self { entries: Mutex::default(), entries_max, clock }
    }

    /// The entry of this name. If there is none, or it could not be made, one is made now.
    pub(crate) fn get_or_make<F>(&self, name: &str, make: impl FnOnce() -> F) -> Shared<T>
    where
        F: Future<Output = Result<T, Broken>> + Send + 'static,
    {
        let used_seconds = self.clock.seconds();
        let mut entries = self.lock();
        if let Some(entry) = entries.get_mut(name).filter(|entry| !entry.shared.has_failed()) {
            entry.used_seconds = used_seconds;
            return entry.shared.clone();
        }
        if entries.len() >= self.entries_max {
            // Attempts that use the oldest entry hold it themselves; it is only not found any more.
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.used_seconds).map(|(name, _)| name.clone());
            oldest.and_then(|name| entries.remove(&name));
        }
        let shared = Shared::make(make());
        entries.insert(name.to_owned(), Entry { shared: shared.clone(), used_seconds });
        shared
    }

    /// Removes this entry, unless its name has another one by now.
    pub(crate) fn discard(&self, name: &str, shared: &Shared<T>) {
        let mut entries = self.lock();
        if entries.get(name).is_some_and(|entry| entry.shared.0.same_channel(&shared.0)) {
            entries.remove(name);
        }
    }

    /// Removes the entry of this name.
    pub(crate) fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Drops entries that nobody used for a while and those that could not be made; returns the rest.
    pub(crate) fn sweep(&self) -> Vec<Arc<T>> {
        let now = self.clock.seconds();
        let mut entries = self.lock();
        entries.retain(|_, entry| {
            let is_young = now.saturating_sub(entry.used_seconds) < limits::AMQP_IDLE_SECONDS_MAX;
            match &*entry.shared.0.borrow() {
                None => true,
                Some(Err(_)) => false,
                // An attempt that waits for an answer holds the entry, too.
                Some(Ok(made)) => is_young || Arc::strong_count(made) > 1,
            }
        });
        let made = |entry: &Entry<T>| entry.shared.0.borrow().as_ref().and_then(|made| made.as_ref().ok().cloned());
        entries.values().filter_map(made).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry<T>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + Sync + 'static> Shared<T> {
    fn make(making: impl Future<Output = Result<T, Broken>> + Send + 'static) -> Self {
        let (told, shared) = watch::channel(None);
        tokio::spawn(async move { told.send_replace(Some(making.await.map(Arc::new))) });
        Self(shared)
    }

    /// Waits until the connection or link is made.
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
