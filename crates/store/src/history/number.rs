//! The numbers of records: each begins with the number of the batch that it was written with.

use crate::error::Error;

/// A batch holds 10 ms of work; a million records are a hundred times what that could be.
pub(crate) const BATCH_RECORDS_MAX: usize = 1 << BATCH_SHIFT;

/// The lower bits of a record's number, which tell the records of one batch apart.
pub(crate) const BATCH_SHIFT: u32 = 20;

/// The number of the first record of a batch.
pub(crate) fn first_number(batch: i64) -> Result<i64, Error> {
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
