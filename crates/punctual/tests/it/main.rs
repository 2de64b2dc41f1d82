//! The binary, seen from outside, and the rules of the house.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cli;
mod house;
mod served;

use std::process::Command;

/// The binary, with no setting but those that a test gives it. What the tests themselves are told by `PUNCTUAL_TEST_…` would be
/// named by the binary as settings that it does not know.
fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PUNCTUAL_")) {
        command.env_remove(name);
    }
    // Whoever tests this may have servers of their own.
    command.env("XDG_CONFIG_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-contexts"));
    command
}
