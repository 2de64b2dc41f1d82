//! What all users of an open store share.

use std::sync::Arc;

use tokio::sync::{Mutex, RwLock, RwLockReadGuard};

use super::history::SegmentCache;
use super::paths::PathCache;
use super::pool::Pool;
use crate::bell::Bell;
use crate::damage::Damage;
use crate::events::Events;
use crate::key_source::KeySource;
use crate::known_alerts::KnownAlerts;
use crate::seal::Keyring;

/// The parts of an open store.
pub(super) struct Shared {
    pub(super) pool: Pool,
    /// The number of this opening: other processes, and others of this store, have others.
    pub(super) opening: i64,
    pub(super) bell: Arc<Bell>,
    pub(super) events: Arc<Events>,
    /// Held by who tells what was committed: events are told in the order of their numbers.
    pub(super) telling: Mutex<()>,
    pub(super) damage: Damage,
    pub(super) segments: SegmentCache,
    pub(super) paths: PathCache,
    pub(super) known_alerts: KnownAlerts,
    /// Held for reading by who reads what is sealed, before its snapshot and until it has opened all of it: else a key could come or
    /// go meanwhile that is needed for what is seen. Who writes does not hold it while it waits for rows, but takes the keys along: else
    /// two could wait for each other where the database does not see it.
    keyring: RwLock<Arc<Keyring>>,
    pub(super) key_source: KeySource,
}

impl Shared {
    pub(super) fn new(pool: Pool, opening: i64, events: Events, keyring: Keyring, key_source: KeySource) -> Self {
        Self {
            pool,
            opening,
            bell: Arc::default(),
            events: Arc::new(events),
            telling: Mutex::default(),
            damage: Damage::default(),
            segments: SegmentCache::default(),
            paths: PathCache::default(),
            known_alerts: KnownAlerts::default(),
            keyring: RwLock::new(Arc::new(keyring)),
            key_source,
        }
    }

    /// The keys. They stay as they are while this is held.
    pub(super) async fn keyring(&self) -> RwLockReadGuard<'_, Arc<Keyring>> {
        self.keyring.read().await
    }

    /// The keys, for who changes them.
    pub(super) async fn keyring_mut(&self) -> tokio::sync::RwLockWriteGuard<'_, Arc<Keyring>> {
        self.keyring.write().await
    }
}
