//! `[auth]`: who is let in.

use std::net::SocketAddr;

use punctual_api::auth::oidc::Issuers;

use super::issuer;
use super::reader::SettingsReader;

/// Who is let in.
#[derive(Debug)]
pub(crate) struct Auth {
    /// Whether a request needs a token.
    pub(crate) required: bool,
    /// Whose tokens are taken beside our own.
    pub(crate) issuers: Issuers,
}

impl Auth {
    pub(super) fn read(reader: &SettingsReader<'_>, listen: Option<SocketAddr>) -> Option<Self> {
        let required = reader.boolean("auth.required");
        let is_reachable = listen.is_some_and(|address| !address.ip().is_loopback());
        if required == Some(false) && is_reachable {
            reader.refuse("auth.required", "true, or server.listen on a loopback address such as 127.0.0.1");
        }
        let issuers = issuer::read(reader);
        Some(Self { required: required?, issuers: issuers? })
    }
}
