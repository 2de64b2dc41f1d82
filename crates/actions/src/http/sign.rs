//! Signatures after the Standard Webhooks scheme: a target that knows the key can tell that a call comes from here, that it
//! was not changed, and when it was made.

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use punctual_model::action::Signing;
use punctual_model::occurrence::Phase;

use crate::executor::Call;

/// Takes whatever the model takes for a key.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Puts the headers of the signature of a call with this body.
pub(super) fn put_headers(call: &Call, signing: &Signing, body: &str, put: &mut dyn FnMut(&str, &str)) {
    let (id, timestamp) = (id(call), call.started.seconds().to_string());
    // A key that is no key signs nothing: better no signature than one that anybody can make.
    let Some(signature) = signature(signing, &id, &timestamp, body) else { return };
    put("webhook-id", &id);
    put("webhook-timestamp", &timestamp);
    put("webhook-signature", &signature);
}

fn signature(signing: &Signing, id: &str, timestamp: &str, body: &str) -> Option<String> {
    let key = LENIENT.decode(signing.key.expose().strip_prefix(Signing::KEY_PREFIX)?).ok()?;
    let tag = sign(&Key::new(HMAC_SHA256, &key), format!("{id}.{timestamp}.{body}").as_bytes());
    Some(format!("v1,{}", STANDARD.encode(tag)))
}

/// The id of the message. Every attempt has the same, by which a target knows a message that it has had already. The error action is another message than the
/// one that failed.
fn id(call: &Call) -> String {
    let occurrence = u128::from_be_bytes(call.occurrence.bytes());
    match call.phase {
        Phase::Main => format!("{occurrence:032x}"),
        Phase::Error => format!("{occurrence:032x}-error"),
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::action::Secret;

    use super::*;

    fn signed(key: &str, id: &str, timestamp: &str, body: &str) -> Option<String> {
        signature(&Signing { key: Secret::new(key) }, id, timestamp, body)
    }

    /// The example of the scheme's own documents.
    #[test]
    fn the_example_of_the_scheme() {
        let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let signature = signed(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", r#"{"test": 2432232314}"#);
        assert_eq!(signature.unwrap(), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn keys_with_and_without_padding_are_the_same() {
        let keys = ["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"];
        let [padded, bare] = keys.map(|key| signed(key, "id", "0", "").unwrap());
        assert_eq!(padded, bare);
        assert_eq!(signed("no key", "id", "0", ""), None);
    }
}
