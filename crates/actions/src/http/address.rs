//! Where a request goes: the parts of a URI, each as it was written.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use punctual_model::action::{self, Secret, canonical_host};

use crate::connect::Endpoint;

/// What a path cannot hold as it is, beyond what is not ASCII.
const NOT_IN_TARGETS: &AsciiSet = &CONTROLS.add(b' ');

/// An absolute address of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) is_tls: bool,
    /// The host in lower case, without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Path and query, as they were written. Fragments are never sent.
    pub(crate) target: String,
    /// `user:password` before the host.
    pub(crate) credentials: Option<Secret>,
}

impl Address {
    /// The address of a text; none if it cannot be called.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        Self::of(&action::Address::parse(uri).ok()?)
    }

    /// The address of an action; none if its host cannot be called.
    pub(crate) fn of(address: &action::Address) -> Option<Self> {
        if !is_host(address.host()) {
            return None;
        }
        let target = address.path_and_query();
        let slash = if target.starts_with('/') { "" } else { "/" };
        Some(Self {
            is_tls: address.is_https(),
            host: canonical_host(address.host()).into_owned(),
            port: address.port(),
            target: [slash, &Cow::from(utf8_percent_encode(target, NOT_IN_TARGETS))].concat(),
            credentials: address.user_info().map(|text| Secret::new(percent_decode_str(text).decode_utf8_lossy())),
        })
    }

    /// The address that a `Location` leads to from here.
    pub(crate) fn join(&self, location: &str) -> Option<Self> {
        let location = location.split('#').next().unwrap_or_default();
        let scheme = self.scheme();
        let authority = self.authority();
        let (path, query) = self.target.split_once('?').map_or((&*self.target, None), |(path, q)| (path, Some(q)));
        let absolute = if has_scheme(location) {
            Cow::Borrowed(location)
        } else if location.starts_with("//") {
            Cow::Owned(format!("{scheme}:{location}"))
        } else if location.is_empty() {
            Cow::Owned(format!("{scheme}://{authority}{path}{}", query.map(|q| format!("?{q}")).unwrap_or_default()))
        } else if location.starts_with('?') {
            Cow::Owned(format!("{scheme}://{authority}{path}{location}"))
        } else {
            let (to, query) = location.split_at(location.find('?').unwrap_or(location.len()));
            let folder = &path[..=path.rfind('/').unwrap_or(0)];
            let whole = if to.starts_with('/') { to.to_owned() } else { format!("{folder}{to}") };
            Cow::Owned(format!("{scheme}://{authority}{}{query}", without_dots(&whole)))
        };
        Self::parse(&absolute)
    }

    /// Whether both are the same server by the rules of the web: scheme, host and port.
    pub(crate) fn is_same_origin(&self, other: &Self) -> bool {
        (self.is_tls, &self.host, self.port) == (other.is_tls, &other.host, other.port)
    }

    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_tls { "https" } else { "http" }
    }

    /// Host and port as a `Host` header has them.
    pub(crate) fn authority(&self) -> Cow<'_, str> {
        let is_v6 = self.host.contains(':');
        match (is_v6, self.port == default_port(self.is_tls)) {
            (false, true) => Cow::Borrowed(&self.host),
            (false, false) => Cow::Owned([&*self.host, ":", &self.port.to_string()].concat()),
            (true, true) => Cow::Owned(format!("[{}]", self.host)),
            (true, false) => Cow::Owned(format!("[{}]:{}", self.host, self.port)),
        }
    }

    /// Whether HTTP/2 can carry a request to it. HTTP/1.1 carries whatever has no blanks: targets with `"` or `<` in their paths
    /// exist.
    pub(crate) fn fits_http2(&self) -> bool {
        !self.is_tls || http::uri::PathAndQuery::try_from(&*self.target).is_ok_and(|target| target == *self.target)
    }

    /// Who is connected to.
    pub(crate) fn endpoint(&self) -> Endpoint<'_> {
        Endpoint { host: &self.host, port: self.port, is_tls: self.is_tls }
    }
}

/// Whether a host is an address or a name. It goes into a header, into the record and into a question to a name server.
fn is_host(host: &str) -> bool {
    let is_name = host.bytes().all(|c| c.is_ascii_alphanumeric() || b"-._~".contains(&c));
    is_name || host.parse::<Ipv6Addr>().is_ok()
}

fn default_port(is_tls: bool) -> u16 {
    if is_tls { 443 } else { 80 }
}

/// Whether a reference begins with a scheme, and is therefore absolute.
fn has_scheme(text: &str) -> bool {
    let before = text.split(['/', '?']).next().unwrap_or_default();
    before.split_once(':').is_some_and(|(scheme, _)| scheme.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// A path without its `.` and `..` segments.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (at, segment) in segments.iter().enumerate() {
        let is_last = at + 1 == segments.len();
        match *segment {
            "." | ".." => {
                if *segment == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    format!("/{}", kept.join("/"))
}

#[cfg(test)]
mod tests;
