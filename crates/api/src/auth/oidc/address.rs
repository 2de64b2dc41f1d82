//! Where an issuer may live.

use http::Uri;
use punctual_model::{Expected, limits};

use crate::auth::loopback::is_loopback;

/// How an address is protected from those who could change what it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// By TLS.
    Tls,
    /// By never leaving this machine.
    Loopback,
}

/// Checks an absolute address and says how it is protected; one that is not, is refused.
pub(super) fn protection(text: &str) -> Result<Protection, Expected> {
    let expected = || Expected::new("an address with https, or with http on this machine itself");
    let uri: Uri = text.parse().map_err(|_| expected())?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(expected)?;
    let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    if has_user || text.len() > limits::URI_CHARS_MAX {
        return Err(expected());
    }
    match uri.scheme_str() {
        Some("https") => Ok(Protection::Tls),
        Some("http") if is_loopback(host) => Ok(Protection::Loopback),
        _ => Err(expected()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Protection, protection};

    #[test]
    fn only_what_cannot_be_changed_on_the_way_is_taken() {
        for right in ["https://a.example", "https://a.example:8443/x?y=z", "HTTPS://A.EXAMPLE", "https://127.0.0.1/"] {
            assert_eq!(protection(right), Ok(Protection::Tls), "{right}");
        }
        for right in
            ["http://localhost", "http://LOCALHOST:80/x", "http://127.1.2.3:8080", "http://[::1]:8080/realms/x"]
        {
            assert_eq!(protection(right), Ok(Protection::Loopback), "{right}");
        }
        let wrong = [
            "",
            "/keys",
            "localhost",
            "localhost:80",
            "https:",
            "https://",
            "https:///keys",
            "http://a.example",
            "http://localhost.a.example",
            "http://127.0.0.1.a.example",
            "http://localhost@a.example",
            "https://user:password@a.example",
            "http://a.example#@localhost",
            "http://a.example\\@localhost",
            "http://10.0.0.1",
            "http://0.0.0.0",
            "ftp://localhost",
            "file:///etc/passwd",
            "https://a.example/ b",
        ];
        for wrong in wrong {
            assert!(protection(wrong).is_err(), "{wrong}");
        }
        assert!(protection(&format!("https://a.example/{}", "x".repeat(3000))).is_err());
    }
}
