//! `[store]` and `[secrets]`: where jobs are kept, and what seals them.

use std::path::PathBuf;

use punctual_model::Expected;
use punctual_store::seal::Keyring;

use super::reader::{SettingsReader, optional};

/// Where jobs are kept.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) data: PathBuf,
}

impl Store {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let data = reader.parsed("store.data", |text| match text {
            "" => Err(Expected::new("a directory such as ./punctual-data")),
            _ => Ok(PathBuf::from(text)),
        });
        let url = reader.parsed("store.url", |text| match text {
            "" => Ok(()),
            _ => Err(Expected::new("nothing: only the built-in SQLite is there today")),
        });
        url?;
        Some(Self { data: data? })
    }
}

/// The keys that seal the secrets of jobs.
#[derive(Debug)]
pub(crate) struct Secrets {
    /// Nothing means the file in the data directory.
    pub(crate) keyring: Option<Keyring>,
}

impl Secrets {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let expected = "lines of a number and 64 hexadecimal digits, with ascending numbers";
        let parse = |text: &str| Keyring::parse(text).map_err(|_| Expected::new(expected));
        Some(Self { keyring: reader.parsed("secrets.key", optional(parse))? })
    }
}
