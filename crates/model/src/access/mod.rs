//! Who may do what.
//!
//! A [`Claimants`] is somebody who can prove who they are, a [`Scope`] is a part of the server, and a [`Role`] says what
//! may be done there. An assignment ties the three together; the [`Grants`] of a caller are what is left of all
//! assignments once it is known who is calling. How somebody proves who they are is no matter of this crate.

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
