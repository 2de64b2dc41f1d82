//! How a token may be signed.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve};
use punctual_model::Expected;

/// How a token may be signed: with a private key, always. `none` and those with a shared secret (HS256) cannot be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA, PKCS #1 v1.5, SHA-256: what nearly every issuer uses.
    Rs256,
    /// RSA, PKCS #1 v1.5, SHA-384.
    Rs384,
    /// RSA, PKCS #1 v1.5, SHA-512.
    Rs512,
    /// RSA, PSS, SHA-256.
    Ps256,
    /// RSA, PSS, SHA-384.
    Ps384,
    /// RSA, PSS, SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// The name of the algorithm in settings and tokens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    /// Finds one by its name, which has exactly one case.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let found = Self::ALL.into_iter().find(|algorithm| algorithm.name() == text);
        found.ok_or_else(|| Expected::new(format!("one of {}", Self::ALL.map(Self::name).join(", "))))
    }

    /// Whether a key is of the kind that this needs.
    pub(super) fn fits(self, key: &AlgorithmParameters) -> bool {
        match key {
            AlgorithmParameters::RSA(_) => !matches!(self, Self::Es256 | Self::Es384 | Self::EdDsa),
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => self == Self::Es256,
                EllipticCurve::P384 => self == Self::Es384,
                _ => false,
            },
            AlgorithmParameters::OctetKeyPair(key) => self == Self::EdDsa && key.curve == EllipticCurve::Ed25519,
            _ => false,
        }
    }

    /// What the library calls it.
    pub(super) const fn of_library(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
            Self::Rs384 => jsonwebtoken::Algorithm::RS384,
            Self::Rs512 => jsonwebtoken::Algorithm::RS512,
            Self::Ps256 => jsonwebtoken::Algorithm::PS256,
            Self::Ps384 => jsonwebtoken::Algorithm::PS384,
            Self::Ps512 => jsonwebtoken::Algorithm::PS512,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
            Self::Es384 => jsonwebtoken::Algorithm::ES384,
            Self::EdDsa => jsonwebtoken::Algorithm::EdDSA,
        }
    }
}
