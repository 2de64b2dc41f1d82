//! An OpenID Connect issuer with one key, and tokens of it, right and wrong.

use async_trait::async_trait;
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use punctual_api::auth::oidc::{Algorithm, Fetch, Issuer};
use serde_json::{Value, json};

use crate::server::{NOW, instant};

pub(super) const ADDRESS: &str = "https://issuer.example";

pub(super) struct TestIssuer {
    key: EcdsaKeyPair,
}

impl TestIssuer {
    pub(super) fn new() -> Self {
        Self { key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap() }
    }

    /// How a server is told of it.
    pub(super) fn configured() -> Issuer {
        let (issuer, audience) = (ADDRESS.to_owned(), "punctual".to_owned());
        Issuer { issuer, audience, skew_seconds: 60, algorithms: vec![Algorithm::Es256, Algorithm::Rs256] }
    }

    /// What it says of a member of `group`, with some claims changed.
    fn claims(group: &str, changes: &Value) -> Value {
        let now = instant(NOW).seconds();
        let mut claims =
            json!({ "iss": ADDRESS, "aud": "punctual", "sub": "ada", "groups": [group], "exp": now + 600 });
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    }

    fn message(algorithm: &str, claims: &Value) -> String {
        let header = json!({ "typ": "JWT", "alg": algorithm, "kid": "k1" });
        format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()))
    }

    /// A token that it signed.
    pub(super) fn token(&self, group: &str, changes: &Value) -> String {
        let message = Self::message("ES256", &Self::claims(group, changes));
        let signature = self.key.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", encoded(signature))
    }

    /// One that nobody signed.
    pub(super) fn unsigned(group: &str) -> String {
        format!("{}.", Self::message("none", &Self::claims(group, &json!({}))))
    }

    /// One that somebody signed with what everybody knows.
    pub(super) fn signed_with_the_public_key(&self, group: &str) -> String {
        let message = Self::message("HS256", &Self::claims(group, &json!({})));
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.key.public_key().as_ref());
        format!("{message}.{}", encoded(hmac::sign(&key, message.as_bytes())))
    }

    /// One whose claims were changed after it was signed.
    pub(super) fn changed(&self, from: &str, to: &str) -> String {
        let token = self.token(from, &json!({}));
        let signature = token.rsplit_once('.').unwrap().1;
        format!("{}.{signature}", Self::message("ES256", &Self::claims(to, &json!({}))))
    }
}

#[async_trait]
impl Fetch for TestIssuer {
    async fn get(&self, url: &str, _bytes_max: usize) -> Result<Vec<u8>, String> {
        let keys = format!("{ADDRESS}/keys");
        let document = if url == keys {
            let (x, y) = self.key.public_key().as_ref()[1..].split_at(32);
            json!({ "keys": [{ "kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "x": encoded(x), "y": encoded(y) }] })
        } else {
            json!({ "issuer": ADDRESS, "jwks_uri": keys })
        };
        Ok(document.to_string().into_bytes())
    }
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
