//! Opens the store that the configuration names. Nothing else in `serve` knows which one it is.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use punctual_store::postgres::{Postgres, Settings};
use punctual_store::sqlite::Sqlite;
use punctual_store::{AlertStore, ClusterStore, SessionStore, Store, WorkStore};

use super::data_directory;
use crate::config::Config;
use crate::config::store::PostgresStore;

/// The open store, as the API, the engine, alerts and the console know it.
pub(super) struct Stores {
    pub(super) store: Arc<dyn Store>,
    pub(super) work_store: Arc<dyn WorkStore>,
    pub(super) alert_store: Arc<dyn AlertStore>,
    /// Who has signed in to the console.
    pub(super) session_store: Arc<dyn SessionStore>,
    /// Where nodes meet, if there can be several.
    pub(super) cluster_store: Option<Arc<dyn ClusterStore>>,
    /// The same, for who hears what other nodes have written.
    pub(super) shared: Option<Arc<Postgres>>,
}

impl Stores {
    /// Opens the store. `on_fatal` is called when nothing can be written any more.
    pub(super) async fn open(config: &mut Config, on_fatal: fn(String)) -> anyhow::Result<Self> {
        let keyring = config.secrets.keyring.take();
        let data = &config.store.data;
        if let Some(postgres) = &config.store.postgres {
            data_directory::prepare(data)?;
            let settings = settings(postgres)?.with_lease(config.cluster.lease);
            let opened = Postgres::open_with_key_file(&settings, keyring, &data.join("secret.key")).await;
            let postgres = Arc::new(opened.with_context(|| settings.describe())?);
            return Ok(Self {
                store: postgres.clone(),
                work_store: postgres.clone(),
                alert_store: postgres.clone(),
                session_store: postgres.clone(),
                cluster_store: Some(postgres.clone()),
                shared: Some(postgres),
            });
        }
        data_directory::prepare(data)?;
        data_directory::refuse_lost_database(data)?;
        let sqlite = Arc::new(Sqlite::open(data, keyring, Box::new(on_fatal))?);
        if let Some(original) = sqlite.copied_from() {
            tracing::warn!(
                "this data directory is a copy of {}: if a server still runs there, every job runs twice; stop one of the two, \
                 or keep this one from starting anything (serve --paused, punctual pause)",
                original.display()
            );
        }
        let (work_store, alert_store, session_store) = (sqlite.clone(), sqlite.clone(), sqlite.clone());
        Ok(Self { store: sqlite, work_store, alert_store, session_store, cluster_store: None, shared: None })
    }
}

/// How PostgreSQL is reached, with the password of the password file, if there is one.
pub(super) fn settings(postgres: &PostgresStore) -> anyhow::Result<Settings> {
    let settings = postgres.settings.clone();
    let Some(file) = &postgres.password_file else { return Ok(settings) };
    Ok(settings.with_password(&password(file)?))
}

fn password(file: &Path) -> anyhow::Result<String> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read store.password_file {}", file.display()))?;
    let password = text.trim_end_matches(['\r', '\n']);
    anyhow::ensure!(!password.is_empty(), "store.password_file {} is empty", file.display());
    Ok(password.to_owned())
}
