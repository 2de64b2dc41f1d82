//! Commands that ask a running server.

mod alert;
mod audit;
mod client;
mod cluster;
mod due;
mod events;
mod failures;
mod import;
mod incidents;
mod pause;
mod rerun;
mod role;
mod secrets;
pub(crate) mod table;
mod token;
mod top;

pub(crate) use alert::Command as Alert;
pub(crate) use audit::Audit;
pub(crate) use cluster::Command as Cluster;
pub(crate) use due::Due;
pub(crate) use events::Events;
pub(crate) use failures::Failures;
pub(crate) use import::Import;
pub(crate) use incidents::Incidents;
pub(crate) use pause::{Pause, Resume};
pub(crate) use rerun::Rerun;
pub(crate) use role::Command as Role;
pub(crate) use secrets::Command as Secrets;
pub(crate) use token::Command as Token;
pub(crate) use top::Top;
