//! Commands that ask a running server.

mod audit;
mod client;
mod due;
mod events;
mod failures;
mod pause;
mod role;
mod secrets;
mod table;
mod token;

pub(crate) use audit::Audit;
pub(crate) use due::Due;
pub(crate) use events::Events;
pub(crate) use failures::Failures;
pub(crate) use pause::{Pause, Resume};
pub(crate) use role::Command as Role;
pub(crate) use secrets::Command as Secrets;
pub(crate) use token::Command as Token;
