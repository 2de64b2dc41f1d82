//! Copies of databases that others are writing.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::super::segments::first_number;
use super::super::{segments, writer};
use crate::error::Error;

/// Pages in one step, 16 MB: after each it is told how far the copy has come.
const PAGES_PER_STEP: i32 = 4096;

/// How long a copy waits for a connection that opens or closes the file.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// What is known of a copied main file.
pub(super) struct MainFile {
    pub(super) jobs: u64,
    /// The last batch of history that the file knows of.
    pub(super) last_batch: i64,
}

/// Copies a database as it is at one instant. `progress` is told the percentage, if there is much to copy.
pub(super) fn database(source: &Path, target: &Path, progress: &mut dyn FnMut(i32)) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = Connection::open_with_flags(source, flags).map_err(|error| Error::from(error).in_file(source))?;
    from.busy_timeout(BUSY_MAX)?;
    // One snapshot for the whole copy: without it every write of the server would begin the copy again.
    from.execute_batch("begin")?;
    from.query_row("select count(*) from sqlite_schema", [], |_| Ok(())).map_err(Error::from)?;
    let mut to = Connection::open(target)?;
    fs::set_permissions(target, Permissions::from_mode(0o600))?;
    let backup = Backup::new(&from, &mut to)?;
    let mut told = 0;
    while backup.step(PAGES_PER_STEP)? != StepResult::Done {
        let state = backup.progress();
        let percent = (state.pagecount - state.remaining).saturating_mul(10) / state.pagecount.max(1) * 10;
        if percent > told {
            told = percent;
            progress(percent);
        }
    }
    Ok(())
}

/// Checks a copy of the main file.
pub(super) fn check_main(file: &Path) -> Result<MainFile, Error> {
    let db = open_checked(file)?;
    let jobs = db.query_row("select count(*) from job", [], |row| row.get(0))?;
    let last_batch = writer::last_batch(&db)?;
    close(db)?;
    Ok(MainFile { jobs, last_batch })
}

/// Checks a copy of a segment, and removes the records that the main file does not know of. Gives the number of the others;
/// none of a segment that is just being made, and holds nothing yet.
pub(super) fn check_segment(file: &Path, last_batch: i64) -> Result<Option<u64>, Error> {
    let db = open_checked(file)?;
    if !segments::is_complete(&db)? {
        return Ok(None);
    }
    segments::remove_from(&db, first_number(last_batch.saturating_add(1))?)?;
    let records = db.query_row("select count(*) from attempt", [], |row| row.get(0))?;
    close(db)?;
    Ok(Some(records))
}

/// Opens a database that nobody else uses, if it is sound.
pub(super) fn open_checked(file: &Path) -> Result<Connection, Error> {
    let db = Connection::open(file)?;
    let found: String = db.query_row("pragma integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(db) } else { Err(Error::corrupt(found).in_file(file)) }
}

/// Closes a database, so that all of it is in its one file.
pub(super) fn close(db: Connection) -> Result<(), Error> {
    db.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))?;
    db.close().map_err(|(_, error)| error.into())
}

/// Removes a database with all that SQLite keeps beside it, if it is there.
pub(super) fn remove(file: &Path) -> Result<(), Error> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        match fs::remove_file(PathBuf::from(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
