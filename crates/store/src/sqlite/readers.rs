//! Connections that only read, beside the writer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::Semaphore;

use crate::error::Error;

/// Statements kept ready on each connection; there are fewer.
const STATEMENTS_MAX: usize = 64;

/// Lists that are read at once. More would only take turns on the same disk.
const WALKS_MAX: usize = 4;

/// Reads of the engine at once: one that looks ahead, and one for what starts now. They never wait for lists of clients.
const ENGINE_WALKS_MAX: usize = 2;

/// Connections kept when nobody reads.
const IDLE_MAX: usize = 16;

/// Pages that each connection keeps, in KiB: the upper levels of the indexes of a million jobs.
const CACHE_KIB: i32 = 4096;

/// The connections that read.
#[derive(Clone)]
pub(super) struct Readers {
    pool: Arc<Pool>,
    walks: Arc<Semaphore>,
    engine_walks: Arc<Semaphore>,
}

struct Pool {
    file: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(file: &Path) -> Self {
        let pool = Pool { file: file.to_owned(), idle: Mutex::default() };
        let turns = |max| Arc::new(Semaphore::new(max));
        Self { pool: Arc::new(pool), walks: turns(WALKS_MAX), engine_walks: turns(ENGINE_WALKS_MAX) }
    }

    /// Reads by name, here and now.
    pub(super) fn point<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.pool.read(read)
    }

    /// Reads many rows, where blocking harms nobody.
    pub(super) async fn walk<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.walk_in(&self.walks, read).await
    }

    /// Reads many rows for the engine, where blocking harms nobody.
    pub(super) async fn walk_for_engine<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.walk_in(&self.engine_walks, read).await
    }

    async fn walk_in<T: Send + 'static>(
        &self,
        turns: &Arc<Semaphore>,
        read: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = Arc::clone(turns).acquire_owned().await.map_err(Error::unavailable)?;
        let pool = Arc::clone(&self.pool);
        let read = move || {
            // Ends with the walk, not with the caller: clients go away, and the walk goes on.
            let _turn = turn;
            pool.read(read)
        };
        tokio::task::spawn_blocking(read).await.map_err(Error::unavailable)?
    }
}

/// Statements are compiled once. Without the guarantee SQLite compiles one again whenever another value is bound that might
/// let it find a better plan, which took half of the time of a read.
pub(super) fn keep_plans(connection: &Connection) -> Result<(), Error> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

impl Pool {
    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle().pop();
        let connection = idle.map_or_else(|| self.open(), Ok)?;
        // One snapshot for all that is read, so that a job and its collection fit together.
        connection.prepare_cached("begin")?.execute([])?;
        let result = read(&connection);
        // After some errors there is nothing to commit; such a connection is not used again.
        if connection.prepare_cached("commit").and_then(|mut commit| commit.execute([])).is_ok() {
            let mut idle = self.idle();
            if idle.len() < IDLE_MAX {
                idle.push(connection);
            }
        }
        result
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> Result<Connection, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.file, flags)?;
        keep_plans(&connection)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        Ok(connection)
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::sync::{Arc, Barrier};
    use std::task::{Context, Waker};

    use super::{Connection, Readers, WALKS_MAX};

    #[tokio::test]
    async fn a_walk_keeps_its_turn_when_its_client_has_gone() {
        let directory = tempfile::TempDir::new().unwrap();
        let file = directory.path().join("empty.db");
        Connection::open(&file).unwrap().execute_batch("create table empty (id)").unwrap();
        let readers = Readers::new(&file);
        let all_walk = Arc::new(Barrier::new(WALKS_MAX + 1));
        for _ in 0..WALKS_MAX {
            let all_walk = Arc::clone(&all_walk);
            let walk = readers.walk(move |_| {
                all_walk.wait();
                Ok(())
            });
            let _ = pin!(walk).poll(&mut Context::from_waker(Waker::noop()));
        }
        assert_eq!(readers.walks.available_permits(), 0);
        all_walk.wait();
        readers.walk(|_| Ok(())).await.unwrap();
    }
}
