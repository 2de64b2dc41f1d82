//! The public part of a token.

use std::fmt;

use crate::Expected;

/// The public part of a token: enough to find it by and to speak about it, of no use to sign in with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(Box<str>);

impl TokenId {
    /// Characters in it. The 60 bits in them are unlikely to come twice among a billion tokens.
    pub const CHARS: usize = 12;

    /// Takes the public part of a token.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let is_right = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        if text.len() == Self::CHARS && text.bytes().all(is_right) {
            Ok(Self(text.into()))
        } else {
            Err(Expected::new("12 lower-case letters and digits, the middle part of a token"))
        }
    }

    /// As it stands in the token.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
