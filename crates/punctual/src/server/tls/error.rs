//! What can be wrong with a certificate.

use std::io;
use std::path::PathBuf;

/// Why a certificate cannot be used, and the file that has to be looked at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    /// The file is not there, or not ours to read.
    #[error("cannot read {}: {reason}", file.display())]
    Unreadable { file: PathBuf, reason: io::Error },
    /// The file cannot be written.
    #[error("cannot write {}: {reason}", file.display())]
    Unwritable { file: PathBuf, reason: io::Error },
    /// There is nothing in it that is a certificate.
    #[error("{} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)", file.display())]
    NoCertificate { file: PathBuf },
    /// There is nothing in it that is a private key. What there is, is not shown: it may be one.
    #[error("{} holds no private key in PEM form (-----BEGIN PRIVATE KEY-----), or one with a password", file.display())]
    NoKey { file: PathBuf },
    /// The two do not belong together.
    #[error("the private key in {} is not that of the first certificate in {}", key.display(), certificate.display())]
    KeyDoesNotFit { certificate: PathBuf, key: PathBuf },
    /// The two are of a kind that TLS does not use.
    #[error("{} with {} cannot be used for TLS: {reason}", certificate.display(), key.display())]
    Unusable { certificate: PathBuf, key: PathBuf, reason: String },
    /// Our own authority did not sign.
    #[error(
        "the authority in {} cannot sign a certificate for this server: {reason}. Remove it to get a new one, which the \
         clients have to be told to trust",
        authority.display()
    )]
    Authority { authority: PathBuf, reason: String },
}
