//! Whom a role is given to.

/// Everybody of whom an OpenID Connect issuer claims this. What a token of ours may do is kept with the token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claimants {
    /// The issuer, exactly as it names itself.
    pub issuer: String,
    /// The name of the claim, with dots where it lies inside of others: `realm_access.roles`.
    pub claim: String,
    /// What the claim must be, or hold if it is a list.
    pub value: String,
}
