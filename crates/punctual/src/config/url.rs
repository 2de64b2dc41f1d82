//! Addresses of servers, ours and those of issuers.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use punctual_model::Expected;

/// How clients reach this server: `https://scheduler.example.com`, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl(String);

impl PublicUrl {
    /// Takes an http or https address without a path.
    pub(super) fn parse(text: &str) -> Result<Self, Expected> {
        let url = HttpUrl::parse(text)
            .filter(|url| matches!(url.rest, "" | "/"))
            .ok_or_else(|| Expected::new("an address such as https://scheduler.example.com, without user and path"))?;
        Ok(Self(text.strip_suffix(url.rest).unwrap_or(text).to_owned()))
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

/// The address of an issuer of tokens, as its tokens name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IssuerUrl(String);

impl IssuerUrl {
    /// Takes an https address; http only on this machine, because whoever is between could make keys of their own.
    pub(super) fn parse(text: &str) -> Result<Self, Expected> {
        HttpUrl::parse(text)
            .filter(|url| url.is_https || url.is_loopback())
            .filter(|url| !url.rest.contains(['?', '#']))
            .map(|_| Self(text.to_owned()))
            .ok_or_else(|| Expected::new("an address such as https://login.example.com; http only on this machine"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The parts of an address of http or https without a user.
struct HttpUrl<'a> {
    is_https: bool,
    host: &'a str,
    /// Path, query and fragment.
    rest: &'a str,
}

impl<'a> HttpUrl<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (host, port) = match authority.rsplit_once(':') {
            // The colons inside brackets are those of an IPv6 address.
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let port_is_right = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
        let rest_is_right = rest.chars().all(|c| c.is_ascii_graphic());
        (is_host(host) && port_is_right && rest_is_right).then_some(Self { is_https, host, rest })
    }

    fn is_loopback(&self) -> bool {
        let address = self.host.trim_matches(['[', ']']).parse::<IpAddr>();
        self.host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
    }
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
    use super::{IssuerUrl, PublicUrl};

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

    #[test]
    fn issuers() {
        for text in [
            "https://login.example.com/tenant/v2.0",
            "https://login.example.com/",
            "http://localhost:8080/realms/x",
            "http://127.0.0.9",
            "http://[::1]:80",
        ] {
            assert_eq!(IssuerUrl::parse(text).unwrap().as_str(), text);
        }
        for text in ["http://login.example.com", "https://login.example.com?a", "https://a/#b", "http://10.0.0.1", ""] {
            assert!(IssuerUrl::parse(text).is_err(), "{text}");
        }
    }
}
