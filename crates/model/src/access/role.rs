//! What may be done within a scope.

use std::fmt;

use crate::Expected;

/// What may be done within a scope. Each role may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads collections, jobs and their history. Queries of addresses, header values and bodies are masked.
    Reader,
    /// Writes, runs and deletes jobs and collections, and sees what a job sends. Secrets are not shown to anyone.
    Contributor,
    /// On the whole server: manages its tokens, assignments and secrets. On less: no more than a contributor.
    Owner,
}

impl Role {
    /// From the least to the most powerful.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Contributor, Self::Owner];

    /// Its name in settings, the API and the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Contributor => "contributor",
            Self::Owner => "owner",
        }
    }

    /// Finds a role by its name, in any case.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let found = Self::ALL.into_iter().find(|role| role.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| Expected::new(format!("one of {}", Self::ALL.map(Self::name).join(", "))))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
