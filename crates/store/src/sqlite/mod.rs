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
mod cells;
mod checkpoint;
mod collection;
mod due;
mod entries;
mod group;
mod inbox;
mod job;
mod keys;
mod lock;
mod migrate;
mod open_job;
mod pause;
mod readers;
mod removal;
mod rerun;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "no setting asks for shorter segments yet, and nobody for a single record")
)]
mod segments;
mod series;
mod settle;
mod store;
mod work;
mod work_store;
mod writer;

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use punctual_model::time::Timestamp;
use rusqlite::{Connection, Row, RowIndex};

use self::access::Access;
use self::checkpoint::Checkpoints;
use self::keys::KeySource;
use self::lock::Lock;
use self::readers::Readers;
use self::segments::{Granularity, SegmentReader, Segments};
use self::writer::Writer;
use crate::bell::Bell;
use crate::error::Error;
use crate::seal::Keyring;

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
    keyring: Arc<RwLock<Keyring>>,
    key_source: KeySource,
    /// The last batch of the engine that was written.
    last_landed: AtomicU64,
    // Dropped last: whoever may open the directory next must find it at rest.
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
        let (keyring, key_source) = keys::load(directory, keyring, &connection)?;
        let access = Access::load(&connection)?;
        let batch = writer::last_batch(&connection)?;
        let segments = Segments::open(&directory.join(HISTORY), batch, Granularity::DAY)?;
        let history = segments.reader();
        let checkpoints = Checkpoints::start(&file)?;
        let bell = Arc::new(Bell::default());
        let writer = Writer::start(connection, segments, batch, checkpoints.bell(), Arc::clone(&bell), on_fatal)?;
        let readers = Readers::new(&file);
        let keyring = Arc::new(RwLock::new(keyring));
        Ok(Self {
            readers,
            history,
            access,
            writer,
            bell,
            keyring,
            key_source,
            last_landed: AtomicU64::new(0),
            _checkpoints: checkpoints,
            _lock: lock,
        })
    }
}

/// The writer's connection, with the newest schema.
fn open_file(file: &Path) -> Result<Connection, Error> {
    let mut connection = Connection::open(file)?;
    writer::prepare(&connection)?;
    migrate::migrate(&mut connection)?;
    Ok(connection)
}

/// The instant in a column, if there is one.
fn instant(row: &Row<'_>, column: impl RowIndex) -> Result<Option<Timestamp>, Error> {
    let column = column.idx(row.as_ref())?;
    let wrong = |ticks| Error::corrupt(format!("{}: {ticks} is no instant", name_of(row, column)));
    let ticks: Option<i64> = row.get(column)?;
    ticks.map(|ticks| Timestamp::from_ticks(ticks).ok_or_else(|| wrong(ticks))).transpose()
}

/// The instant in a column that always has one.
fn required_instant(row: &Row<'_>, column: impl RowIndex) -> Result<Timestamp, Error> {
    let column = column.idx(row.as_ref())?;
    instant(row, column)?.ok_or_else(|| Error::corrupt(format!("{} is empty", name_of(row, column))))
}

fn name_of<'a>(row: &'a Row<'_>, column: usize) -> &'a str {
    row.as_ref().column_name(column).unwrap_or("a column")
}

#[cfg(test)]
mod tests;
