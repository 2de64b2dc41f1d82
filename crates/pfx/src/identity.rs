//! The certificate and the key that are taken from a file.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use crate::certificate::Certificate;
use crate::error::Error;
use crate::file::Found;
use crate::hex::upper_hex;
use crate::key::{self, PrivateKey};

/// A certificate with its private key, and what is shown of it.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The certificate in DER, then that of its issuer and so on, as far as they are in the file.
    pub chain: Vec<Vec<u8>>,
    /// The key of the first certificate.
    pub key: PrivateKey,
    /// The SHA-1 of the certificate in upper-case hexadecimal digits, as Windows shows it.
    pub thumbprint: String,
    /// Since when the certificate is valid.
    pub valid_from_unix_seconds: i64,
    /// Until when the certificate is valid.
    pub expires_unix_seconds: i64,
    /// Whose certificate it is, such as `CN=example.com,O=Example,C=DE` (RFC 4514: the innermost name first).
    pub subject: String,
}

impl Identity {
    /// The first key that has a certificate, with those of its issuers.
    pub(crate) fn choose(found: &Found) -> Result<Self, Error> {
        if found.keys.is_empty() {
            return Err(Error::NoKey);
        }
        // A certificate that cannot be parsed belongs to no key.
        let certificates: Vec<_> = found.certificates.iter().filter_map(|der| Certificate::parse(der)).collect();
        let mut is_any_usable = false;
        for key in &found.keys {
            let Some(public_key) = key::public_key(key) else { continue };
            is_any_usable = true;
            if let Some(leaf) = certificates.iter().position(|certificate| certificate.public_key == public_key) {
                return Ok(Self::new(certificates, leaf, PrivateKey::new(key.clone())));
            }
        }
        Err(if is_any_usable { Error::NoCertificate } else { Error::UnusableKey })
    }

    fn new(mut certificates: Vec<Certificate<'_>>, leaf: usize, key: PrivateKey) -> Self {
        let mut chain = vec![certificates.remove(leaf)];
        // Each is taken once, so that two that name each other do not go round in circles.
        while let Some(at) = chain.last().and_then(|last| issuer_of(last, &certificates)) {
            chain.push(certificates.remove(at));
        }
        let leaf = &chain[0];
        Self {
            thumbprint: upper_hex(digest(&SHA1_FOR_LEGACY_USE_ONLY, leaf.der).as_ref()),
            valid_from_unix_seconds: leaf.valid_from_unix_seconds,
            expires_unix_seconds: leaf.expires_unix_seconds,
            subject: leaf.subject_text(),
            chain: chain.iter().map(|certificate| certificate.der.to_vec()).collect(),
            key,
        }
    }
}

/// Which of the other certificates is that of the issuer. None for a certificate that is its own issuer.
fn issuer_of(certificate: &Certificate<'_>, others: &[Certificate<'_>]) -> Option<usize> {
    let is_issuer = |other: &Certificate<'_>| other.subject == certificate.issuer;
    if is_issuer(certificate) { None } else { others.iter().position(is_issuer) }
}
