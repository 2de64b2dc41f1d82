//! How an HTTP action shows who it is.

use super::Secret;
use crate::time::Timestamp;
use crate::{Expected, limits};

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
    /// Since when it is valid.
    pub valid_from: Timestamp,
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

/// Checks the name of a user: Basic authentication puts a colon after it.
pub fn check_username(name: &str) -> Result<(), Expected> {
    let is_right = |c: char| !c.is_control() && c != ':';
    let length = name.chars().count();
    if (1..=limits::CREDENTIAL_CHARS_MAX).contains(&length) && name.chars().all(is_right) {
        Ok(())
    } else {
        let max = limits::CREDENTIAL_CHARS_MAX;
        Err(Expected::new(format!("a user name: 1 to {max} characters, no colon and no control characters")))
    }
}

/// Checks the directory of a token, which is a part of the address it comes from.
pub fn check_tenant(name: &str) -> Result<(), Expected> {
    let is_right = (1..=253).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'.' || c == b'-')
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("..");
    if is_right {
        Ok(())
    } else {
        Err(Expected::new("a directory: its id, or a domain such as contoso.onmicrosoft.com"))
    }
}

/// Checks a password, a key, a client or an audience: not too long, and nothing a terminal or a header would trip over.
pub fn check_credential(text: &str) -> Result<(), Expected> {
    if text.chars().count() > limits::CREDENTIAL_CHARS_MAX {
        Err(Expected::new(format!("at most {} characters", limits::CREDENTIAL_CHARS_MAX)))
    } else if text.chars().any(char::is_control) {
        Err(Expected::new("no line breaks and no control characters"))
    } else {
        Ok(())
    }
}

/// Checks that a certificate is base64 of a size someone can mean; what is in it shows when it is opened.
pub fn check_pfx(text: &str) -> Result<(), Expected> {
    let digits = text.trim_end_matches('=');
    let is_right = (1..=limits::PFX_CHARS_MAX).contains(&text.len())
        && text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'+' || c == b'/');
    if is_right {
        Ok(())
    } else {
        Err(Expected::new(format!("a PFX file in base64 of at most {} characters", limits::PFX_CHARS_MAX)))
    }
}
