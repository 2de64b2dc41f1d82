//! `[auth]`: who is let in.

use std::net::SocketAddr;

use super::issuer::Issuer;
use super::reader::Reader;

/// Who is let in.
#[derive(Debug)]
pub(crate) struct Auth {
    /// Whether a request needs a token.
    pub(crate) required: bool,
    pub(crate) issuers: Vec<Issuer>,
}

impl Auth {
    pub(super) fn read(reader: &Reader<'_>, listen: Option<SocketAddr>) -> Option<Self> {
        let required = reader.boolean("auth.required");
        let is_reachable = listen.is_some_and(|address| !address.ip().is_loopback());
        if required == Some(false) && is_reachable {
            reader.refuse("auth.required", "true, or server.listen on a loopback address such as 127.0.0.1");
        }
        // The members of each issuer are settings of their own, and this one is always among them.
        let items = reader.keys().filter_map(|key| key.strip_suffix(".issuer"));
        let issuers: Vec<_> = items.map(|item| Issuer::read(reader, item)).collect();
        Some(Self { required: required?, issuers: issuers.into_iter().collect::<Option<_>>()? })
    }
}
