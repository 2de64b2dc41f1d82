//! One segment: an SQLite file with one table.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::Error;

/// What SQLite keeps beside a file, by the ends of the names.
pub(super) const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Two connections meet only while one of them opens or closes the file, which takes milliseconds on a healthy disk.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// After so many pages (16 MB) in the write-ahead log a commit moves them to the file itself.
const LOG_PAGES_MAX: i64 = 4096;

/// The newest end of both indexes, over as many jobs as are busy at a time; 2 MB by default are read again and again.
const WRITER_CACHE_KIB: i64 = 16_384;

const LAYOUT_VERSION: i64 = 1;

/// One row is an attempt, or a range of nominal times that were not run: then `nominal` is the first of them.
///
/// `number` begins with the batch, so that rows are only ever appended, and the rows of a batch are found without an index.
/// Both indexes end in it, as all indexes of SQLite end in the key of the row. The second one is for those who look for
/// what went wrong among a million lines that did not.
const LAYOUT: &str = "
create table attempt (
    number integer primary key,
    job integer not null,
    started integer not null,
    ended integer not null,
    occurrence blob not null,
    origin integer not null,
    manual_number integer,
    phase integer not null,
    retry integer not null,
    repeat integer not null,
    status integer not null,
    nominal integer not null,
    nominal_last integer,
    nominal_count integer,
    reason integer,
    is_resent integer not null,
    retry_at integer,
    is_duplicate integer not null,
    node integer not null,
    revision integer not null,
    message text not null,
    failure_class integer,
    failure_code integer,
    failure_host text,
    failure_detail text
) strict;
create index attempt_of_job on attempt (job, started);
create index trouble_of_job on attempt (job, started) where status <> 0 or phase <> 0;
create index trouble on attempt (number) where status <> 0 or phase <> 0;
";

/// Makes a new segment, for writing.
pub(in super::super) fn create(path: &Path) -> Result<Connection, Error> {
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    tune_for_writing(&connection)?;
    // Table and version come to be together: without the version the file was left half made.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(LAYOUT)?;
    transaction.pragma_update(None, "user_version", LAYOUT_VERSION)?;
    transaction.commit()?;
    Ok(connection)
}

/// Opens a segment for reading, with all the files that belong to it: what is opened later may be gone by then.
pub(in super::super) fn open(path: &Path) -> Result<Connection, Error> {
    // Not read-only, because then the last one to leave could not tidy up the log.
    let connection = connect(path, OpenFlags::empty())?;
    connection.pragma_update(None, "query_only", true)?;
    // SQLite opens the log when it reads for the first time.
    is_complete(&connection)?;
    Ok(connection)
}

/// Opens a segment for writing.
pub(in super::super) fn open_for_writing(path: &Path) -> Result<Connection, Error> {
    let connection = connect(path, OpenFlags::empty())?;
    tune_for_writing(&connection)?;
    Ok(connection)
}

/// Whether the segment was made completely, before something came in between.
pub(crate) fn is_complete(connection: &Connection) -> Result<bool, Error> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = connection.query_row("select count(*) from sqlite_schema", (), |row| row.get(0))?;
    match (version, tables) {
        (LAYOUT_VERSION, _) => Ok(true),
        (0, 0) => Ok(false),
        (newer, _) if newer > LAYOUT_VERSION => {
            Err(Error::Newer { what: "this file".to_owned(), needs: newer.try_into().unwrap_or(u32::MAX) })
        }
        _ => Err(Error::corrupt(format!("has layout {version}, which was never one of ours"))),
    }
}

/// Removes a segment. Nobody may be about to open it.
pub(in super::super) fn remove(path: &Path) -> io::Result<()> {
    // The file goes first: without it what is left is rubbish for certain, and is swept at the next start.
    remove_if_there(path)?;
    COMPANIONS.iter().try_for_each(|suffix| remove_if_there(&beside(path, suffix)))
}

/// What a damaged file is called: its name, and this behind it.
pub(super) const DAMAGED: &str = ".damaged";

/// Gives a damaged segment another name, with all that SQLite keeps beside it: it is left for those who can mend it.
pub(super) fn set_aside(path: &Path) -> io::Result<()> {
    let names = (1..).map(|number| match number {
        1 => beside(path, DAMAGED),
        _ => beside(path, &format!("{DAMAGED}{number}")),
    });
    let free = names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| beside(path, DAMAGED));
    for suffix in COMPANIONS {
        match fs::rename(beside(path, suffix), beside(&free, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, free)
}

/// Whether a file is a segment that was set aside.
pub(super) fn was_set_aside(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.contains(DAMAGED) && !COMPANIONS.iter().any(|suffix| name.ends_with(suffix))
}

/// The bytes on disk, the log included.
pub(super) fn bytes(path: &Path) -> u64 {
    let length = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    length(path) + COMPANIONS.iter().map(|suffix| length(&beside(path, suffix))).sum::<u64>()
}

fn connect(path: &Path, create: OpenFlags) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_MAX)?;
    Ok(connection)
}

fn tune_for_writing(connection: &Connection) -> Result<(), Error> {
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES_MAX)?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
