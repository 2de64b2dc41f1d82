//! What an error of SQLite means to a caller.

use rusqlite::Error as SqliteError;
use rusqlite::types::FromSqlError;

use crate::error::Error;

impl From<SqliteError> for Error {
    fn from(error: SqliteError) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
        use rusqlite::ErrorCode::{DatabaseCorrupt, DiskFull, NotADatabase};
        let is_damaged = match &error {
            // A value of a kind or size that our columns never hold.
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..) => true,
            other => matches!(other.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)),
        };
        match error.sqlite_error_code() {
            _ if is_damaged => Self::Corrupt(error.to_string()),
            Some(DiskFull) => Self::DiskFull,
            _ => Self::Unavailable(error.to_string()),
        }
    }
}

impl From<FromSqlError> for Error {
    fn from(error: FromSqlError) -> Self {
        Self::Corrupt(error.to_string())
    }
}
