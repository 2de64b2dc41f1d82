//! Which segments there are, and connections for those who read them.
//!
//! The writer and all readers share one shelf. Readers hold its lock while they open a file, the writer while it removes
//! one: so nobody opens a file that is just going away, and a removed file is not kept on the disk by a connection that
//! waits for its next reader. A reader in the middle of a removed file reads on; the file goes when it has finished.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use punctual_model::time::Timestamp;
use rusqlite::Connection;

use super::file;
use super::period::{Granularity, Period};
use crate::Error;

/// Open files that wait for their next reader: most people look at the last few days.
const IDLE_MAX: usize = 8;

/// The segments in a directory.
pub(super) struct Shelf {
    directory: PathBuf,
    stock: RwLock<Stock>,
    /// The longest unused first.
    idle: Mutex<Vec<(Period, Connection)>>,
}

#[derive(Default)]
struct Stock {
    periods: BTreeSet<Period>,
    /// Counts removals: a connection that was made before the last one may be to a file that is gone.
    removals: u64,
}

impl Shelf {
    pub(super) fn new(directory: PathBuf, periods: BTreeSet<Period>) -> Self {
        Self { directory, stock: RwLock::new(Stock { periods, removals: 0 }), idle: Mutex::default() }
    }

    pub(super) fn path(&self, period: Period) -> PathBuf {
        self.directory.join(period.file_name())
    }

    /// All there are, oldest first.
    pub(super) fn periods(&self) -> Vec<Period> {
        self.stock().periods.iter().copied().collect()
    }

    /// The period that holds `at`, whether there is a segment for it yet or not.
    pub(super) fn period_of(&self, at: Timestamp, granularity: Granularity) -> Period {
        Period::holding(at, &self.stock().periods, granularity)
    }

    /// Opens a segment for writing, and makes it if it is not there. Only the one writer may ask.
    pub(super) fn open_for_writing(&self, period: Period) -> Result<Connection, Error> {
        let path = self.path(period);
        let is_there = self.stock().periods.contains(&period);
        let connection = if is_there { file::open_for_writing(&path) } else { file::create(&path) }?;
        if !is_there {
            self.stock_mut().periods.insert(period);
        }
        Ok(connection)
    }

    /// Lends a connection to a segment; nothing if the segment is gone.
    pub(super) fn read<T>(
        &self,
        period: Period,
        read: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let in_file = |error: Error| error.in_file(&self.path(period));
        let Some((connection, removals)) = self.lend(period).map_err(in_file)? else {
            return Ok(None);
        };
        let result = read(&connection).map_err(in_file)?;
        self.take_back(period, connection, removals);
        Ok(Some(result))
    }

    fn lend(&self, period: Period) -> Result<Option<(Connection, u64)>, Error> {
        let stock = self.stock();
        if !stock.periods.contains(&period) {
            return Ok(None);
        }
        let mut idle = self.idle();
        if let Some(at) = idle.iter().rposition(|(of, _)| *of == period) {
            return Ok(Some((idle.remove(at).1, stock.removals)));
        }
        drop(idle);
        Ok(Some((file::open(&self.path(period))?, stock.removals)))
    }

    fn take_back(&self, period: Period, connection: Connection, removals: u64) {
        let stock = self.stock();
        if stock.removals != removals {
            return;
        }
        let mut idle = self.idle();
        idle.push((period, connection));
        if idle.len() > IDLE_MAX {
            idle.remove(0);
        }
    }

    /// Removes a segment that nobody writes.
    pub(super) fn remove(&self, period: Period) -> Result<(), Error> {
        let mut stock = self.stock_mut();
        stock.removals += 1;
        stock.periods.remove(&period);
        self.idle().retain(|(of, _)| *of != period);
        Ok(file::remove(&self.path(period))?)
    }

    // After a panic elsewhere all of this still is as it was: nothing here is changed in two steps that can fail between.

    fn stock(&self) -> RwLockReadGuard<'_, Stock> {
        self.stock.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn stock_mut(&self) -> RwLockWriteGuard<'_, Stock> {
        self.stock.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(Period, Connection)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn idle_count(&self) -> usize {
        self.idle().len()
    }
}
