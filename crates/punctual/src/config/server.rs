//! `[server]`: where and how the API is served.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use punctual_actions::egress::Network;
use punctual_model::Expected;

use super::reader::{SettingsReader, optional};
use super::url::PublicUrl;

/// Where and how the API is served.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) listen: SocketAddr,
    pub(crate) public_url: Option<PublicUrl>,
    pub(crate) tls: Tls,
    pub(crate) trusted_proxies: Vec<Network>,
    pub(crate) connections_max: usize,
    pub(crate) header_time_max: Duration,
    pub(crate) body_time_max: Duration,
    pub(crate) body_bytes_max: usize,
    pub(crate) idle_time_max: Duration,
    pub(crate) shutdown_time_max: Duration,
}

/// Whether HTTPS is spoken, and with which certificate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tls {
    /// Plain HTTP.
    Off,
    /// With one that the server makes.
    SelfSigned,
    /// With the user's own, in PEM.
    Files { certificate: PathBuf, key: PathBuf },
}

/// More files than a process is usually allowed to open.
const CONNECTIONS_MAX: u32 = 1_000_000;
/// Longer than this nobody waits; a larger number is likely one of milliseconds.
const SECONDS_MAX: u32 = 3600;
/// A body that holds a whole message for a queue fits.
const BODY_BYTES_MIN: u32 = 131_072;
/// With more, a few clients fill the memory.
const BODY_BYTES_MAX: u32 = 64 << 20;

impl Server {
    pub(super) fn read(reader: &SettingsReader<'_>, listen: Option<SocketAddr>) -> Option<Self> {
        let seconds = |key| Some(Duration::from_secs(reader.number(key, 1..=SECONDS_MAX)?.into()));
        let size = |key, least, most| usize::try_from(reader.number(key, least..=most)?).ok();
        let public_url = reader.parsed("server.public_url", optional(PublicUrl::parse));
        let tls = Tls::read(reader);
        let trusted_proxies = reader.list("server.trusted_proxies", Network::parse);
        let connections_max = size("server.connections_max", 1, CONNECTIONS_MAX);
        let header_time_max = seconds("server.header_seconds_max");
        let body_time_max = seconds("server.body_seconds_max");
        let body_bytes_max = size("server.body_bytes_max", BODY_BYTES_MIN, BODY_BYTES_MAX);
        let idle_time_max = seconds("server.idle_seconds_max");
        let shutdown_time_max = seconds("server.shutdown_seconds_max");
        Some(Self {
            listen: listen?,
            public_url: public_url?,
            tls: tls?,
            trusted_proxies: trusted_proxies?,
            connections_max: connections_max?,
            header_time_max: header_time_max?,
            body_time_max: body_time_max?,
            body_bytes_max: body_bytes_max?,
            idle_time_max: idle_time_max?,
            shutdown_time_max: shutdown_time_max?,
        })
    }

    /// Whether nobody but this machine reaches the server: it listens on a loopback address, and no setting says that others come
    /// through a proxy.
    pub(crate) fn is_local(&self) -> bool {
        let has_local_url = self.public_url.as_ref().is_none_or(PublicUrl::is_local);
        self.listen.ip().is_loopback() && self.trusted_proxies.is_empty() && has_local_url
    }

    /// How clients reach the server, once it is known where it listens: port 0 is any free one.
    pub(crate) fn public_url(&self, listener: SocketAddr) -> PublicUrl {
        self.public_url.clone().unwrap_or_else(|| self.listen_url(listener))
    }

    /// How this machine reaches the server, once it is known where it listens.
    pub(crate) fn listen_url(&self, listener: SocketAddr) -> PublicUrl {
        PublicUrl::of_listener(listener, self.tls != Tls::Off)
    }
}

impl Tls {
    fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        const CERTIFICATE: &str = "server.tls.certificate";
        const KEY: &str = "server.tls.key";
        const SELF_SIGNED: &str = "server.tls.self_signed";
        let path = |text: &str| Ok(PathBuf::from(text));
        let certificate = reader.parsed(CERTIFICATE, optional(path));
        let key = reader.parsed(KEY, optional(path));
        let self_signed = reader.boolean(SELF_SIGNED);
        match (certificate?, key?, self_signed?) {
            (None, None, false) => Some(Self::Off),
            (None, None, true) => Some(Self::SelfSigned),
            (Some(certificate), Some(key), false) => Some(Self::Files { certificate, key }),
            (Some(_), None, false) => refused(reader, KEY, "the file with the private key of server.tls.certificate"),
            (None, Some(_), false) => refused(reader, CERTIFICATE, "the file with the certificate of server.tls.key"),
            (_, _, true) => refused(reader, SELF_SIGNED, "false, or neither server.tls.certificate nor server.tls.key"),
        }
    }
}

fn refused<T>(reader: &SettingsReader<'_>, key: &str, expected: &str) -> Option<T> {
    reader.refuse(key, expected);
    None
}

/// An address and a port. Without an address it is every one of the machine: that of IPv6 which takes IPv4, too.
pub(super) fn parse_listen(text: &str) -> Result<SocketAddr, Expected> {
    let everywhere = |port: &str| Some(SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), port.parse().ok()?));
    let address = match text.strip_prefix(':') {
        Some(port) => everywhere(port),
        None => text.parse().ok(),
    };
    let expected = "an address and a port such as 127.0.0.1:7878 or [::1]:7878, or :7878 for every address";
    address.ok_or_else(|| Expected::new(expected))
}
