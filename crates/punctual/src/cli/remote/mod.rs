//! Commands that ask a running server.

mod client;
mod role;
mod secrets;
mod table;
mod token;

pub(crate) use role::Command as Role;
pub(crate) use secrets::Command as Secrets;
pub(crate) use token::Command as Token;
