//! History in files of its own, one for each day or part of a day.
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
//! When to drop what, and telling about it, is left to the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use punctual_model::time::Timestamp;
use rusqlite::{Connection, TransactionBehavior};

use crate::Error;
use crate::history::HistoryEntry;

mod file;
mod period;
mod reader;
mod row;
mod shelf;

pub(crate) use period::{Granularity, Period};
pub(crate) use reader::SegmentReader;
use shelf::Shelf;

/// A batch holds 10 ms of work; a million records are a hundred times what that could be.
const BATCH_RECORDS_MAX: usize = 1 << BATCH_SHIFT;
const BATCH_SHIFT: u32 = 20;

/// Files that stay open for writing: attempts that end now started at most half an hour ago, which may be in another
/// segment; the others are for clocks that were set.
const OPEN_MAX: usize = 4;

/// The writer's side, for the one thread that writes.
pub(crate) struct Segments {
    shelf: Arc<Shelf>,
    granularity: Granularity,
    /// The longest unused first.
    open: Vec<(Period, Connection)>,
}

/// A segment that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dropped {
    pub(crate) period: Period,
    pub(crate) bytes: u64,
}

impl Segments {
    /// Takes over a directory, which is made if it is not there.
    ///
    /// Records of batches after `known_batch`, the last one that the main file knows, are removed, and so is what a
    /// crash left half made.
    pub(crate) fn open(directory: &Path, known_batch: i64, granularity: Granularity) -> Result<Self, Error> {
        make_directory(directory).map_err(|error| Error::from(error).in_file(directory))?;
        let periods = sweep(directory).map_err(|error| Error::from(error).in_file(directory))?;
        check_order(&periods)?;
        let segments =
            Self { shelf: Arc::new(Shelf::new(directory.to_owned(), periods)), granularity, open: Vec::new() };
        for period in segments.shelf.periods() {
            segments.recover(period, known_batch)?;
        }
        Ok(segments)
    }

    /// A reader of the same files.
    pub(crate) fn reader(&self) -> SegmentReader {
        SegmentReader::new(Arc::clone(&self.shelf))
    }

    /// Writes the records of a batch. They are on the disk when this returns.
    ///
    /// No batch may come twice, and each has a greater number than the one before. After an error some of the records may
    /// be written; then the main file must not learn of the batch, so that the next [`Self::open`] removes them.
    pub(crate) fn append(&mut self, batch: i64, entries: &[HistoryEntry]) -> Result<(), Error> {
        assert!(entries.len() <= BATCH_RECORDS_MAX, "a batch of {} records", entries.len());
        // In the order of the index, so that it grows page by page; what is equal keeps the order it came in.
        let mut in_order: Vec<&HistoryEntry> = entries.iter().collect();
        in_order.sort_by_key(|entry| (entry.job, entry.record.started));
        let mut by_period: BTreeMap<Period, Vec<(i64, &HistoryEntry)>> = BTreeMap::new();
        let mut period: Option<Period> = None;
        for (number, entry) in (first_number(batch)?..).zip(in_order) {
            let started = entry.record.started;
            let same = period.filter(|period| period.holds(started));
            let holding = same.unwrap_or_else(|| self.shelf.period_of(started, self.granularity));
            period = Some(holding);
            by_period.entry(holding).or_default().push((number, entry));
        }
        for (period, rows) in by_period {
            self.write(period, &rows).map_err(|error| error.in_file(&self.shelf.path(period)))?;
        }
        Ok(())
    }

    /// Drops the oldest segment, if it holds nothing of `instant` or later.
    pub(crate) fn drop_before(&mut self, instant: Timestamp) -> Result<Option<Dropped>, Error> {
        let old = self.shelf.periods().into_iter().find(|period| period.last() < instant);
        old.map(|period| self.drop_segment(period)).transpose()
    }

    /// Drops the oldest segment, unless it is the only one: that one is being written.
    pub(crate) fn drop_oldest(&mut self) -> Result<Option<Dropped>, Error> {
        match self.shelf.periods()[..] {
            [oldest, _, ..] => self.drop_segment(oldest).map(Some),
            _ => Ok(None),
        }
    }

    /// The bytes on disk of all segments.
    pub(crate) fn bytes(&self) -> u64 {
        self.shelf.periods().into_iter().map(|period| file::bytes(&self.shelf.path(period))).sum()
    }

    fn drop_segment(&mut self, period: Period) -> Result<Dropped, Error> {
        let path = self.shelf.path(period);
        let bytes = file::bytes(&path);
        self.open.retain(|(of, _)| *of != period);
        self.shelf.remove(period).map_err(|error| error.in_file(&path))?;
        Ok(Dropped { period, bytes })
    }

    fn write(&mut self, period: Period, rows: &[(i64, &HistoryEntry)]) -> Result<(), Error> {
        let connection = self.connection(period)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut statement = row::prepare_insert(&transaction)?;
        for (number, entry) in rows {
            row::insert(&mut statement, *number, entry)?;
        }
        drop(statement);
        Ok(transaction.commit()?)
    }

    fn connection(&mut self, period: Period) -> Result<&mut Connection, Error> {
        let connection = match self.open.iter().position(|(of, _)| *of == period) {
            Some(at) => self.open.remove(at).1,
            None => self.shelf.open_for_writing(period)?,
        };
        if self.open.len() == OPEN_MAX {
            self.open.remove(0);
        }
        Ok(&mut self.open.push_mut((period, connection)).1)
    }

    /// Makes a segment what the main file believes it is. Any segment may hold the last batch: clocks are set back.
    fn recover(&self, period: Period, known_batch: i64) -> Result<(), Error> {
        let path = self.shelf.path(period);
        let recover = || {
            let connection = file::open_for_writing(&path)?;
            if !file::is_complete(&connection)? {
                drop(connection);
                return self.shelf.remove(period);
            }
            remove_from(&connection, first_number(known_batch.saturating_add(1))?)
        };
        recover().map_err(|error: Error| error.in_file(&path))
    }
}

/// The number of the first record of a batch.
fn first_number(batch: i64) -> Result<i64, Error> {
    let number = batch.checked_mul(1 << BATCH_SHIFT).filter(|number| *number >= 0);
    number.ok_or_else(|| Error::corrupt(format!("{batch} cannot be the number of a batch")))
}

/// Removes the records that the main file does not know; nothing is written if there are none.
fn remove_from(connection: &Connection, number: i64) -> Result<(), Error> {
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
fn sweep(directory: &Path) -> io::Result<BTreeSet<Period>> {
    let (mut periods, mut companions) = (BTreeSet::new(), Vec::new());
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        match Period::of_path(&path) {
            Some((period, true)) => companions.push((period, path)),
            Some((period, false)) => _ = periods.insert(period),
            None => {}
        }
    }
    for (_, path) in companions.iter().filter(|(period, _)| !periods.contains(period)) {
        fs::remove_file(path)?;
    }
    Ok(periods)
}

/// Two files for one hour: not ours, and nobody could say where a record of that hour belongs.
fn check_order(periods: &BTreeSet<Period>) -> Result<(), Error> {
    let overlap = periods.iter().zip(periods.iter().skip(1)).find(|(earlier, later)| earlier.last() >= later.first());
    overlap.map_or(Ok(()), |(one, other)| {
        let (one, other) = (one.file_name(), other.file_name());
        Err(Error::corrupt(format!("history has {one} and {other}, which hold the same hours: remove one of them")))
    })
}

#[cfg(test)]
mod tests;
