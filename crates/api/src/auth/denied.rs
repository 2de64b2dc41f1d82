//! Why somebody is not let in.

use punctual_model::time::Timestamp;

use crate::limits;

/// Why somebody is not let in.
///
/// As text it says everything, for a log. The caller is told less: [`Denied::description`] says what to mend, and nothing
/// about what this server would have taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// There is another scheme in the header, or none.
    #[error("the header Authorization is not «Bearer» and a token")]
    NotBearer,
    /// Longer than tokens are.
    #[error("the token has {bytes} bytes, more than {}", limits::BEARER_BYTES_MAX)]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The token cannot be read.
    #[error("the token cannot be read: {0}")]
    Malformed(&'static str),
    /// The token is none of ours, or was revoked.
    #[error("the token is not known: it was revoked, or is of another server")]
    UnknownToken,
    /// Nobody told this server to trust the issuer.
    #[error("the token is from the issuer {issuer}, which is not configured")]
    UnknownIssuer {
        /// What the token says, quoted.
        issuer: String,
    },
    /// The issuer is not configured for the algorithm.
    #[error("the token is signed with {algorithm}; configured for {issuer} is {configured}")]
    Algorithm {
        /// What the token says, quoted.
        algorithm: String,
        /// The issuer.
        issuer: String,
        /// What would have been right.
        configured: String,
    },
    /// The token was made for another server.
    #[error("the token is meant for {audience}, not for {expected:?}")]
    Audience {
        /// Whom it is meant for, quoted.
        audience: String,
        /// The audience configured.
        expected: String,
    },
    /// The token has expired.
    #[error("the token expired at {at}, and now is {now}")]
    Expired {
        /// When.
        at: Timestamp,
        /// When it was tried.
        now: Timestamp,
    },
    /// The token is not valid yet.
    #[error("the token is valid from {from} on, and now is {now}")]
    NotYetValid {
        /// From when on.
        from: Timestamp,
        /// When it was tried.
        now: Timestamp,
    },
    /// The issuer has no such key, as far as we know.
    #[error("the token is signed with the key {key}; {issuer} has none of that name for {algorithm}")]
    UnknownKey {
        /// What the token says, quoted.
        key: String,
        /// The issuer.
        issuer: String,
        /// What the key has to be for.
        algorithm: &'static str,
    },
    /// The token does not say which of several keys signed it.
    #[error("the token does not name its key; {issuer} has {count} for {algorithm}")]
    UnnamedKey {
        /// The issuer.
        issuer: String,
        /// How many keys it could be.
        count: usize,
        /// What the key has to be for.
        algorithm: &'static str,
    },
    /// The token was changed, or signed with another key.
    #[error("the signature is not that of {issuer}")]
    Signature {
        /// The issuer.
        issuer: String,
    },
    /// The issuer could not be asked for its keys, ever. Not the caller's fault.
    #[error("the keys of {issuer} are not known: {reason}")]
    NoKeys {
        /// The issuer.
        issuer: String,
        /// Why the last attempt failed.
        reason: String,
    },
}

impl Denied {
    /// What the caller is told, in the characters that `error_description` may have.
    pub const fn description(&self) -> &'static str {
        match self {
            Self::NotBearer => "a bearer token is needed",
            Self::TooLong { .. } => "the token is too long",
            Self::Malformed(_) => "the token cannot be read",
            Self::UnknownToken => "the token is not known",
            Self::UnknownIssuer { .. } => "the issuer of the token is not trusted here",
            Self::Algorithm { .. } => "the token is signed with an algorithm that is not taken",
            Self::Audience { .. } => "the token is meant for somebody else",
            Self::Expired { .. } => "the token has expired",
            Self::NotYetValid { .. } => "the token is not valid yet",
            Self::UnknownKey { .. } => "the token is signed with an unknown key",
            Self::UnnamedKey { .. } => "the token does not say which key it is signed with",
            Self::Signature { .. } => "the signature of the token is wrong",
            Self::NoKeys { .. } => "the keys of the issuer cannot be fetched at the moment",
        }
    }

    /// The value of `WWW-Authenticate`. Who sent no bearer token is only told that one is needed (RFC 6750, section 3).
    pub fn challenge(&self) -> String {
        match self {
            Self::NotBearer => "Bearer".to_owned(),
            _ => format!(r#"Bearer error="invalid_token", error_description="{}""#, self.description()),
        }
    }
}

/// What a stranger wrote, made fit for a log: in quotes, escaped, and not long.
pub(super) fn quoted(text: &str) -> String {
    /// Enough to recognise a value by.
    const CHARS_MAX: usize = 100;
    match text.char_indices().nth(CHARS_MAX) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}
