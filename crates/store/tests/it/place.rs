//! Where a store is kept while it is closed.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use punctual_simulated_store::SimulatedStore;
use punctual_store::sqlite::Sqlite;
use punctual_store::{AlertStore, Error, SessionStore, Store, WorkStore};
use tempfile::TempDir;

/// A place of its own for one test. What was written there is there when it is opened again.
#[async_trait]
pub(crate) trait Place: Send + Sync {
    /// Opens the store, as its clients and as the engine see it. There is at most one at a time: drop both before it is
    /// opened again.
    async fn open_both(&self) -> (Arc<dyn Store>, Arc<dyn WorkStore>);

    /// Opens the store for its clients.
    async fn open(&self) -> Arc<dyn Store> {
        self.open_both().await.0
    }
}

/// A place of a store that is a database: such a store keeps alerts and sessions, too.
#[async_trait]
pub(crate) trait Database: Place {
    /// Opens the store, as its clients, the engine and alerts see it.
    async fn open_alerts(&self) -> (Arc<dyn Store>, Arc<dyn WorkStore>, Arc<dyn AlertStore>);

    /// Opens the store, as its clients and the console see it.
    async fn open_sessions(&self) -> (Arc<dyn Store>, Arc<dyn SessionStore>);
}

/// A temporary directory with an SQLite store in it.
pub(crate) struct Directory(TempDir);

impl Directory {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn try_open(&self) -> Result<Sqlite, Error> {
        let on_fatal = |reason: String| panic!("the store gave up: {reason}");
        Sqlite::open(self.path(), None, Box::new(on_fatal))
    }
}

#[async_trait]
impl Place for Directory {
    async fn open_both(&self) -> (Arc<dyn Store>, Arc<dyn WorkStore>) {
        let store = Arc::new(self.try_open().unwrap());
        (Arc::clone(&store) as _, store)
    }
}

#[async_trait]
impl Database for Directory {
    async fn open_alerts(&self) -> (Arc<dyn Store>, Arc<dyn WorkStore>, Arc<dyn AlertStore>) {
        let store = Arc::new(self.try_open().unwrap());
        (Arc::clone(&store) as _, Arc::clone(&store) as _, store)
    }

    async fn open_sessions(&self) -> (Arc<dyn Store>, Arc<dyn SessionStore>) {
        let store = Arc::new(self.try_open().unwrap());
        (Arc::clone(&store) as _, store)
    }
}

/// A simulated store, which is there as long as its place.
pub(crate) struct Memory(SimulatedStore);

impl Memory {
    pub(crate) fn new() -> Self {
        Self(SimulatedStore::default())
    }
}

#[async_trait]
impl Place for Memory {
    async fn open_both(&self) -> (Arc<dyn Store>, Arc<dyn WorkStore>) {
        let store = Arc::new(self.0.clone());
        (Arc::clone(&store) as _, store)
    }
}
