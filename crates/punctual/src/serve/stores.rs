//! Opens the store that the configuration names. Nothing else in `serve` knows which one it is.

use std::sync::Arc;

use punctual_store::sqlite::Sqlite;
use punctual_store::{AlertStore, Store, WorkStore};

use super::data_directory;
use crate::config::Config;

/// The open store, as the API, the engine and alerts know it.
pub(super) struct Stores {
    pub(super) store: Arc<dyn Store>,
    pub(super) work_store: Arc<dyn WorkStore>,
    pub(super) alert_store: Arc<dyn AlertStore>,
}

impl Stores {
    /// Opens the store. `on_fatal` is called when nothing can be written any more.
    pub(super) fn open(config: &mut Config, on_fatal: fn(String)) -> anyhow::Result<Self> {
        data_directory::prepare(&config.store.data)?;
        let keyring = config.secrets.keyring.take();
        let sqlite = Arc::new(Sqlite::open(&config.store.data, keyring, Box::new(on_fatal))?);
        if let Some(original) = sqlite.copied_from() {
            tracing::warn!(
                "this data directory is a copy of {}: if a server still runs there, every job runs twice; stop one of the two, \
                 or keep this one from starting anything (serve --paused, punctual pause)",
                original.display()
            );
        }
        Ok(Self { store: sqlite.clone(), work_store: sqlite.clone(), alert_store: sqlite })
    }
}
