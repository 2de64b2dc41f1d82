//! Names of collections and jobs.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::{Expected, limits};

/// The name of a collection or a job: kept as it was first written, compared without case.
#[derive(Clone)]
pub struct Name {
    written: Box<str>,
    folded: Box<str>,
}

impl Name {
    /// Takes a name that can stand in a path.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let is_right = |c: char| !c.is_control() && !matches!(c, '/' | '\\' | '?' | '#' | '%');
        let length = text.chars().count();
        if matches!(text, "." | "..") {
            return Err(Expected::new("a name; these dots mean a place in an address, and clients take them out"));
        }
        if (1..=limits::NAME_CHARS_MAX).contains(&length) && text.chars().all(is_right) {
            Ok(Self { written: text.into(), folded: text.to_lowercase().into() })
        } else {
            Err(Expected::new("1 to 260 characters, none of / \\ ? # % and no control characters"))
        }
    }

    /// As it was first written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The form in which two names are compared.
    pub fn folded(&self) -> &str {
        &self.folded
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.folded.cmp(&other.folded)
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.folded.hash(state);
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.written)
    }
}
