//! History in files of its own, one for each day, or several for a day with much of it.
//!
//! What is too old goes by removing a file; rows removed from the main file would keep its writer waiting for seconds.
//! Nothing joins the files but the number of the batch, and the order in which the writer commits:
//!
//! ```text
//!   batch 7 ──▶ history/2026-11-14.db   commit ┐
//!           ──▶ history/2026-11-15.db   commit ┤ on disk, all of them
//!                                              └──▶ punctual.db: rows and «last batch is 7»   commit
//!
//!   power cut before the last commit: the main file knows batch 6. At the next start every record of batch 7
//!   is removed from the segments; what was sent is sent again, marked, and recorded then.
//! ```
//!
//! A record stands in the segment that holds the instant at which it started. Its number begins with its batch.
//!
//! A file that is damaged is set aside under another name: it keeps neither the server from starting nor the other days
//! from being read and written.
//!
//! Failures may be kept longer than the rest. Then a day that is dropped leaves them to a file of their month: they are
//! copied a slice at a time, with their numbers, and the day goes when all of them are on the disk.
//!
//! When to drop what, and telling about it, is left to the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use punctual_model::time::Timestamp;
use rusqlite::{Connection, TransactionBehavior};

use super::damage::Damage;
use crate::Error;
use crate::history::HistoryEntry;

mod cache;
mod day;
mod failures;
mod file;
mod month;
mod reader;
mod row;
mod segment;
mod shelf;

use cache::SegmentCache;
use day::Day;
use failures::Copying;
pub(crate) use file::is_complete;
pub(crate) use reader::SegmentReader;
pub(crate) use segment::Segment;

/// A batch holds 10 ms of work; a million records are a hundred times what that could be.
const BATCH_RECORDS_MAX: usize = 1 << BATCH_SHIFT;
/// The lower bits of a record's number, which tell the records of one batch apart.
pub(super) const BATCH_SHIFT: u32 = 20;

/// A smaller file is not worth a second one for its day.
const PART_BYTES_MIN: u64 = 1 << 20;

/// Files that stay open for writing: attempts that end now started at most half an hour ago, which may be in another
/// segment; the others are for clocks that were set.
const OPEN_MAX: usize = 4;

/// The writer's side, for the one thread that writes.
pub(crate) struct Segments {
    cache: Arc<SegmentCache>,
    damage: Arc<Damage>,
    /// The longest unused first.
    open: Vec<(Segment, Connection)>,
    /// Days that may hold records of a batch that the main file does not know.
    unconfirmed: BTreeSet<Day>,
    /// The batch they may hold.
    last_batch: i64,
    /// The day that is about to be dropped.
    copying: Option<Copying>,
}

/// What a step of dropping history did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropStep {
    /// There is nothing to drop.
    Nothing,
    /// Failures were copied, and there may be more of them.
    Copied,
    /// A segment is gone.
    Dropped(Dropped),
}

/// A segment that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dropped {
    pub(crate) segment: Segment,
    /// Its last instant.
    pub(crate) last: Timestamp,
    pub(crate) bytes: u64,
    /// How many of its records are kept.
    pub(crate) kept: u64,
}

impl Segments {
    /// Takes over a directory, which is made if it is not there.
    ///
    /// Records of batches after `known_batch`, the last one that the main file knows, are removed, and so is what a
    /// crash left half made.
    pub(crate) fn open(directory: &Path, known_batch: i64, damage: Arc<Damage>) -> Result<Self, Error> {
        make_directory(directory).map_err(|error| Error::from(error).in_file(directory))?;
        let found = sweep(directory, &damage).map_err(|error| Error::from(error).in_file(directory))?;
        let cache = Arc::new(SegmentCache::new(directory.to_owned(), found.iter().copied()));
        let segments = Self {
            cache,
            damage,
            open: Vec::new(),
            unconfirmed: BTreeSet::new(),
            last_batch: known_batch,
            copying: None,
        };
        for segment in found {
            match segments.recover(segment, known_batch) {
                Err(error @ Error::Corrupt(_)) => segments.set_aside(segment, &error)?,
                Err(Error::DiskFull) => return Err(Error::DiskFull),
                // It may be that only this process, or this version of it, cannot read the file.
                Err(error) => {
                    segments.damage.note(&error);
                    segments.cache.forget(segment);
                }
                Ok(()) => {}
            }
        }
        Ok(segments)
    }

