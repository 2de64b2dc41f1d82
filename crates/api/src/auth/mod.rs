//! Who is calling.
//!
//! A caller sends a bearer token: one of ours, which the store knows by its hash, or a JWT of an OpenID Connect issuer
//! that the server was told to trust. Either proves who somebody is. What they may do is decided by
//! [`punctual_model::access`], from the assignments in the store.
//!
//! ```text
//!   Authorization ─ Bearer ─┬─ Token ── found by id(), compared by hash() ──────────────┬─ Grants
//!                           └─ Jwt ──── oidc::Verifier ── Claims ── is(claimants) ──────┘
//! ```

mod bearer;
mod claims;
mod denied;
mod gate;
mod loopback;
pub mod oidc;
mod token;

pub use bearer::Bearer;
pub use claims::Claims;
pub use denied::Denied;
pub use gate::{Authentication, refuse_foreign};
pub(crate) use gate::{Gate, Identity};
pub(crate) use token::looks_like_token;
pub use token::{Token, TokenHash};
