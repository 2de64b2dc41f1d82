//! How an HTTP action shows who it is.

use super::Secret;
use crate::time::Timestamp;

/// The credentials of an HTTP action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authentication<S = Secret> {
    /// A certificate with its key, as a PFX file in base64.
    ClientCertificate {
        /// The file.
        pfx: S,
        /// Its password, which may be empty.
        password: S,
        /// The fingerprint of the certificate, where it is known: by it a client names the one that is stored.
        thumbprint: Option<String>,
        /// What the file says of itself, once it was read.
        info: Option<CertificateInfo>,
    },
    /// User name and password.
    Basic {
        /// The user.
        username: String,
        /// The password.
        password: S,
    },
    /// A token from Microsoft Entra ID (OAuth 2 client credentials).
    OAuth {
        /// The directory that issues it.
        tenant: String,
        /// Whom it is for.
        audience: String,
        /// Who asks.
        client_id: String,
        /// The client's secret.
        secret: S,
    },
}

/// What is shown of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateInfo {
    /// Until when it is valid.
    pub expires: Timestamp,
    /// Whose it is.
    pub subject: String,
}

impl<S> Authentication<S> {
    /// Its `type` in the API.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::ClientCertificate { .. } => "ClientCertificate",
            Self::Basic { .. } => "Basic",
            Self::OAuth { .. } => "ActiveDirectoryOAuth",
        }
    }
}
