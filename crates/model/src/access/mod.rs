//! Who may do what.
//!
//! [`Claimants`] are people or programs that can prove who they are, a [`Scope`] is a part of the server, and a [`Role`]
//! says what may be done there. An assignment ties the three together; the [`Grants`] of a caller are the assignments that
//! apply to that caller. How callers prove who they are is not decided in this crate.

mod claimants;
mod grants;
mod role;
mod scope;
mod token_id;

pub use claimants::Claimants;
pub use grants::{Grant, Grants};
pub use role::Role;
pub use scope::Scope;
pub use token_id::TokenId;

#[cfg(test)]
mod tests;
