//! What the model decides, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod edits;
mod execution;
mod life;
mod lives;
mod races;
