//! An address that jobs call.
//!
//! An address is taken apart here and nowhere else: code that checks, calls or compares addresses uses the parts and never
//! looks for `/`, `?`, `#` or `@` itself. Two parsers that disagree about where a host ends are a way around a check.

mod unmask;

use std::fmt;
use std::ops::Range;

use super::canonical_host;
use crate::{Expected, limits};

/// An absolute address of HTTP with its parts. It is shown, and sent, as it was written.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    scheme: Scheme,
    /// Where `user:password` stands, without the `@`.
    user_info: Option<Range<usize>>,
    /// In lower case, without the brackets of an IPv6 address.
    host: Box<str>,
    /// As it was written, if it was.
    port: Option<u16>,
    /// Where the path begins, which may be empty.
    path: usize,
    /// Where the `?` stands, or the path ends.
    query: usize,
    /// Where the `#` stands, or the address ends.
    fragment: usize,
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port where an address names none.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

const EXPECTED: &str = "an absolute address such as https://example.com/path";

impl Address {
    /// Reads an absolute address with a scheme of http or https and a host.
    ///
    /// Hosts are not looked at closely: a name outside ASCII is taken and fails when it is called, as in the original.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        if text.chars().count() > limits::URI_CHARS_MAX {
            return Err(Expected::new(format!("at most {} characters", limits::URI_CHARS_MAX)));
        }
        let scheme_end = text.find("://").ok_or(Expected::new(EXPECTED))?;
        let scheme = match &text[..scheme_end] {
            http if http.eq_ignore_ascii_case("http") => Scheme::Http,
            https if https.eq_ignore_ascii_case("https") => Scheme::Https,
            _ => return Err(Expected::new("a scheme of http or https")),
        };
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(Expected::new("no blanks and no control characters; write a blank as %20"));
        }
        let authority = scheme_end + "://".len();
        let end_before = |marks: &[char], from: usize| text[from..].find(marks).map_or(text.len(), |at| from + at);
        let path = end_before(&['/', '?', '#'], authority);
        let query = end_before(&['?', '#'], path);
        let fragment = end_before(&['#'], query);
        let user_end = text[authority..path].rfind('@').map(|at| authority + at);
        let (host, port) = host_and_port(&text[user_end.map_or(authority, |end| end + 1)..path])?;
        Ok(Self {
            scheme,
            user_info: user_end.map(|end| authority..end),
            host: host.to_ascii_lowercase().into(),
            port,
            path,
            query,
            fragment,
            text: text.to_owned(),
        })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How the server is spoken to.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Whether the server is spoken to over TLS.
    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// `user:password` before the host, as it was written: percent signs are not decoded.
    pub fn user_info(&self) -> Option<&str> {
        self.user_info.clone().map(|range| &self.text[range])
    }

    /// The host in lower case: a name, or an IP address without brackets. A dot at its end stays.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port that was written, or the default of the scheme.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(self.scheme.default_port())
    }

    /// The path as it was written; empty where the host is followed by none.
    pub fn path(&self) -> &str {
        &self.text[self.path..self.query]
    }

    /// What stands between `?` and `#`, if there is a `?`.
    pub fn query(&self) -> Option<&str> {
        self.text[self.query..self.fragment].strip_prefix('?')
    }

    /// What stands behind `#`, if there is one. It is never sent.
    pub fn fragment(&self) -> Option<&str> {
        self.text[self.fragment..].strip_prefix('#')
    }

    /// Path and query as they were written, `?` included: what a request asks for, but for the slash of an empty path.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path..self.fragment]
    }

    /// Scheme, user, host and port as they were written: all that decides who is called.
    pub(crate) fn before_path(&self) -> &str {
        &self.text[..self.path]
    }

    /// The same server, asked for another path and query: what `map` makes of each. `map` must add no `?` and no `#`.
    pub(crate) fn map_target(&self, map: impl Fn(&str) -> String) -> Self {
        let mut text = self.before_path().to_owned();
        text.push_str(&map(self.path()));
        let query = text.len();
        text.push_str(&map(&self.text[self.query..self.fragment]));
        let fragment = text.len();
        text.push_str(&self.text[self.fragment..]);
        Self { text, query, fragment, ..self.clone() }
    }

    /// The server that is called, by the rules of the web: scheme, host and port.
    pub fn origin(&self) -> Origin {
        Origin { scheme: self.scheme, host: self.host.clone(), port: self.port() }
    }

    /// The host and, unless it is one of the two that the web has by default, the port: the same text for `h`, `H`, `h.` and
    /// `h:443`, and for an IP address however it is written.
    pub fn host_key(&self) -> String {
        let host = canonical_host(&self.host);
        let host = host.strip_suffix('.').unwrap_or(&host);
        let is_of_the_web = [Scheme::Http, Scheme::Https].iter().any(|scheme| scheme.default_port() == self.port());
        authority(host, if is_of_the_web { self.scheme.default_port() } else { self.port() }, self.scheme)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

/// The server that an address leads to, by the rules of the web: scheme, host and port. `h` and `h.` are two origins, since
/// they can lead to two servers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    scheme: Scheme,
    host: Box<str>,
    port: u16,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.name(), authority(&self.host, self.port, self.scheme))
    }
}

