//! Why the store did not do what it was asked, sorted by who must act.

use std::fmt::Display;
use std::path::Path;

use crate::key::JobId;

/// Why the store did not do what it was asked. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller, with what is stored now: another client wrote in between.
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
    /// The operator, with a newer version of the program: only that understands what is stored.
    #[error("{what} was written by a newer version of Punctual, which this one does not understand (it needs {needs})")]
    Newer {
        /// What was not understood.
        what: String,
        /// The generation of records that it needs.
        needs: u32,
    },
    /// The operator, at the disk: it has no room. What was to be written is taken back, and all goes on when there is room.
    #[error("the disk is full")]
    DiskFull,
    /// The operator, by a decision: nothing is broken, and going on might lose something. The text says what to do.
    #[error("{0}")]
    Refused(String),
    /// The operator, at the disk or the database; later it may work again.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
}

impl Error {
    /// What is stored cannot be what we wrote.
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into())
    }

    /// The same, with the job it is about.
    pub(crate) fn of_job(self, id: JobId) -> Self {
        self.about(format_args!("job number {}", id.0))
    }

    /// The same, with the thing it is about.
    pub(crate) fn about(self, what: impl Display) -> Self {
        match self {
            Self::Corrupt(reason) => Self::Corrupt(format!("{what}: {reason}")),
            Self::Newer { needs, .. } => Self::Newer { what: what.to_string(), needs },
            other => other,
        }
    }

    /// Whether one thing that is stored cannot be read. Its neighbours can.
    pub const fn is_of_one_record(&self) -> bool {
        matches!(self, Self::Corrupt(_) | Self::Newer { .. })
    }

    pub(crate) fn refused(reason: impl Display) -> Self {
        Self::Refused(reason.to_string())
    }

    pub(crate) fn unavailable(reason: impl Display) -> Self {
        Self::Unavailable(reason.to_string())
    }

    /// The same, with the file it is about.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        self.on_behalf_of(path.display())
    }

    /// The same, with where it happened.
    pub(crate) fn on_behalf_of(self, place: impl Display) -> Self {
        let named = |what: String| format!("{place}: {what}");
        match self {
            Self::Corrupt(what) => Self::Corrupt(named(what)),
            Self::Unavailable(reason) => Self::Unavailable(named(reason)),
            Self::Refused(reason) => Self::Refused(named(reason)),
            other => other,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Unavailable(error.to_string()),
        }
    }
}
