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
use crate::history::day::Day;
use crate::history::number::BATCH_RECORDS_MAX;
pub(crate) use crate::history::number::{BATCH_SHIFT, first_number, has_gap, last_number, numbers};
pub(crate) use crate::history::segment::Segment;

mod cache;
mod failures;
mod file;
mod reader;
mod row;

use cache::SegmentCache;
use failures::Copying;
pub(crate) use file::is_complete;
pub(super) use file::{create, open, open_for_writing, remove};
pub(crate) use reader::SegmentReader;

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
        match segment_of(&path) {
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

/// The segment of a file, or of one that SQLite keeps beside it, and whether it is the latter.
fn segment_of(path: &Path) -> Option<(Segment, bool)> {
    let name = path.file_name()?.to_str()?;
    let companion = file::COMPANIONS.iter().find_map(|suffix| name.strip_suffix(suffix));
    Some((Segment::parse(companion.unwrap_or(name))?, companion.is_some()))
}

#[cfg(test)]
mod tests;
