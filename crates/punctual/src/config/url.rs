//! The address of this server, as its clients know it.

use std::net::{Ipv6Addr, SocketAddr};

use punctual_model::Expected;
use punctual_model::action::{Address, literal_ip};

/// How clients reach this server: `https://scheduler.example.com`, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl(String);

impl PublicUrl {
    /// Takes an http or https address without a path.
    pub(super) fn parse(text: &str) -> Result<Self, Expected> {
        let origin = text.strip_suffix('/').unwrap_or(text);
        let expected = || Expected::new("an address such as https://scheduler.example.com, without user and path");
        is_origin(origin).then(|| Self(origin.to_owned())).ok_or_else(expected)
    }

    /// Whether only this machine can call the address.
    pub(super) fn is_local(&self) -> bool {
        let Ok(address) = Address::parse(&self.0) else { return false };
        address.host() == "localhost" || literal_ip(address.host()).is_some_and(|ip| ip.is_loopback())
    }

    /// The address of a server that listens there. Nobody can call "every address", but this machine can call itself.
    pub(super) fn of_listener(address: SocketAddr, is_https: bool) -> Self {
        let scheme = if is_https { "https" } else { "http" };
        if address.ip().is_unspecified() {
            Self(format!("{scheme}://localhost:{}", address.port()))
        } else {
            Self(format!("{scheme}://{address}"))
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether it is http or https, a host, and perhaps a port: no user, no path, no query.
fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else { return false };
    let (host, port) = match authority.rsplit_once(':') {
        // The colons inside brackets are those of an IPv6 address.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_http = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    is_http && is_host(host) && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// Whether this is an IPv6 address in brackets, an IPv4 address or a name.
fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let is_right = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    host.split('.').all(|label| !label.is_empty() && label.bytes().all(is_right))
}

#[cfg(test)]
mod tests {
    use super::PublicUrl;

    #[test]
    fn public_addresses() {
        for (text, expected) in [
            ("https://scheduler.example.com", Some("https://scheduler.example.com")),
            ("http://localhost:7878/", Some("http://localhost:7878")),
            ("HTTPS://[::1]:443", Some("HTTPS://[::1]:443")),
            ("http://[::1]/", Some("http://[::1]")),
            ("https://example.com/scheduler", None),
            ("https://example.com//", None),
            ("https://example.com/?a", None),
            ("https://me:secret@example.com", None),
            ("https://example.com:0", None),
            ("https://example.com:", None),
            ("https://example.com:99999", None),
            ("https://example..com", None),
            ("https://exa mple.com", None),
            ("https://[::1", None),
            ("https://", None),
            ("ftp://example.com", None),
            ("example.com", None),
        ] {
            assert_eq!(PublicUrl::parse(text).ok().as_ref().map(PublicUrl::as_str), expected, "{text}");
        }
    }

    #[test]
    fn the_address_of_a_listener() {
        for (listen, is_https, expected) in [
            ("127.0.0.1:7878", false, "http://127.0.0.1:7878"),
            ("[::1]:443", true, "https://[::1]:443"),
            ("[::]:80", false, "http://localhost:80"),
            ("0.0.0.0:80", true, "https://localhost:80"),
        ] {
            assert_eq!(PublicUrl::of_listener(listen.parse().unwrap(), is_https).as_str(), expected);
        }
    }
}
