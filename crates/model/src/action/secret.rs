//! Something that goes in and does not come out.

use std::fmt;

/// What answers show in the place of a value that their reader may not see. Sent back, the mask stands for the value that is
/// stored there; it is never stored itself.
pub const MASK: &str = "***";

/// A password, key, token or certificate. It never shows itself in a message.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Takes the secret.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// Whether a client sent back the mask instead of the secret that it never saw.
    pub fn is_mask(&self) -> bool {
        *self.0 == *MASK
    }

    /// Shows it: to the target it is meant for, and to the store that seals it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
