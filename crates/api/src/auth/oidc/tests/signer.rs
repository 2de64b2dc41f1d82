//! Keys made for a test, and tokens signed with them. The signatures come from the cryptographic library itself and not
//! from that which checks tokens, so that both have to be right.

use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
    Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::changed;

/// A private key, and what an issuer publishes of it.
pub(super) struct Signer {
    pub(super) header: Value,
    pub(super) jwk: Value,
    sign: Box<Sign>,
}

type Sign = dyn Fn(&[u8]) -> Vec<u8> + Send + Sync;

pub(super) fn base64url(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    pub(super) fn es256(id: &str) -> Self {
        Self::ec(id, "ES256", "P-256", &ECDSA_P256_SHA256_FIXED_SIGNING)
    }

    pub(super) fn es384(id: &str) -> Self {
        Self::ec(id, "ES384", "P-384", &ECDSA_P384_SHA384_FIXED_SIGNING)
    }

    fn ec(id: &str, algorithm: &str, curve: &str, signing: &'static EcdsaSigningAlgorithm) -> Self {
        let pair = EcdsaKeyPair::generate(signing).unwrap();
        let (x, y) = pair.public_key().as_ref()[1..].split_at(pair.public_key().as_ref().len() / 2);
        let jwk = json!({ "kty": "EC", "crv": curve, "x": base64url(x), "y": base64url(y) });
        let sign = move |message: &[u8]| pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec();
        Self::new(id, algorithm, jwk, sign)
    }

    pub(super) fn rs256(id: &str) -> Self {
        Self::rsa(id, "RS256", &RSA_PKCS1_SHA256)
    }

    pub(super) fn ps256(id: &str) -> Self {
        Self::rsa(id, "PS256", &RSA_PSS_SHA256)
    }

    fn rsa(id: &str, algorithm: &str, encoding: &'static dyn RsaEncoding) -> Self {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
        let modulus = pair.public_key().modulus().big_endian_without_leading_zero().to_vec();
        let jwk = json!({ "kty": "RSA", "n": base64url(modulus), "e": "AQAB" });
        let sign = move |message: &[u8]| {
            let mut signature = vec![0; pair.public_modulus_len()];
            pair.sign(encoding, &SystemRandom::new(), message, &mut signature).unwrap();
            signature
        };
        Self::new(id, algorithm, jwk, sign)
    }

    pub(super) fn ed25519(id: &str) -> Self {
        let pair = Ed25519KeyPair::generate().unwrap();
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": base64url(pair.public_key()) });
        Self::new(id, "EdDSA", jwk, move |message: &[u8]| pair.sign(message).as_ref().to_vec())
    }

    /// Signs with a secret, which is what somebody else takes for a public key.
    pub(super) fn hs256(id: &str, secret: &[u8]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let jwk = json!({ "kty": "oct", "k": base64url(secret) });
        Self::new(id, "HS256", jwk, move |message: &[u8]| hmac::sign(&key, message).as_ref().to_vec())
    }

    fn new(id: &str, algorithm: &str, jwk: Value, sign: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let header = json!({ "typ": "JWT", "alg": algorithm, "kid": id });
        Self { header, jwk: changed(jwk, &json!({ "kid": id, "use": "sig" })), sign: Box::new(sign) }
    }

    pub(super) fn token(&self, claims: &Value) -> String {
        self.token_with(&json!({}), claims)
    }

    /// A token with some members of its header set or, by `null`, removed.
    pub(super) fn token_with(&self, header: &Value, claims: &Value) -> String {
        let header = changed(self.header.clone(), header);
        let message = format!("{}.{}", base64url(header.to_string()), base64url(claims.to_string()));
        let signature = (self.sign)(message.as_bytes());
        format!("{message}.{}", base64url(signature))
    }
}
