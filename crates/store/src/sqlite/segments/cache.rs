//! Which segments there are, and connections for those who read them.
//!
//! The writer and all readers share one cache. Readers hold its lock while they open a file, the writer while it removes
//! one: so nobody opens a file that is just going away, and a removed file is not kept on the disk by a connection that
//! waits for its next reader. A reader in the middle of a removed file reads on; the file goes when it has finished.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rusqlite::Connection;

use super::file;
use crate::Error;
use crate::history::day::Day;
use crate::history::month::Month;
use crate::history::segment::Segment;
use crate::history::shelf::Shelf;

/// Open files that wait for their next reader: most people look at the last few days.
const IDLE_MAX: usize = 8;

/// The segments in a directory.
pub(super) struct SegmentCache {
    directory: PathBuf,
    files: RwLock<Files>,
    /// The longest unused first.
    idle: Mutex<Vec<(Segment, Connection)>>,
}

#[derive(Default)]
struct Files {
    days: BTreeSet<Day>,
    /// Of which only failures are left.
    months: BTreeSet<Month>,
    /// Counts removals: a connection that was made before the last one may be to a file that is gone.
    removals: u64,
}

impl Files {
    fn insert(&mut self, segment: Segment) {
        match segment {
            Segment::Day(day) => self.days.insert(day),
            Segment::Failures(month) => self.months.insert(month),
        };
    }

    fn remove(&mut self, segment: Segment) {
        match segment {
            Segment::Day(day) => self.days.remove(&day),
            Segment::Failures(month) => self.months.remove(&month),
        };
    }

    fn contains(&self, segment: Segment) -> bool {
        match segment {
            Segment::Day(day) => self.days.contains(&day),
            Segment::Failures(month) => self.months.contains(&month),
        }
    }
}

impl SegmentCache {
    pub(super) fn new(directory: PathBuf, segments: impl IntoIterator<Item = Segment>) -> Self {
        let mut files = Files::default();
        segments.into_iter().for_each(|segment| files.insert(segment));
        Self { directory, files: RwLock::new(files), idle: Mutex::default() }
    }

    pub(super) fn path(&self, segment: Segment) -> PathBuf {
        self.directory.join(segment.file_name())
    }

    /// The days there are, oldest first.
    pub(super) fn days(&self) -> Vec<Day> {
        self.files().days.iter().copied().collect()
    }

    /// The months of which there are failures, oldest first.
    pub(super) fn months(&self) -> Vec<Month> {
        self.files().months.iter().copied().collect()
    }

    /// All there are, sorted by the time they hold, newest first.
    pub(super) fn shelves(&self) -> Vec<Shelf> {
        Shelf::all(&self.days(), &self.months())
    }

    /// The bytes on disk of all of them.
    pub(super) fn bytes(&self) -> u64 {
        self.days().into_iter().map(|day| file::bytes(&self.path(Segment::Day(day)))).sum::<u64>()
            + self.failure_bytes()
    }

    /// The bytes on disk of those that only hold failures.
    pub(super) fn failure_bytes(&self) -> u64 {
        self.months().into_iter().map(|month| file::bytes(&self.path(Segment::Failures(month)))).sum()
    }

    /// The last part of a day.
    pub(super) fn last_part(&self, day: Day) -> Day {
        let files = self.files();
        files.days.range(day..).take_while(|other| other.is_same_day(day)).last().copied().unwrap_or(day)
    }

    /// Opens a segment for writing, and makes it if it is not there. Only the one writer may ask.
    pub(super) fn open_for_writing(&self, segment: Segment) -> Result<Connection, Error> {
        let path = self.path(segment);
        let is_there = self.files().contains(segment);
        let connection = if is_there { file::open_for_writing(&path) } else { file::create(&path) }?;
        if !is_there {
            self.files_mut().insert(segment);
        }
        Ok(connection)
    }

    /// Lends a connection to a segment; nothing if the segment is gone.
    pub(super) fn read<T>(
        &self,
        segment: Segment,
        read: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let in_file = |error: Error| error.in_file(&self.path(segment));
        let Some((connection, removals)) = self.lend(segment).map_err(in_file)? else {
            return Ok(None);
        };
        let result = read(&connection).map_err(in_file)?;
        self.take_back(segment, connection, removals);
        Ok(Some(result))
    }

    fn lend(&self, segment: Segment) -> Result<Option<(Connection, u64)>, Error> {
        let files = self.files();
        if !files.contains(segment) {
            return Ok(None);
        }
        let mut idle = self.idle();
        if let Some(at) = idle.iter().rposition(|(of, _)| *of == segment) {
            return Ok(Some((idle.remove(at).1, files.removals)));
        }
        drop(idle);
        Ok(Some((file::open(&self.path(segment))?, files.removals)))
    }

    fn take_back(&self, segment: Segment, connection: Connection, removals: u64) {
        let files = self.files();
        if files.removals != removals {
            return;
        }
        let mut idle = self.idle();
        idle.push((segment, connection));
        if idle.len() > IDLE_MAX {
            idle.remove(0);
        }
    }

    /// Removes a segment that nobody writes.
    pub(super) fn remove(&self, segment: Segment) -> Result<(), Error> {
        self.take_out(segment, file::remove)
    }

    /// Gives the file of a segment that nobody writes another name, under which it is not found any more.
    pub(super) fn set_aside(&self, segment: Segment) -> Result<(), Error> {
        self.take_out(segment, file::set_aside)
    }

    /// Whether a segment is there.
    pub(super) fn contains(&self, segment: Segment) -> bool {
        self.files().contains(segment)
    }

    /// Forgets a segment: its file stays where it is, and is looked at again at the next start.
    pub(super) fn forget(&self, segment: Segment) {
        self.files_mut().remove(segment);
    }

    fn take_out(&self, segment: Segment, take: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Error> {
        let mut files = self.files_mut();
        files.removals += 1;
        files.remove(segment);
        self.idle().retain(|(of, _)| *of != segment);
        Ok(take(&self.path(segment))?)
    }

    // After a panic elsewhere all of this still is as it was: nothing here is changed in two steps that can fail between.

    fn files(&self) -> RwLockReadGuard<'_, Files> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn files_mut(&self) -> RwLockWriteGuard<'_, Files> {
        self.files.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(Segment, Connection)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn idle_count(&self) -> usize {
        self.idle().len()
    }
}
