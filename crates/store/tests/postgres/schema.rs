//! A place of its own for one test: a schema that is dropped afterwards.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use punctual_store::postgres::{Postgres, Settings};
use punctual_store::seal::Keyring;
use punctual_store::{AlertStore, Error, KeySource, SessionStore, Store, WorkStore};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

use crate::place::{Database, Place};
use crate::server;

/// A schema for the test that asks for it, which ends here if there is no server.
macro_rules! schema {
    () => {
        match crate::schema::Schema::new() {
            Some(schema) => schema,
            None => return,
        }
    };
}

/// A schema, and the file with its keys.
pub(crate) struct Schema {
    url: &'static str,
    name: String,
    directory: TempDir,
}

impl Schema {
    /// A schema that is not there yet; none if there is no server.
    pub(crate) fn new() -> Option<Self> {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let url = server::url()?;
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        let schema = Self { url, name, directory: TempDir::new().unwrap() };
        std::fs::write(schema.key_file(), Keyring::generate().unwrap().to_text()).unwrap();
        Some(schema)
    }

    pub(crate) fn settings(&self) -> Settings {
        let separator = if self.url.contains('?') { '&' } else { '?' };
        let name = &self.name;
        Settings::parse(&format!("{}{separator}search_path={name}&application_name={name}", self.url)).unwrap()
    }

    /// Opens the store with the keys of its file.
    pub(crate) async fn try_open(&self) -> Result<Postgres, Error> {
        Postgres::open(&self.settings(), self.keyring(), KeySource::File(self.key_file())).await
    }

    /// Opens the store for a node that is about to be one of several.
    pub(crate) async fn node(&self) -> Arc<Postgres> {
        Arc::new(self.try_open().await.unwrap())
    }

    /// The keys of its file.
    pub(crate) fn keyring(&self) -> Keyring {
        Keyring::parse(&std::fs::read_to_string(self.key_file()).unwrap()).unwrap()
    }

    fn key_file(&self) -> PathBuf {
        self.path("secret.key")
    }

    /// Where a file of that name is, or would be.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A connection beside the store, as somebody who knows the database has it.
    pub(crate) async fn connect(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(self.url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(&format!("set search_path = {}", self.name)).await.unwrap();
        client
    }

    /// Ends all connections of the stores in this schema.
    pub(crate) async fn cut_connections(&self) {
        let sql = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1";
        self.connect().await.query(sql, &[&self.name]).await.unwrap();
    }

    /// Carries out a statement beside the store.
    pub(crate) async fn run(&self, sql: &str) {
        self.connect().await.batch_execute(sql).await.unwrap();
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let (url, sql) = (self.url, format!("drop schema if exists {} cascade", self.name));
        // The runtime of the test cannot be waited for here.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
                let connection = tokio::spawn(connection);
                // A store of a test that failed may still hold something.
                let dropped = client.batch_execute(&format!("set lock_timeout = '3s'; {sql}")).await;
                drop(client);
                connection.await.unwrap().unwrap();
                dropped
            })
        });
        let dropped = dropping.join().unwrap();
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

#[async_trait]
impl Place for Schema {
    async fn open_both(&self) -> (Arc<dyn Store>, Arc<dyn WorkStore>) {
        let store = Arc::new(self.try_open().await.unwrap());
        (Arc::clone(&store) as _, store)
    }
}

#[async_trait]
impl Database for Schema {
    async fn open_alerts(&self) -> (Arc<dyn Store>, Arc<dyn WorkStore>, Arc<dyn AlertStore>) {
        let store = Arc::new(self.try_open().await.unwrap());
        (Arc::clone(&store) as _, Arc::clone(&store) as _, store)
    }

    async fn open_sessions(&self) -> (Arc<dyn Store>, Arc<dyn SessionStore>) {
        let store = Arc::new(self.try_open().await.unwrap());
        (Arc::clone(&store) as _, store)
    }
}
