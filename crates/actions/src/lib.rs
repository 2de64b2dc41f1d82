//! How a job touches the world.
//!
//! The engine decides when; this crate does it, once, and says how it went. One folder per kind of action: `http`,
//! [`storage_queue`] and [`service_bus`]. All of them go out through the same door: a name is looked up (`names`), every
//! address of it is checked ([`egress`]), and the checked address is connected to (`connect`).
//!
//! Nothing here knows the schedule or the store. A failed attempt is an [`Outcome`], never an error.

mod actions;
mod certificates;
mod connect;
mod credential;
pub mod egress;
mod endpoint;
mod executor;
mod failure;
mod http;
mod limits;
mod names;
mod oauth;
mod post;
mod proxy;
mod pulse;
pub mod service_bus;
mod settings;
pub mod storage_queue;
mod stream;
mod tls;

pub use actions::Actions;
pub use endpoint::ServiceEndpoint;
pub use executor::{Call, Executor, HostTrouble, Outcome};
pub use oauth::Authority;
pub use proxy::Proxy;
pub use settings::{Error, LookUp, Settings};
