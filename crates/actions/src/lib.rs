//! How a job touches the world.
//!
//! The engine decides when; this crate does it, once, and says how it went. One file or folder per kind of action: today
//! `http`, later storage queues and the Service Bus beside it. All of them go out through the same door: a name is looked
//! up (`names`), every address of it is checked ([`egress`]), and the checked address is connected to (`connect`).
//!
//! Nothing here knows the schedule or the store. A failed attempt is an [`Outcome`], never an error.

mod actions;
mod connect;
pub mod egress;
mod failure;
mod http;
mod names;
mod perform;
mod proxy;
mod pulse;
mod settings;
mod stream;
mod tls;

pub use actions::Actions;
pub use perform::{Call, Outcome, Perform, Strain};
pub use proxy::Proxy;
pub use settings::{Error, LookUp, Settings};
