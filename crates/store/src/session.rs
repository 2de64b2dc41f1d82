//! Sessions of the console as the store gives and takes them.

use punctual_model::access::TokenId;
use punctual_model::time::Timestamp;

/// A session: somebody has signed in. Its secret is not kept, only the hash of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEntry {
    /// SHA-256 of the secret that the browser shows.
    pub hash: [u8; 32],
    /// Who has signed in.
    pub owner: SessionOwner,
    /// When the session began.
    pub issued: Timestamp,
    /// From when on the session is over.
    pub expires: Timestamp,
    /// What the console keeps with the session, in its own words. It stands in clear: it is no place for secrets.
    pub record: String,
}

/// Who has signed in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SessionOwner {
    /// Somebody who has shown this token. The session ends with the token.
    Token(TokenId),
    /// Somebody for whom an identity provider speaks: issuer and subject, written as in [`Stamp::who`](crate::Stamp::who).
    Subject(String),
}
