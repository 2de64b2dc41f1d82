//! `[outbound]`: whom jobs may call, and how.

use std::path::PathBuf;

use punctual_actions::Proxy;
use punctual_actions::egress::Network;
use punctual_model::Expected;

use super::reader::{SettingsReader, optional};

/// Whom jobs may call, and how.
#[derive(Debug)]
pub(crate) struct Outbound {
    /// Whether jobs may call this machine by its loopback addresses.
    pub(crate) allows_loopback: bool,
    /// What they may not call beside what is never called.
    pub(crate) denied: Vec<Network>,
    /// Where any are named, all they may call.
    pub(crate) allowed: Vec<Network>,
    /// Through whom calls go.
    pub(crate) proxy: Option<Proxy>,
    /// Certificates of authorities that are trusted beside those of the system.
    pub(crate) ca: Option<PathBuf>,
}

impl Outbound {
    /// `is_local` says whether nobody but this machine reaches the server.
    pub(super) fn read(reader: &SettingsReader<'_>, is_local: Option<bool>) -> Option<Self> {
        let loopback = reader.parsed("outbound.loopback", Loopback::parse);
        let denied = reader.list("outbound.deny", Network::parse);
        let allowed = reader.list("outbound.allow", Network::parse);
        let proxy = reader.parsed("outbound.proxy", optional(proxy));
        let ca = reader.parsed("outbound.ca", optional(|text| Ok(PathBuf::from(text))));
        Some(Self {
            allows_loopback: match loopback? {
                Loopback::Auto => is_local?,
                Loopback::Always => true,
                Loopback::Never => false,
            },
            denied: denied?,
            allowed: allowed?,
            proxy: proxy?,
            ca: ca?,
        })
    }
}

fn proxy(text: &str) -> Result<Proxy, Expected> {
    Proxy::parse(text).map_err(|_| Expected::new("an address such as http://proxy.example:3128"))
}

/// When jobs may call this machine by its loopback addresses.
#[derive(Clone, Copy)]
enum Loopback {
    /// While nobody but this machine reaches us: who can reach us can reach the rest, too.
    Auto,
    Always,
    Never,
}

impl Loopback {
    fn parse(text: &str) -> Result<Self, Expected> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => Err(Expected::new("\"auto\", \"always\" or \"never\"")),
        }
    }
}
