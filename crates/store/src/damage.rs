//! What cannot be read, and is left out so that its neighbours can be.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;

/// Names that are remembered. A database that is damaged in more places says nothing new about itself.
const NAMED_MAX: usize = 10_000;

/// The rows and files that were found damaged since the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Damage {
    named: Mutex<BTreeSet<String>>,
}

impl Damage {
    /// Names something damaged in the log, the first time that it is found.
    pub(crate) fn note(&self, error: &Error) {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let name = error.to_string();
        if named.len() < NAMED_MAX && named.insert(name) {
            tracing::error!("left out, because it cannot be read: {error}");
        }
    }

    /// Passes on what was read. Notes what is damaged, and leaves it out.
    pub(crate) fn sieve<T>(&self, read: Result<T, Error>) -> Result<Option<T>, Error> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.is_of_one_record() => {
                self.note(&error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// How many things were found damaged.
    pub(crate) fn count(&self) -> u64 {
        self.named.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }
}
