//! What an error of PostgreSQL means: to a transaction that may be tried again, and to a caller.

use deadpool_postgres::PoolError;
use tokio_postgres::error::SqlState;

use crate::error::Error;

/// Why something did not work in the database. It becomes an [`Error`] where the caller is told.
#[derive(Debug)]
pub(super) enum Fault {
    /// Trying again would not help, or is up to the caller.
    Final(Error),
    /// The database has taken the transaction back, or the connection was lost before it was committed: nothing of it is there,
    /// and it may work now.
    Again(Error),
    /// The schema does not allow it. It will not be allowed however often it is tried.
    Refused(String),
    /// A table is not there. Those of history are dropped by whichever node looks after it.
    NoTable(String),
}

impl Fault {
    /// Whether something is there already that was about to be made, by another process at the same time.
    pub(super) fn is_made_already(error: &tokio_postgres::Error) -> bool {
        let made = [
            SqlState::UNIQUE_VIOLATION,
            SqlState::DUPLICATE_OBJECT,
            SqlState::DUPLICATE_SCHEMA,
            SqlState::DUPLICATE_TABLE,
        ];
        error.code().is_some_and(|code| made.contains(code))
    }

    /// Whether the answer to a commit says that there was none. An error alone does not: a server that ends while it waits for its standby
    /// says so, and has committed.
    pub(super) fn is_refused_commit(error: &tokio_postgres::Error) -> bool {
        error.code().is_some_and(|code| matches!(&code.code()[..2], "22" | "23" | "40" | "53" | "54"))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Final(error) | Fault::Again(error) => error,
            Fault::Refused(reason) | Fault::NoTable(reason) => Self::Unavailable(reason),
        }
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        let text = describe(&error);
        let Some(code) = error.code() else {
            // Without a code it is not the database that speaks: the connection is gone, or a value does not fit its column.
            let is_lost = error.is_closed() || is_of_connection(&error);
            let fault = if is_lost { Self::Again } else { Self::Final };
            return fault(Error::Unavailable(text));
        };
        // The first two characters are the class of an error.
        match (code, &code.code()[..2]) {
            (&SqlState::UNDEFINED_TABLE, _) => Self::NoTable(text),
            (&SqlState::DISK_FULL, _) => Self::Final(Error::DiskFull),
            (&SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED, _) => Self::Final(Error::Corrupt(text)),
            // The server ends, or somebody has ended the connection; a deadlock, or something that could not be put into an order.
            (&SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN, _) | (_, "40") => {
                Self::Again(Error::Unavailable(text))
            }
            // Values that no column takes, what a constraint forbids, and what is too large.
            (_, "22" | "23" | "54") => Self::Refused(text),
            _ => Self::Final(Error::Unavailable(text)),
        }
    }
}

/// Whether the connection itself failed.
fn is_of_connection(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

/// The error with what it comes from: the first line alone says only `db error`.
fn describe(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("PostgreSQL says: {} ({})", db.message(), db.code().code()),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

impl From<PoolError> for Fault {
    fn from(error: PoolError) -> Self {
        match error {
            // A connection that cannot be made now is not tried again at once.
            PoolError::Backend(error) => Self::Final(match Self::from(error) {
                Self::Refused(reason) | Self::NoTable(reason) => Error::Unavailable(reason),
                Self::Final(error) | Self::Again(error) => error,
            }),
            PoolError::Timeout(_) => Self::Final(Error::unavailable(
                "all connections to PostgreSQL were busy, or none could be made, for too long",
            )),
            other => Self::Final(Error::unavailable(other)),
        }
    }
}
