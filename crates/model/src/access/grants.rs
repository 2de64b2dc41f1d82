//! What one caller may do.

use super::{Role, Scope};

/// A role within a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What may be done.
    pub role: Role,
    /// Where.
    pub scope: Scope,
}

/// Everything one caller was granted. What nothing grants is forbidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(pub Vec<Grant>);

impl Grants {
    /// Owner of the whole server, as everybody is where nobody is asked who they are.
    pub fn everything() -> Self {
        Self(vec![Grant { role: Role::Owner, scope: Scope::Server }])
    }

    /// The highest role that holds on all of `scope`.
    pub fn role_on(&self, scope: &Scope) -> Option<Role> {
        self.0.iter().filter(|grant| grant.scope.covers(scope)).map(|grant| grant.role).max()
    }

    /// Whether the caller may do on all of `scope` what `role` may.
    pub fn allows(&self, role: Role, scope: &Scope) -> bool {
        self.role_on(scope).is_some_and(|granted| granted >= role)
    }

    /// Whether anything within `scope`, or all of it, may be seen. Such a caller may list what is in it, and is shown
    /// of that only what this is true for again.
    pub fn sees(&self, scope: &Scope) -> bool {
        self.reaches(Role::Reader, scope)
    }

    /// Whether the caller may do what `role` may on anything within `scope`, or on all of it.
    pub fn reaches(&self, role: Role, scope: &Scope) -> bool {
        let is_near = |grant: &Grant| grant.scope.covers(scope) || scope.covers(&grant.scope);
        self.0.iter().any(|grant| grant.role >= role && is_near(grant))
    }
}
