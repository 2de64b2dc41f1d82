//! Notices a main file that is older than the history beside it: someone has put it back by hand.
//!
//! Records of batches that the main file does not know are removed at each start, because a crash leaves those of one batch.
//! Here there would be many, and they are the record of what was really sent.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::backup::segment_names;
use super::segments::BATCH_SHIFT;
use crate::error::Error;

/// Batches that the main file does not know after a crash: the one that it was about to learn of.
const AHEAD_MAX: i64 = 1;

/// Refuses a main file that knows history up to `known_batch` only, if there is more than a crash can have left.
pub(super) fn check(directory: &Path, known_batch: i64) -> Result<(), Error> {
    let Some(last) = last_batch(directory)?.filter(|last| *last > known_batch.saturating_add(AHEAD_MAX)) else {
        return Ok(());
    };
    let data = directory.parent().unwrap_or(directory).display();
    Err(Error::refused(format!(
        "the database is older than its history: it knows {known_batch} batches of records, and the history has {last}, as \
         after a copy of the database was put back by hand. Nothing was changed. To use a backup, run `punctual restore FILE \
         --data NEW-DIRECTORY`. To go on with this database and keep the history, run `punctual restore --as-is --data \
         {data}`: what may have been sent since is marked when it is sent again"
    )))
}

/// The last batch of which there are records. A file that cannot be read is none: others say what is wrong with it.
pub(super) fn last_batch(directory: &Path) -> Result<Option<i64>, Error> {
    let batch = |name: &String| {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(directory.join(name), flags).ok()?;
        let number: Option<i64> = db.query_row("select max(number) from attempt", [], |row| row.get(0)).ok()?;
        number.map(|number| number >> BATCH_SHIFT)
    };
    Ok(segment_names(directory)?.iter().filter_map(batch).max())
}
