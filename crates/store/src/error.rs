//! Why the store did not do what it was asked, sorted by who must act.

use std::fmt::Display;
use std::path::Path;

use crate::key::JobId;

/// Why the store did not do what it was asked. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller, with what is stored now: someone else wrote in between.
    #[error("it was changed in the meantime")]
    Stale,
    /// The caller: the limit that it named is reached.
    #[error("the limit of {max} is reached")]
    Full {
        /// The limit.
        max: u32,
    },
    /// The operator, with a backup: what is stored cannot be what we wrote.
    #[error("{0}")]
    Corrupt(String),
    /// The operator, at the disk or the database; later it may work again.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
}

impl Error {
    /// What is stored cannot be what we wrote.
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into())
    }

    pub(crate) fn corrupt_job(id: JobId, reason: impl Display) -> Self {
        Self::Corrupt(format!("job number {}: {reason}", id.0))
    }

    pub(crate) fn unavailable(reason: impl Display) -> Self {
        Self::Unavailable(reason.to_string())
    }

    /// The same, with the file it is about.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        let named = |what: String| format!("{}: {what}", path.display());
        match self {
            Self::Corrupt(what) => Self::Corrupt(named(what)),
            Self::Unavailable(reason) => Self::Unavailable(named(reason)),
            other => other,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let is_damaged = match &error {
            // A value of a kind or size that our columns never hold.
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..) => true,
            other => matches!(other.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)),
        };
        if is_damaged { Self::Corrupt(error.to_string()) } else { Self::Unavailable(error.to_string()) }
    }
}

impl From<rusqlite::types::FromSqlError> for Error {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Corrupt(error.to_string())
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}
