//! The binary, seen from outside, and the rules of the house.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cli;
mod house;
mod served;
