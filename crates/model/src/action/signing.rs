//! How HTTP calls show that they come from here: signed, after the Standard Webhooks scheme.

use super::Secret;
use crate::{Expected, limits};

/// Has the HTTP calls of a job signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signing<S = Secret> {
    /// The key: `whsec_` and base64.
    pub key: S,
}

impl Signing {
    /// What stands before every key, so that it is recognised where it should not be.
    pub const KEY_PREFIX: &str = "whsec_";
}

/// Whether a header belongs to the signature, which a job that is signed cannot set itself.
pub fn is_header_of_signature(name: &str) -> bool {
    name.get(.."webhook-".len()).is_some_and(|start| start.eq_ignore_ascii_case("webhook-"))
}

/// Checks that a key is one of the scheme: of a length within the limits, in base64, with or without padding at its end.
pub fn check_signing_key(text: &str) -> Result<(), Expected> {
    let digits = text.strip_prefix(Signing::KEY_PREFIX).map(|base64| base64.trim_end_matches('='));
    let is_right = digits.is_some_and(|digits| {
        let padding = text.len() - Signing::KEY_PREFIX.len() - digits.len();
        (limits::SIGNING_KEY_BYTES_MIN..=limits::SIGNING_KEY_BYTES_MAX).contains(&(digits.len() * 3 / 4))
            && digits.len() % 4 != 1
            && (padding == 0 || (digits.len() + padding).is_multiple_of(4) && padding <= 2)
            && digits.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'+' || c == b'/')
    });
    if is_right {
        Ok(())
    } else {
        let (min, max) = (limits::SIGNING_KEY_BYTES_MIN, limits::SIGNING_KEY_BYTES_MAX);
        Err(Expected::new(format!("whsec_ and base64 of {min} to {max} bytes")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let key = |digits: usize, padding: usize| format!("whsec_{}{}", "A".repeat(digits), "=".repeat(padding));
        for right in [
            key(32, 0),
            key(43, 1),
            key(43, 0),
            key(34, 2),
            key(86, 2),
            key(86, 0),
            "whsec_".to_owned() + &"a+/9".repeat(8),
        ] {
            assert_eq!(check_signing_key(&right), Ok(()), "{right}");
        }
        let wrong = [key(31, 1), key(33, 0), key(33, 3), key(43, 2), key(32, 4), key(87, 1), key(0, 0), "A".repeat(32)];
        for wrong in
            wrong.into_iter().chain([format!("whsec_{}-_", "A".repeat(30)), "WHSEC_".to_owned() + &"A".repeat(32)])
        {
            assert!(check_signing_key(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers() {
        assert!(is_header_of_signature("Webhook-Id") && is_header_of_signature("webhook-anything"));
        assert!(!is_header_of_signature("webhook") && !is_header_of_signature("x-webhook-id"));
        assert!(!is_header_of_signature("webhoo\u{e9}-"));
    }
}
