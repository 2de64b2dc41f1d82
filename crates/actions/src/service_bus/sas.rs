//! Tokens of the Service Bus: a shared access signature, made with a key.

use std::borrow::Cow;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use punctual_model::action::Secret;
use punctual_model::time::Timestamp;

/// All but what no address has to escape.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A token that allows, until then, what the key allows on the resource, such as `https://namespace.example/queue`.
pub(crate) fn token(resource: &str, key_name: &str, key: &Secret, expires: Timestamp) -> Secret {
    let resource = encoded(&resource.to_ascii_lowercase());
    let expires = expires.seconds();
    // The text of the key is the key, although it looks like base64.
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.expose().as_bytes());
    let signature = hmac::sign(&key, format!("{resource}\n{expires}").as_bytes());
    let signature = encoded(&STANDARD.encode(signature));
    let key_name = encoded(key_name);
    Secret::new(format!("SharedAccessSignature sr={resource}&sig={signature}&se={expires}&skn={key_name}"))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// What must not be shown of a token: all of it, and its signature as it was before it was encoded.
pub(crate) fn secrets(token: &Secret) -> [Cow<'_, str>; 2] {
    let token = token.expose();
    let signature = token.split_once("&sig=").map_or("", |(_, rest)| rest.split('&').next().unwrap_or_default());
    [Cow::Borrowed(token), percent_decode_str(signature).decode_utf8_lossy()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Python's `hmac` and `urllib.parse.quote` make it.
    #[test]
    fn a_token() {
        let expires = Timestamp::from_seconds(1_800_003_601).unwrap();
        let token = token("https://NS.servicebus.windows.net/My/Queue", "Root Key", &Secret::new("dGVzdA=="), expires);
        let expected = "SharedAccessSignature sr=https%3A%2F%2Fns.servicebus.windows.net%2Fmy%2Fqueue\
                        &sig=IEZCemB4E1Fpym0gx%2FE1c1%2Bfd3H7wThgosRtVRjCHJ0%3D&se=1800003601&skn=Root%20Key";
        assert_eq!(token.expose(), expected);
    }
}
