//! Private keys.

use std::fmt;

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P521_SHA512_ASN1_SIGNING, EcdsaKeyPair,
    Ed25519KeyPair, KeyPair, RsaKeyPair,
};
use zeroize::Zeroizing;

/// A private key that TLS can use. Its bytes are overwritten when the value is dropped.
#[derive(Clone)]
pub struct PrivateKey(Zeroizing<Vec<u8>>);

impl PrivateKey {
    pub(crate) const fn new(pkcs8_der: Zeroizing<Vec<u8>>) -> Self {
        Self(pkcs8_der)
    }

    /// The key in PKCS #8, DER.
    pub fn pkcs8_der(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(…)")
    }
}

/// The public key that belongs to a private one, as a certificate holds it; none if TLS cannot use the private key.
pub(crate) fn public_key(pkcs8_der: &[u8]) -> Option<Vec<u8>> {
    if let Ok(key) = RsaKeyPair::from_pkcs8(pkcs8_der) {
        return Some(key.public_key().as_ref().to_vec());
    }
    for curve in [&ECDSA_P256_SHA256_ASN1_SIGNING, &ECDSA_P384_SHA384_ASN1_SIGNING, &ECDSA_P521_SHA512_ASN1_SIGNING] {
        if let Ok(key) = EcdsaKeyPair::from_pkcs8(curve, pkcs8_der) {
            return Some(key.public_key().as_ref().to_vec());
        }
    }
    let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(pkcs8_der).ok()?;
    Some(key.public_key().as_ref().to_vec())
}
