//! Why a file cannot be used.

use std::fmt;

use crate::limits;

/// Why a file cannot be used. A message never repeats anything of the file or the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The text is no base64.
    NotBase64,
    /// The text is longer than the limit.
    TooLarge,
    /// The bytes are no PFX file.
    NotPfx,
    /// The password does not open the file.
    WrongPassword,
    /// The file is protected in a way that is not supported; the name of that way.
    Unsupported(String),
    /// The file asks for more rounds of hashing than the limit.
    TooSlow,
    /// There is no private key in the file.
    NoKey,
    /// No key in the file is of a kind that TLS can use here.
    UnusableKey,
    /// There is no certificate for the key in the file.
    NoCertificate,
}

impl Error {
    /// What was found.
    pub fn found(&self) -> String {
        let found = match self {
            Self::NotBase64 => "a text that is not base64",
            Self::TooLarge => return format!("more than {} characters", limits::BASE64_CHARS_MAX),
            Self::NotPfx => "something that is not a PFX file, or a damaged one",
            Self::WrongPassword => "a password that does not open the PFX file",
            Self::Unsupported(name) => return format!("a PFX file protected with {name}"),
            Self::TooSlow => return format!("a PFX file that takes more than {} rounds to open", limits::ROUNDS_MAX),
            Self::NoKey => "a PFX file without a private key",
            Self::UnusableKey => "a PFX file with a private key of another kind",
            Self::NoCertificate => "a PFX file without the certificate of its private key",
        };
        found.to_owned()
    }

    /// What would be right.
    pub const fn expected(&self) -> &'static str {
        match self {
            Self::NotBase64 => "the bytes of a PFX file in base64",
            Self::TooLarge => "a PFX file with one key, its certificate and those of its issuers",
            Self::NotPfx => "a PFX (PKCS #12) file; PEM files are made into one by `openssl pkcs12 -export`",
            Self::WrongPassword => "the one it was exported with; if it is, the file is damaged",
            Self::Unsupported(_) => "one exported with AES or 3DES, and a password",
            Self::TooSlow => "one exported with fewer iterations, such as 10000",
            Self::NoKey => "one exported with the private key",
            Self::UnusableKey => "RSA of 2048 to 8192 bits, ECDSA on P-256, P-384 or P-521, or Ed25519",
            Self::NoCertificate => "one exported with the certificate",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; expected {}", self.found(), self.expected())
    }
}

impl std::error::Error for Error {}
