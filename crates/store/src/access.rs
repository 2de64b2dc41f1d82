//! Tokens and role assignments as the store gives and takes them.

use punctual_model::access::{Claimants, Grant, TokenId};
use punctual_model::time::Timestamp;

/// A token that a client may show. The token itself is not kept, only its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenEntry {
    /// Its public part.
    pub id: TokenId,
    /// SHA-256 of its text.
    pub hash: [u8; 32],
    /// What it is for, in its maker's words.
    pub description: String,
    /// When it was made.
    pub created: Timestamp,
    /// From when on it is not taken any more.
    pub expires: Option<Timestamp>,
    /// What it may do.
    pub grants: Vec<Grant>,
}

/// What everyone with a certain claim of an issuer may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignmentEntry {
    /// Its number.
    pub id: i64,
    /// Who.
    pub claimants: Claimants,
    /// May do what.
    pub grant: Grant,
}
