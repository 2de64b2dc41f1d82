//! The store in PostgreSQL, for several nodes beside each other.
//!
//! ```text
//!   caller ──▶ task ──▶ transaction: rows are locked, compared, written ──▶ numbers of changes and records ──▶ commit
//!                                                                                                             │
//!   client ◀── answer ◀── bell and events ◀──────────────────────────────────────────────────────────────────┘
//! ```
//!
//! What the one writer thread of SQLite gives for nothing has to be said here: which rows a transaction locks, and in which order.
//! First the row of whoever is counted (a collection, or a row of `lock_row`), then rows of work in the order of their numbers,
//! then jobs, then all else, and last the counters that number changes and records. What still meets in a circle is taken back by
//! the database and tried again. Nothing is decided by what was read before a lock was held: every write names the revision that
//! it is about, or reads under the lock.
//!
//! A write goes on when its caller has gone away: what is committed has to be told.

mod access;
mod alert;
mod backfill;
mod cells;
mod change;
mod cluster;
mod cluster_store;
mod collection;
mod copied_rows;
pub(crate) mod copying;
mod db;
mod due;
mod entries;
mod error;
mod failing;
mod follow;
mod group;
mod history;
mod job;
mod job_search;
mod keys;
mod landed;
mod migrate;
mod open_job;
mod paths;
mod pause;
mod pool;
mod removal;
mod rounds;
mod series;
mod session;
mod settings;
mod settle;
mod settle_rows;
mod shared;
mod stop;
mod store;
mod tally;
mod tell;
mod tls;
mod values;
mod work;
mod work_store;
mod write;

use std::path::Path;
use std::sync::Arc;

use self::error::Fault;
use self::pool::Pool;
use self::shared::Shared;
use crate::cells::Cells;
use crate::error::Error;
use crate::events::{EventPlace, Events};
use crate::history::number::last_number;
use crate::key_source::{self, KeySource};
use crate::seal::Keyring;

pub use self::settings::Settings;

/// The store in a schema of a PostgreSQL database.
pub struct Postgres {
    shared: Arc<Shared>,
}

impl Postgres {
    /// Opens the store as a node does: with the keys that are given, or those of a key file. The first node makes that file; every other
    /// one needs a copy of it.
    pub async fn open_with_key_file(settings: &Settings, keyring: Option<Keyring>, file: &Path) -> Result<Self, Error> {
        if let Some(keyring) = keyring {
            return Self::open(settings, keyring, KeySource::Outside).await;
        }
        let source = KeySource::File(file.to_owned());
        if let Some(keyring) = key_source::read(file)? {
            return Self::open(settings, keyring, source).await;
        }
        let pool = Pool::new(settings)?;
        migrate::migrate(&pool, settings.schema()).await?;
        if let Some(id) = keys::newest(&pool).await? {
            return Err(no_key(id, file));
        }
        let keyring = Keyring::generate().map_err(Error::unavailable)?;
        let made = keys::check_values(&keyring);
        key_source::save(file, &keyring)?;
        let opened = Self::open(settings, keyring, source).await;
        // Another node that started at the same instant may have been the first one. Then nothing is sealed with this key.
        if opened.is_err()
            && let Some(id) = keys::newest(&pool).await?
            && !keys::has_all(&pool, &made).await?
        {
            key_source::forget(file)?;
            return Err(no_key(id, file));
        }
        opened
    }

    /// Opens the store, which is made if it is not there. `keyring` holds the keys that seal actions, and `key_source` says where they
    /// are kept. All nodes need the same keys: one that has another key than the one that the database was written with is refused.
    pub async fn open(settings: &Settings, keyring: Keyring, key_source: KeySource) -> Result<Self, Error> {
        let store = Self::open_any(settings, keyring, key_source).await?;
        copying::refuse_unfinished(&store.shared.pool).await?;
        Ok(store)
    }

    /// The same, also of an unfinished copy.
    async fn open_any(settings: &Settings, keyring: Keyring, key_source: KeySource) -> Result<Self, Error> {
        let pool = Pool::new(settings)?;
        migrate::migrate(&pool, settings.schema()).await?;
        let (opening, place) = begin(&pool).await?;
        let keys = keys::check_values(&keyring);
        let shared = Arc::new(Shared::new(pool, opening, Events::new(place), keyring, key_source));
        shared.write(keys, |tx, keys| Box::pin(async move { keys::register(tx, keys).await })).await?;
        Ok(Self { shared })
    }

    /// How many rows were found damaged since the store was opened. Each was named in the log, and left out.
    pub fn damaged(&self) -> u64 {
        self.shared.damage.count()
    }
}

/// The fault of a node that has no key, of a database that was written with one.
fn no_key(id: i64, file: &Path) -> Error {
    Error::refused(format!(
        "this node has no sealing key, and the database was written with key {id}: copy the file secret.key of another node \
         to {}, or give every node the same setting secrets.key",
        file.display()
    ))
}

/// The number of this opening, and up to where everything was told before it. What earlier ones noted of their batches is forgotten when
/// nobody asks for it any more.
async fn begin(pool: &Pool) -> Result<(i64, EventPlace), Fault> {
    let db = pool.connection().await?;
    db.execute("delete from landed where at < now() - interval '7 days'", &[]).await?;
    let sql = "select nextval('opening'), (select value from counter where name = 'history'),
        (select value from counter where name = 'change')";
    let row = db.one(sql, &[]).await?;
    let mut cells = Cells::of(&row);
    let opening = cells.next()?;
    let place = EventPlace { history: last_number(cells.next()?)?, change: cells.next()? };
    Ok((opening, place))
}
