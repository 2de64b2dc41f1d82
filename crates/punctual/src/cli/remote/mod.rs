//! Commands that ask a running server.

mod client;
mod role;
mod secrets;
mod table;
mod token;

pub(crate) use role::Command as Role;
pub(crate) use secrets::Command as Secrets;
pub(crate) use token::Command as Token;

use clap::ValueEnum;

/// How a list is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people
    Table,
    /// For programs
    Json,
}
