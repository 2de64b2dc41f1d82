//! What every store promises, tried through its trait, and what only the one inside the binary has: files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod conformance;

mod against_simulated;
mod copied;
mod engine;
mod lives;
mod place;
mod sample;
mod simulated;
mod sqlite;
