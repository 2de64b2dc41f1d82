//! The public keys of an issuer.

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{DecodingKey, crypto};
use serde_json::Value;

use super::super::Denied;
use super::super::denied::quoted;
use super::algorithm::Algorithm;
use super::jwt::Jwt;
use crate::limits;

/// The public keys of an issuer that signatures can be checked with.
#[derive(Debug)]
pub(super) struct KeySet {
    issuer: String,
    keys: Vec<Key>,
}

#[derive(Debug)]
struct Key {
    id: Option<String>,
    /// The only algorithm it is for, if the issuer says so.
    algorithm: Option<KeyAlgorithm>,
    parameters: AlgorithmParameters,
    decoding: DecodingKey,
}

impl KeySet {
    /// Reads the document with the keys. Those that cannot be used are left out, as RFC 7517 wants it: an issuer may
    /// have keys for others beside ours.
    pub(super) fn parse(issuer: &str, document: &Value) -> Result<Self, String> {
        let keys = document.get("keys").and_then(Value::as_array).ok_or("the document has no list «keys»")?;
        if keys.len() > limits::OIDC_KEYS_MAX {
            return Err(format!("the document has {} keys, more than {}", keys.len(), limits::OIDC_KEYS_MAX));
        }
        Ok(Self { issuer: issuer.to_owned(), keys: keys.iter().filter_map(Key::parse).collect() })
    }

    /// Whether a token that says this of itself can be checked.
    pub(super) fn has(&self, key_id: Option<&str>, algorithm: Algorithm) -> bool {
        self.candidates(key_id, algorithm).next().is_some()
    }

    /// Checks that the issuer has signed the token.
    ///
    /// A token that names its key is checked with every key of that name, since nothing keeps an issuer from giving two
    /// keys one name. One that does not is checked only if there is no choice.
    pub(super) fn check_signature(&self, jwt: &Jwt<'_>, algorithm: Algorithm) -> Result<(), Denied> {
        let candidates: Vec<&Key> = self.candidates(jwt.key_id.as_deref(), algorithm).collect();
        let issuer = self.issuer.clone();
        match (&jwt.key_id, candidates.len()) {
            (Some(id), 0) => Err(Denied::UnknownKey { key: quoted(id), issuer, algorithm: algorithm.name() }),
            (Some(_), _) | (None, 1) if candidates.iter().any(|key| key.has_signed(jwt, algorithm)) => Ok(()),
            (Some(_), _) | (None, 1) => Err(Denied::Signature { issuer }),
            (None, count) => Err(Denied::UnnamedKey { issuer, count, algorithm: algorithm.name() }),
        }
    }

    fn candidates(&self, key_id: Option<&str>, algorithm: Algorithm) -> impl Iterator<Item = &Key> {
        let is_named = move |key: &&Key| key_id.is_none() || key.id.as_deref() == key_id;
        self.keys.iter().filter(is_named).filter(move |key| key.fits(algorithm))
    }
}

impl Key {
    fn parse(value: &Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
        let is_for_signatures =
            jwk.common.public_key_use.as_ref().is_none_or(|r#use| *r#use == PublicKeyUse::Signature);
        let verifies = |operations: &Vec<KeyOperations>| operations.contains(&KeyOperations::Verify);
        let is_for_verifying = jwk.common.key_operations.as_ref().is_none_or(verifies);
        let is_usable = is_for_signatures && is_for_verifying;
        let decoding = is_usable.then(|| DecodingKey::from_jwk(&jwk).ok()).flatten()?;
        Some(Self { id: jwk.common.key_id, algorithm: jwk.common.key_algorithm, parameters: jwk.algorithm, decoding })
    }

    fn fits(&self, algorithm: Algorithm) -> bool {
        let is_allowed = self.algorithm.is_none_or(|only| only == KeyAlgorithm::from(algorithm.of_library()));
        is_allowed && algorithm.fits(&self.parameters)
    }

    fn has_signed(&self, jwt: &Jwt<'_>, algorithm: Algorithm) -> bool {
        let verified = crypto::verify(jwt.signature, jwt.message.as_bytes(), &self.decoding, algorithm.of_library());
        matches!(verified, Ok(true))
    }
}