/// The address for a reader who may not see its secrets: `mask` stands for user and password before the host, for segments
/// of the path that look like a secret, and for all that follows the first `?`.
///
/// The text need not be an address, because error messages repeat what was refused. So user and password end at the last
/// `@` before a `/`, even behind a `#`: too much is hidden rather than too little.
pub fn mask_address(text: &str, mask: &str) -> String {
    let (before, query) = text.split_once('?').map_or((text, None), |(before, query)| (before, Some(query)));
    let host = before.find("://").map_or(0, |scheme| scheme + "://".len());
    let path = before[host..].find('/').map_or(before.len(), |path| host + path);
    let mut shown = match before[host..path].rfind('@') {
        Some(user_end) => format!("{}{mask}{}", &before[..host], &before[host + user_end..path]),
        None => before[..path].to_owned(),
    };
    let segment = |segment| if looks_secret(segment) { mask } else { segment };
    shown += &before[path..].split('/').map(segment).collect::<Vec<_>>().join("/");
    if query.is_some() { format!("{shown}?{mask}") } else { shown }
}

/// Whether a segment of a path looks like a secret, as in the webhook addresses of chat services: it is long, and has both
/// letters and digits.
pub fn looks_secret(segment: &str) -> bool {
    segment.chars().count() >= limits::SECRET_SEGMENT_CHARS_MIN
        && segment.contains(|c: char| c.is_ascii_digit())
        && segment.contains(char::is_alphabetic)
}

/// Host and port as a `Host` header has them: the default port is not written, an IPv6 address stands in brackets.
fn authority(host: &str, port: u16, scheme: Scheme) -> String {
    let (open, close) = if host.contains(':') { ("[", "]") } else { ("", "") };
    if port == scheme.default_port() {
        [open, host, close].concat()
    } else {
        [open, host, close, ":", &port.to_string()].concat()
    }
}

/// Takes the host, without the brackets of an IPv6 address, and the port apart. An empty port is none.
fn host_and_port(text: &str) -> Result<(&str, Option<u16>), Expected> {
    let (host, port) = if let Some(bracketed) = text.strip_prefix('[') {
        let brackets = || Expected::new("an IPv6 address in brackets, such as https://[::1]:8080/path");
        let (host, rest) = bracketed.split_once(']').ok_or_else(brackets)?;
        let port = if rest.is_empty() { "" } else { rest.strip_prefix(':').ok_or_else(brackets)? };
        (host, port)
    } else {
        text.split_once(':').unwrap_or((text, ""))
    };
    let port = if port.is_empty() { None } else { Some(port.parse().map_err(|_| Expected::new(EXPECTED))?) };
    if host.is_empty() { Err(Expected::new(EXPECTED)) } else { Ok((host, port)) }
}

#[cfg(test)]
mod tests;
