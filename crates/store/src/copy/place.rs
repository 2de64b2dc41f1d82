//! Where a store is that is copied from or to, and which keys open it.

use std::path::PathBuf;

use super::side::Side;
use crate::error::Error;
use crate::postgres::Settings;
use crate::postgres::copying::PostgresSide;
use crate::seal::Keyring;
use crate::sqlite::copying::SqliteSide;

/// What a store is copied from or to.
#[derive(Debug)]
pub enum Place {
    /// The data directory of a store inside the binary.
    Directory(PathBuf),
    /// A schema of a PostgreSQL database.
    Postgres(Box<Settings>),
}

/// Keys that are kept elsewhere than beside the store.
#[derive(Debug, Default)]
pub struct Keys {
    /// Those that were named for this store. They come first.
    pub named: Option<Keyring>,
    /// Those of the configuration, for a store that has no key file of its own.
    pub configured: Option<Keyring>,
}

impl Place {
    /// Reads the name of a place: a data directory, `sqlite:DIRECTORY`, or the address of PostgreSQL. Never repeats what was given, in
    /// which there may be a password.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(Box::new(Settings::parse(text)?)));
        }
        let directory = text.strip_prefix("sqlite:").unwrap_or(text);
        if directory.is_empty() || directory.contains("://") {
            return Err(Error::refused(
                "expected a data directory, sqlite:DIRECTORY, or postgres://USER@HOST/DATABASE",
            ));
        }
        Ok(Self::Directory(PathBuf::from(directory)))
    }

    /// Opens a store that is there, and keeps servers out of it.
    pub(super) async fn open_source(&self, keys: Keys) -> Result<Box<dyn Side>, Error> {
        Ok(match self {
            Self::Directory(directory) => Box::new(SqliteSide::open_source(directory, keys)?),
            Self::Postgres(settings) => Box::new(PostgresSide::open_source(settings, keys).await?),
        })
    }

    /// Opens a store to write to, which is made if it is not there, and keeps others out of it.
    pub(super) async fn open_target(&self, keys: Keys) -> Result<Box<dyn Side>, Error> {
        Ok(match self {
            Self::Directory(directory) => Box::new(SqliteSide::open_target(directory, keys)?),
            Self::Postgres(settings) => Box::new(PostgresSide::open_target(settings, keys).await?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn a_place_is_a_directory_or_an_address() {
        let directory = |text: &str| match Place::parse(text).unwrap() {
            Place::Directory(path) => path.display().to_string(),
            Place::Postgres(_) => unreachable!(),
        };
        assert_eq!((directory("./data").as_str(), directory("sqlite:/data").as_str()), ("./data", "/data"));
        assert!(matches!(Place::parse("postgres://u@h/d").unwrap(), Place::Postgres(_)));
        for wrong in ["", "sqlite:", "mysql://u:hunter2@h/d", "postgres://u:hunter2@h:port/d"] {
            let told = Place::parse(wrong).unwrap_err().to_string();
            assert!(
                !told.contains("hunter2") && told.contains("postgres://") || told.contains("cannot be read"),
                "{told}"
            );
        }
    }
}
