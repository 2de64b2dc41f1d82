//! What all users of an open store share.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, PoisonError};

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
    /// Up to which change of the log it was looked for what other nodes have written.
    pub(super) followed_until: AtomicI64,
    /// Changes behind that one which this process has written: its bell was rung for them.
    own_changes: std::sync::Mutex<BTreeSet<i64>>,
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
            followed_until: AtomicI64::new(i64::try_from(events.place().change).unwrap_or(i64::MAX)),
            own_changes: std::sync::Mutex::default(),
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

    /// Remembers changes of the log that this process has written.
    pub(super) fn note_own_changes(&self, changes: impl Iterator<Item = i64>) {
        self.own_changes.lock().unwrap_or_else(PoisonError::into_inner).extend(changes);
    }

    /// The changes up to a number that this process has written. They are forgotten.
    pub(super) fn take_own_changes(&self, until: i64) -> BTreeSet<i64> {
        let mut own = self.own_changes.lock().unwrap_or_else(PoisonError::into_inner);
        let later = own.split_off(&until.saturating_add(1));
        std::mem::replace(&mut *own, later)
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
