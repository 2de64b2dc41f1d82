//! The store inside the binary: one SQLite file, one process, one thread that writes.
//!
//! ```text
//!   caller ──▶ queue ──▶ writer: one transaction for all that waits, a savepoint each ──▶ fsync ──▶ answers
//!   caller ──▶ a read-only connection, beside it
//!                       checkpoints: a thread of their own moves the log into the file
//! ```
//!
//! A read by name takes microseconds and is made where it is asked for. Whatever walks rows goes to a thread that may
//! block, and never keeps a snapshot longer than a page: the log cannot shrink below the oldest snapshot.

mod access;
mod alert;
mod backfill;
pub mod backup;
mod cells;
mod change;
mod checkpoint;
mod collection;
mod collection_cache;
pub(crate) mod copying;
mod damage;
mod disk;
mod due;
mod entries;
mod error;
mod failing;
mod group;
mod home;
mod inbox;
mod job;
mod job_put;
mod job_search;
mod keys;
mod known_collections;
mod landed;
mod lock;
mod log;
mod migrate;
mod older;
mod open_job;
mod pause;
mod readers;
mod removal;
mod rerun;
mod savepoint;
mod segments;
mod series;
mod session;
mod settle;
mod shared;
mod stop;
mod store;
mod tally;
mod to_enable;
mod told;
mod work;
mod work_store;
mod writer;

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use rusqlite::{Connection, OpenFlags};

use self::access::Access;
use self::checkpoint::Checkpoints;
use self::damage::Damage;
use self::disk::Disk;
use self::keys::KeySource;
use self::known_collections::KnownCollections;
use self::landed::Landed;
use self::lock::Lock;
use self::readers::Readers;
use self::segments::{SegmentReader, Segments};
use self::writer::{Listeners, Writer, WriterFiles};
use crate::bell::Bell;
use crate::error::Error;
use crate::events::{EventPlace, Events};
use crate::known_alerts::KnownAlerts;
use crate::seal::Keyring;

pub use self::disk::RESERVE;

/// The file in the data directory.
pub const FILE: &str = "punctual.db";

/// The directory of history in it.
pub const HISTORY: &str = "history";

/// What is done when the disk fails: the process says why and ends. An fsync that failed is never tried again.
pub type OnFatal = Box<dyn FnOnce(String) + Send>;

/// The store in a data directory.
pub struct Sqlite {
    readers: Readers,
    history: SegmentReader,
    access: Access,
    writer: Writer,
    bell: Arc<Bell>,
    events: Arc<Events>,
    keyring: Arc<RwLock<Keyring>>,
    key_source: KeySource,
    landed: Arc<Landed>,
    damage: Arc<Damage>,
    collections: KnownCollections,
    known_alerts: Arc<KnownAlerts>,
    copied_from: Option<PathBuf>,
    // Dropped last: the process that opens the directory next must find it at rest.
    _checkpoints: Checkpoints,
    _lock: Lock,
}

impl Sqlite {
    /// Opens the store in `directory`, which is made if it is not there. `keyring` is given if
    /// the keys are not kept in the directory.
    pub fn open(directory: &Path, keyring: Option<Keyring>, on_fatal: OnFatal) -> Result<Self, Error> {
        let failed = |what: &str, error| Error::unavailable(format!("{what} {}: {error}", directory.display()));
        // What is in it is nobody else's business on this machine.
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|error| failed("cannot make", error))?;
        let lock = Lock::take(directory)?;
        let file = directory.join(FILE);
        let connection = open_file(&file).map_err(|error| error.in_file(&file))?;
        copying::refuse_unfinished(&connection).map_err(|error| error.in_file(&file))?;
        let (keyring, key_source) = keys::load(directory, keyring, &connection)?;
        let damage = Arc::<Damage>::default();
        let access = Access::load(&connection, Arc::clone(&damage))?;
        let batch = writer::last_batch(&connection)?;
        older::check(&directory.join(HISTORY), batch).map_err(|error| error.in_file(&file))?;
        let copied_from = home::note(&connection, &file)?;
        let segments = Segments::open(&directory.join(HISTORY), batch, Arc::clone(&damage))?;
        let history = segments.reader();
        let checkpoints = Checkpoints::start(&file)?;
        let disk = Disk::open(directory, Box::new(disk::measure));
        let bell = Arc::new(Bell::default());
        let place = EventPlace { history: segments::last_number(batch)?, change: told::last_change(&connection)? };
        let events = Arc::new(Events::new(place));
        let files = WriterFiles { connection, segments, last_batch: batch, disk };
        let listeners = Listeners { bell: Arc::clone(&bell), events: Arc::clone(&events) };
        let writer = Writer::start(files, access.clone(), checkpoints.waker(), listeners, on_fatal)?;
        let readers = Readers::new(&file);
        let keyring = Arc::new(RwLock::new(keyring));
        Ok(Self {
            readers,
            history,
            access,
            writer,
            bell,
            events,
            keyring,
            key_source,
            landed: Arc::default(),
            damage,
            collections: KnownCollections::default(),
            known_alerts: Arc::default(),
            copied_from,
            _checkpoints: checkpoints,
            _lock: lock,
        })
    }

    /// Whether the keys would open what is in `directory`. Changes nothing; a directory without a database is right.
    pub fn check_keys(directory: &Path, keyring: Option<&Keyring>) -> Result<(), Error> {
        let file = directory.join(FILE);
        if !file.exists() {
            return Ok(());
        }
        let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let checked = Connection::open_with_flags(&file, read_only).map_err(Error::from);
        checked.and_then(|db| keys::check(directory, keyring, &db)).map_err(|error| error.in_file(&file))
    }

    /// The data directory that this one is a copy of, if it was copied since it was opened last.
    pub fn copied_from(&self) -> Option<&Path> {
        self.copied_from.as_deref()
    }

    /// How many rows and files were found damaged since the store was opened. Each was named in the log, and left out.
    pub fn damaged(&self) -> u64 {
        self.damage.count()
    }
}

/// The writer's connection, with the newest schema.
fn open_file(file: &Path) -> Result<Connection, Error> {
    let mut connection = Connection::open(file)?;
    writer::prepare(&connection)?;
    migrate::migrate(&mut connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests;
