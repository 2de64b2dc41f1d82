//! Keeps a second process out of the data directory.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::error::Error;

/// How often it is tried to lock, and how long after each other. A process that is about to end may still hold the lock, and so may
/// one that another thread is just starting: until it runs its own program, it has all that is open here.
const TRIES: u32 = 20;
const TRY_EVERY: Duration = Duration::from_millis(25);

/// Held as long as the store is open. The system lets go of it when the process ends, however it ends.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(directory: &Path) -> Result<Self, Error> {
        let path = directory.join("lock");
        let failed = |error| Error::unavailable(format!("cannot lock {}: {error}", path.display()));
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => thread::sleep(TRY_EVERY),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(Error::unavailable(format!("another punctual is using {}", directory.display())))
    }
}
