//! The proxy that calls go through, where the operator named one.
//!
//! Behind a proxy nobody here knows which address a name leads to: the policy of `egress` then holds for
//! addresses that are written as such, and the rest is the proxy's business.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use punctual_model::action::Secret;

use crate::settings::Error;

/// An HTTP proxy.
#[derive(Clone)]
pub struct Proxy {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The value of `Proxy-Authorization`.
    pub(crate) authorization: Option<Secret>,
}

impl Proxy {
    /// Reads `http://[user:password@]host:port`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let given = || text.rsplit_once('@').map_or(text, |(_, rest)| rest).to_owned();
        let wrong = || Error::Proxy { given: given() };
        let rest = text.strip_prefix("http://").ok_or_else(wrong)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, address) = rest.rsplit_once('@').map_or((None, rest), |(user, address)| (Some(user), address));
        let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let port = port.parse().map_err(|_| wrong())?;
        if host.is_empty() || host.contains(['/', '?', '#', '@']) {
            return Err(wrong());
        }
        let authorization = user.map(|user| {
            let user: Vec<u8> = percent_decode_str(user).collect();
            Secret::new(format!("Basic {}", STANDARD.encode(user)))
        });
        Ok(Self { host: host.to_owned(), port, authorization })
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({}:{})", self.host, self.port)
    }
}
