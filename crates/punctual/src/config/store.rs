//! `[store]`, `[cluster]` and `[secrets]`: where jobs are kept, with whom they are shared, and what seals them.

use std::path::PathBuf;
use std::time::Duration;

use punctual_model::Expected;
use punctual_store::postgres;
use punctual_store::seal::Keyring;

use super::reader::{SettingsReader, optional};

/// The longest name of a node.
const NODE_NAME_MAX: usize = 100;
/// PostgreSQL has a hundred of them by default, for all nodes.
const CONNECTIONS_MAX: u32 = 1000;

/// Where jobs are kept.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) data: PathBuf,
    /// None: in SQLite, in the data directory.
    pub(crate) postgres: Option<PostgresStore>,
}

/// How PostgreSQL is reached.
#[derive(Debug)]
pub(crate) struct PostgresStore {
    pub(crate) settings: postgres::Settings,
    pub(crate) password_file: Option<PathBuf>,
}

/// What a node is among others.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// None: the name of the machine.
    pub(crate) name: Option<String>,
    pub(crate) lease: Duration,
}

impl Cluster {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let name = reader.parsed("cluster.name", optional(parse_node_name));
        let lease = reader.number("cluster.lease_seconds", 2..=60);
        Some(Self { name: name?, lease: Duration::from_secs(lease?.into()) })
    }
}

fn parse_node_name(text: &str) -> Result<String, Expected> {
    let is_right = text.chars().count() <= NODE_NAME_MAX && !text.chars().any(char::is_control);
    let expected = || Expected::new(format!("at most {NODE_NAME_MAX} characters, none of them a control character"));
    is_right.then(|| text.to_owned()).ok_or_else(expected)
}

impl Store {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let data = reader.parsed("store.data", |text| match text {
            "" => Err(Expected::new("a directory such as ./punctual-data")),
            _ => Ok(PathBuf::from(text)),
        });
        // The reason repeats nothing of the address, in which there may be a password.
        let expected = |error| Expected::new(format!("an address such as postgres://user@host/database: {error}"));
        let parse = |text: &str| postgres::Settings::parse(text).map_err(expected);
        let url = reader.parsed("store.url", optional(parse));
        let password_file = reader.parsed("store.password_file", optional(|text| Ok(PathBuf::from(text))));
        let connections_max = reader.number("store.connections_max", 4..=CONNECTIONS_MAX);
        let (url, password_file, connections_max) = (url?, password_file?, connections_max?);
        let postgres = url.map(|mut settings| {
            settings.connections_max = connections_max as usize;
            PostgresStore { settings, password_file }
        });
        Some(Self { data: data?, postgres })
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
