//! Which targets somebody means, in the words in which people name them.

use core::net::Ipv6Addr;

use crate::Expected;
use crate::action::Address;

const EXPECTED: &str = "a host with or without its port, an account and a queue as account/queue, or a namespace and an entity as \
                        namespace/entity, without a path";

/// A target as somebody names it: `api.example.com`, `api.example.com:8443`, `https://api.example.com`, `account/queue`,
/// `namespace/entity`, or an account or a namespace alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPattern {
    /// A host, with brackets around an IPv6 address, or an account or a namespace.
    head: String,
    rest: Rest,
}

/// What must stand behind the head.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Rest {
    /// Any port, queue, or entity.
    Any,
    /// This port; none for the two that the web has by default, which labels leave out.
    Port(Option<u16>),
    /// This queue or entity.
    Entity(String),
}

impl TargetPattern {
    /// Reads what somebody has written.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        if text.contains("://") {
            let (head, port) = host_and_port(text)?;
            return Ok(Self { head, rest: Rest::Port(port) });
        }
        if let Some((head, entity)) = text.split_once('/') {
            return if head.is_empty() || entity.is_empty() {
                Err(Expected::new(EXPECTED))
            } else {
                Ok(Self { head: head.to_owned(), rest: Rest::Entity(entity.to_owned()) })
            };
        }
        let is_bare_ip = text.parse::<Ipv6Addr>().is_ok();
        let has_port = !is_bare_ip && split_port(text).1.is_some();
        let (head, port) =
            host_and_port(&format!("https://{}", if is_bare_ip { format!("[{text}]") } else { text.to_owned() }))?;
        Ok(Self { head, rest: if has_port { Rest::Port(port) } else { Rest::Any } })
    }

    /// Whether the target of that label (see [`Target::label`](crate::action::Target::label)) is one of those that are meant.
    pub fn matches(&self, label: &str) -> bool {
        match (label.split_once('/'), &self.rest) {
            (Some((head, _)), Rest::Any) => self.is_head(head),
            (Some((head, entity)), Rest::Entity(wanted)) => self.is_head(head) && wanted.eq_ignore_ascii_case(entity),
            (None, Rest::Any) => self.is_head(split_port(label).0),
            (None, Rest::Port(wanted)) => {
                let (host, port) = split_port(label);
                port == *wanted && self.is_head(host)
            }
            (Some(_), Rest::Port(_)) | (None, Rest::Entity(_)) => false,
        }
    }

    /// Whether this is the host, the account or the namespace that is meant. Of what is known no more than that, such as a failure,
    /// port, queue and entity are not looked at.
    pub fn matches_host(&self, host: &str) -> bool {
        self.is_head(host) || self.head.strip_prefix('[').and_then(|head| head.strip_suffix(']')) == Some(host)
    }

    fn is_head(&self, head: &str) -> bool {
        self.head.eq_ignore_ascii_case(head)
    }
}

/// The host of an address in its one spelling, and its port as labels have it. The address must have nothing else.
fn host_and_port(address: &str) -> Result<(String, Option<u16>), Expected> {
    let address = Address::parse(address).map_err(|_| Expected::new(EXPECTED))?;
    let is_bare =
        matches!(address.path_and_query(), "" | "/") && address.fragment().is_none() && address.user_info().is_none();
    if !is_bare {
        return Err(Expected::new(EXPECTED));
    }
    let key = address.host_key();
    let (host, port) = split_port(&key);
    Ok((host.to_owned(), port))
}

/// A host with its brackets, and the port behind it, if there is one.
fn split_port(text: &str) -> (&str, Option<u16>) {
    let split = text.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
    split.map_or((text, None), |(host, port)| (host, Some(port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_as_people_name_them() {
        for (text, label, is_meant) in [
            ("api.example.com", "api.example.com", true),
            ("API.example.com.", "api.example.com", true),
            ("api.example.com", "api.example.com:8443", true),
            ("example.com", "api.example.com", false),
            ("api.example.com:443", "api.example.com", true),
            ("api.example.com:80", "api.example.com", true),
            ("api.example.com:443", "api.example.com:8443", false),
            ("api.example.com:8443", "api.example.com:8443", true),
            ("api.example.com:8443", "api.example.com", false),
            ("https://api.example.com", "api.example.com", true),
            ("https://api.example.com/", "api.example.com", true),
            ("https://api.example.com", "api.example.com:8443", false),
            ("http://api.example.com:8443", "api.example.com:8443", true),
            ("127.0.0.1", "127.0.0.1:20101", true),
            ("127.1:20101", "127.0.0.1:20101", true),
            ("127.0.0.1:20101", "127.0.0.1:20102", false),
            ("::1", "[::1]:8080", true),
            ("[::1]", "[::1]", true),
            ("[0::1]:8080", "[::1]:8080", true),
            ("[::1]:443", "[::1]", true),
            ("[::1]:8081", "[::1]:8080", false),
            ("account/orders", "account/orders", true),
            ("Account/Orders", "account/orders", true),
            ("account", "account/orders", true),
            ("account", "accounts/orders", false),
            ("account:443", "account/orders", false),
            ("account/orders", "account/returns", false),
            ("account/orders", "account", false),
            ("namespace/topics/a", "namespace/topics/a", true),
        ] {
            let pattern = TargetPattern::parse(text).unwrap();
            assert_eq!(pattern.matches(label), is_meant, "{text} {label}");
        }
    }

    #[test]
    fn the_host_of_a_failure_says_less_than_a_label() {
        for (text, host, is_meant) in [
            ("h:8080", "h", true),
            ("h", "h", true),
            ("h", "other", false),
            ("[::1]:8080", "::1", true),
            ("account/orders", "account", true),
        ] {
            assert_eq!(TargetPattern::parse(text).unwrap().matches_host(host), is_meant, "{text} {host}");
        }
    }

    #[test]
    fn what_names_no_target() {
        for text in [
            "",
            "/",
            "account/",
            "/orders",
            "h:99999",
            "h:port",
            "https://",
            "https://h/path",
            "https://h?q",
            "ftp://h",
            "a b",
        ] {
            assert!(TargetPattern::parse(text).is_err(), "{text}");
        }
    }
}
