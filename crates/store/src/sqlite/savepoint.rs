//! A part of a transaction that can fail by itself.

use super::writer::WriteTx;
use crate::error::Error;

/// Writes something that takes nothing back but itself if it fails.
pub(super) fn in_savepoint<T>(
    tx: &mut WriteTx<'_>,
    write: impl FnOnce(&mut WriteTx<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let (db, kept) = (tx.db, tx.history.len());
    db.prepare_cached("savepoint one")?.execute([])?;
    let result = write(tx);
    note_overflow(tx, &result);
    if result.is_err() {
        tx.history.truncate(kept);
        // SQLite has ended the whole transaction, and the savepoint with it.
        if db.is_autocommit() {
            return result;
        }
        db.prepare_cached("rollback to one")?.execute([])?;
    }
    db.prepare_cached("release one")?.execute([])?;
    result
}

/// Remembers that a write has found the disk full.
pub(super) fn note_overflow<T>(tx: &mut WriteTx<'_>, result: &Result<T, Error>) {
    // While the disk is known to be full, the error may only say that the write was refused.
    if matches!(result, Err(Error::DiskFull)) && (!tx.disk.is_full() || tx.db.is_autocommit()) {
        tx.disk.record_overflow();
    }
}
