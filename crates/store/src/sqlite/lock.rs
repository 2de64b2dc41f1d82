//! Keeps a second process out of the data directory.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::error::Error;

/// Held as long as the store is open. The system lets go of it when the process ends, however it ends.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(directory: &Path) -> Result<Self, Error> {
        let path = directory.join("lock");
        let failed = |error| Error::unavailable(format!("cannot lock {}: {error}", path.display()));
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                Err(Error::unavailable(format!("another punctual is using {}", directory.display())))
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}