    /// A reader of the same files.
    pub(crate) fn reader(&self) -> SegmentReader {
        SegmentReader::new(Arc::clone(&self.cache), Arc::clone(&self.damage))
    }

    /// Writes the records of a batch. They are on the disk when this returns.
    ///
    /// The records are put into the order of their numbers. Each batch has a greater number than the one before that was
    /// confirmed. After an error some of the records may be
    /// written; then the main file must not learn of the batch, so that [`Self::take_back`] or the next [`Self::open`]
    /// removes them.
    pub(crate) fn append(&mut self, batch: i64, entries: &mut [HistoryEntry]) -> Result<(), Error> {
        assert!(entries.len() <= BATCH_RECORDS_MAX, "a batch of {} records", entries.len());
        self.remove_unconfirmed(batch)?;
        self.last_batch = batch;
        // In the order of the index, so that it grows page by page; what is equal keeps the order it came in.
        entries.sort_by_key(|entry| (entry.job, entry.record.started));
        let mut by_day: BTreeMap<Day, Vec<(i64, &HistoryEntry)>> = BTreeMap::new();
        for (number, entry) in (first_number(batch)?..).zip(&*entries) {
            let day = self.cache.last_part(Day::of(entry.record.started));
            by_day.entry(day).or_default().push((number, entry));
        }
        for (day, rows) in by_day {
            self.unconfirmed.insert(day);
            self.write(Segment::Day(day), &rows)?;
        }
        Ok(())
    }

    /// Begins a new part of the newest day, if the file that is written now holds this much, and not little.
    pub(crate) fn begin_part(&mut self, bytes_max: u64) -> Result<(), Error> {
        let Some(newest) = self.cache.days().last().copied() else { return Ok(()) };
        if file::bytes(&self.cache.path(Segment::Day(newest))) < bytes_max.max(PART_BYTES_MIN) {
            return Ok(());
        }
        let next = Segment::Day(newest.next_part());
        self.connection(next).map(drop).map_err(|error| error.in_file(&self.cache.path(next)))
    }

    /// Takes note that the main file knows the last batch.
    pub(crate) fn confirm(&mut self) {
        self.unconfirmed.clear();
    }

    /// Takes a batch out again that the main file does not know. Where there is no room for that now, the next batch does
    /// it first.
    pub(crate) fn take_back(&mut self, batch: i64) -> Result<(), Error> {
        match self.remove_unconfirmed(batch) {
            Err(Error::DiskFull) => Ok(()),
            removed => removed,
        }
    }

    fn remove_unconfirmed(&mut self, batch: i64) -> Result<(), Error> {
        while let Some(day) = self.unconfirmed.first().copied() {
            let segment = Segment::Day(day);
            if self.cache.contains(segment) {
                let path = self.cache.path(segment);
                let remove = |connection: &mut Connection| remove_from(connection, first_number(batch)?);
                self.connection(segment).and_then(remove).map_err(|error| error.in_file(&path))?;
            }
            self.unconfirmed.remove(&day);
        }
        Ok(())
    }

    /// The bytes on disk of all segments.
    pub(crate) fn bytes(&self) -> u64 {
        self.cache.bytes()
    }

    fn drop_segment(&mut self, segment: Segment, last: Timestamp, kept: u64) -> Result<Dropped, Error> {
        let path = self.cache.path(segment);
        let bytes = file::bytes(&path);
        self.open.retain(|(of, _)| *of != segment);
        self.cache.remove(segment).map_err(|error| error.in_file(&path))?;
        Ok(Dropped { segment, last, bytes, kept })
    }

    /// Writes rows. A file that is damaged is set aside, and begun anew.
    fn write(&mut self, segment: Segment, rows: &[(i64, &HistoryEntry)]) -> Result<(), Error> {
        let in_file = |segments: &Self, error: Error| error.in_file(&segments.cache.path(segment));
        match self.try_write(segment, rows).map_err(|error| in_file(self, error)) {
            Err(error @ Error::Corrupt(_)) => {
                self.open.retain(|(of, _)| *of != segment);
                self.set_aside(segment, &error)?;
                self.try_write(segment, rows).map_err(|error| in_file(self, error))
            }
            written => written,
        }
    }

