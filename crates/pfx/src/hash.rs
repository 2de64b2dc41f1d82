//! The hash functions that a file can name, and what is made of them.

use aws_lc_rs::{digest, hmac, pbkdf2};

use crate::oid;

/// A hash function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// The function with this identifier.
    pub(crate) fn of_digest(identifier: &[u8]) -> Option<Self> {
        Some(match identifier {
            oid::SHA1 => Self::Sha1,
            oid::SHA224 => Self::Sha224,
            oid::SHA256 => Self::Sha256,
            oid::SHA384 => Self::Sha384,
            oid::SHA512 => Self::Sha512,
            _ => return None,
        })
    }

    /// The function whose HMAC has this identifier, if keys can be derived with it.
    pub(crate) fn of_hmac(identifier: &[u8]) -> Option<Self> {
        Some(match identifier {
            oid::HMAC_SHA1 => Self::Sha1,
            oid::HMAC_SHA256 => Self::Sha256,
            oid::HMAC_SHA384 => Self::Sha384,
            oid::HMAC_SHA512 => Self::Sha512,
            _ => return None,
        })
    }

    pub(crate) const fn digest(self) -> &'static digest::Algorithm {
        match self {
            Self::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            Self::Sha224 => &digest::SHA224,
            Self::Sha256 => &digest::SHA256,
            Self::Sha384 => &digest::SHA384,
            Self::Sha512 => &digest::SHA512,
        }
    }

    pub(crate) const fn hmac(self) -> hmac::Algorithm {
        match self {
            Self::Sha1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            Self::Sha224 => hmac::HMAC_SHA224,
            Self::Sha256 => hmac::HMAC_SHA256,
            Self::Sha384 => hmac::HMAC_SHA384,
            Self::Sha512 => hmac::HMAC_SHA512,
        }
    }

    /// PBKDF2 with this function. None for SHA-224, which the library lacks and no program uses for this.
    pub(crate) const fn pbkdf2(self) -> Option<pbkdf2::Algorithm> {
        Some(match self {
            Self::Sha1 => pbkdf2::PBKDF2_HMAC_SHA1,
            Self::Sha224 => return None,
            Self::Sha256 => pbkdf2::PBKDF2_HMAC_SHA256,
            Self::Sha384 => pbkdf2::PBKDF2_HMAC_SHA384,
            Self::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
        })
    }

    /// How many hashes a key of this length is made of.
    pub(crate) const fn blocks(self, key_length: usize) -> usize {
        key_length.div_ceil(self.digest().output_len)
    }
}
