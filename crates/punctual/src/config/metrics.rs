//! `[metrics]` and `[heartbeat]`: how others watch the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use punctual_model::Expected;
use punctual_model::action::Address;

use super::reader::{SettingsReader, optional};
use super::server::parse_listen;

/// How metrics are served.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// An address beside that of the API.
    pub(crate) listen: Option<SocketAddr>,
    /// The file with the token that is asked for at that address.
    pub(crate) token_file: Option<PathBuf>,
    /// Collections with series of their own.
    pub(crate) collections_max: usize,
}

/// Who is called while the scheduler is well.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    /// Nothing where nobody is called.
    pub(crate) url: Option<String>,
    /// The scheduler is not well if something is overdue by more than this.
    pub(crate) overdue_seconds_max: u32,
}

/// A dozen series each are a million with this many, which is more than Prometheus takes gladly.
const COLLECTIONS_MAX: u32 = 100_000;

/// Something that is overdue for a day is not noticed in time by anyone.
const OVERDUE_SECONDS_MAX: u32 = 86_400;

impl Metrics {
    /// `api` is where the API listens.
    pub(super) fn read(reader: &SettingsReader<'_>, api: Option<SocketAddr>) -> Option<Self> {
        const LISTEN: &str = "metrics.listen";
        let listen = reader.parsed(LISTEN, optional(parse_listen));
        let token_file = reader.parsed("metrics.token_file", optional(|text| Ok(PathBuf::from(text))));
        let collections_max = reader.number("metrics.collections_max", 0..=COLLECTIONS_MAX);
        let (listen, token_file) = (listen?, token_file?);
        if listen.is_some_and(|address| !address.ip().is_loopback()) && token_file.is_none() {
            reader.refuse(LISTEN, "a loopback address such as 127.0.0.1:9464, or metrics.token_file beside it");
        }
        if listen.is_some_and(|address| address.port() != 0 && Some(address) == api) {
            reader.refuse(LISTEN, "another address or port than server.listen");
        }
        Some(Self { listen, token_file, collections_max: usize::try_from(collections_max?).ok()? })
    }
}

impl Heartbeat {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let url = reader.parsed("heartbeat.url", optional(parse_url));
        let overdue_seconds_max = reader.number("heartbeat.overdue_seconds_max", 1..=OVERDUE_SECONDS_MAX);
        Some(Self { url: url?, overdue_seconds_max: overdue_seconds_max? })
    }
}

fn parse_url(text: &str) -> Result<String, Expected> {
    let is_http = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let expected = || Expected::new("an address such as https://monitor.example.com/ping/0a1b2c");
    if is_http && Address::parse(text).is_ok() { Ok(text.to_owned()) } else { Err(expected()) }
}