    fn try_write(&mut self, segment: Segment, rows: &[(i64, &HistoryEntry)]) -> Result<(), Error> {
        let connection = self.connection(segment)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut statement = match segment {
            Segment::Day(_) => row::prepare_insert(&transaction)?,
            Segment::Failures(_) => row::prepare_copy(&transaction)?,
        };
        for (number, entry) in rows {
            row::insert(&mut statement, *number, entry)?;
        }
        drop(statement);
        Ok(transaction.commit()?)
    }

    fn connection(&mut self, segment: Segment) -> Result<&mut Connection, Error> {
        let connection = match self.open.iter().position(|(of, _)| *of == segment) {
            Some(at) => self.open.remove(at).1,
            None => self.cache.open_for_writing(segment)?,
        };
        if self.open.len() == OPEN_MAX {
            self.open.remove(0);
        }
        Ok(&mut self.open.push_mut((segment, connection)).1)
    }

    /// Sets a damaged segment aside.
    fn set_aside(&self, segment: Segment, error: &Error) -> Result<(), Error> {
        self.damage.note(error);
        self.cache.set_aside(segment).map_err(|error| error.in_file(&self.cache.path(segment)))
    }

    /// Makes a segment what the main file believes it is. Any segment may hold the last batch: clocks are set back.
    fn recover(&self, segment: Segment, known_batch: i64) -> Result<(), Error> {
        let path = self.cache.path(segment);
        let recover = || {
            let connection = file::open_for_writing(&path)?;
            if !file::is_complete(&connection)? {
                drop(connection);
                return self.cache.remove(segment);
            }
            remove_from(&connection, first_number(known_batch.saturating_add(1))?)
        };
        recover().map_err(|error: Error| error.in_file(&path))
    }
}

/// The number of the first record of a batch.
pub(super) fn first_number(batch: i64) -> Result<i64, Error> {
    let number = batch.checked_mul(1 << BATCH_SHIFT).filter(|number| *number >= 0);
    number.ok_or_else(|| Error::corrupt(format!("{batch} cannot be the number of a batch")))
}

/// The number up to which all records of a batch, and of those before, are.
pub(crate) fn last_number(batch: i64) -> Result<u64, Error> {
    Ok(first_number(batch.saturating_add(1))?.unsigned_abs() - 1)
}

/// The numbers of the records of a batch, in their order.
pub(crate) fn numbers(batch: i64) -> Result<impl Iterator<Item = u64>, Error> {
    Ok(first_number(batch)?.unsigned_abs()..)
}

/// Whether there were records after a number, and up to `until`, before the `first` that is still there. Every batch has a
/// record, and the next number.
pub(crate) fn has_gap(after: u64, first: Option<u64>, until: u64) -> bool {
    let batch = |number: u64| number >> BATCH_SHIFT;
    batch(after) + 1 < first.map_or(batch(until) + 1, batch)
}

/// Removes the records that the main file does not know; nothing is written if there are none.
pub(super) fn remove_from(connection: &Connection, number: i64) -> Result<(), Error> {
    connection.execute("delete from attempt where number >= ?1", [number])?;
    Ok(())
}

fn make_directory(directory: &Path) -> io::Result<()> {
    if !directory.is_dir() {
        fs::create_dir_all(directory)?;
        // SQLite takes care that the files in it survive a power cut; that it does itself is up to us.
        if let Some(parent) = directory.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::File::open(parent)?.sync_all()?;
        }
    }
    Ok(())
}

/// The segments in a directory. What is left of removed ones is removed; files that are none of ours are left alone.
fn sweep(directory: &Path, damage: &Damage) -> io::Result<BTreeSet<Segment>> {
    let (mut segments, mut companions) = (BTreeSet::new(), Vec::new());
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        match Segment::of_path(&path) {
            Some((segment, true)) => companions.push((segment, path)),
            Some((segment, false)) => _ = segments.insert(segment),
            None if file::was_set_aside(&path) => {
                damage.note(&Error::corrupt("was set aside by an earlier start").in_file(&path));
            }
            None => {}
        }
    }
    for (_, path) in companions.iter().filter(|(segment, _)| !segments.contains(segment)) {
        fs::remove_file(path)?;
    }
    Ok(segments)
}

#[cfg(test)]
mod tests;
