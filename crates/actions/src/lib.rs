//! How a job touches the world.
//!
//! The engine decides when; this crate does it, once, and says how it went. One folder per kind of action: `http`,
//! [`storage_queue`], [`service_bus`] and [`email`]. All of them go out through the same door: a name is looked up (`dns`), every
//! address of it is checked ([`egress`]), and the checked address is connected to (`connect`).
//!
//! Nothing here knows the schedule or the store. A failed attempt is an [`Outcome`], never an error.

mod actions;
mod certificates;
mod coarse_clock;
mod connect;
mod credential;
mod dns;
pub mod egress;
pub mod email;
mod endpoint;
mod executor;
mod failure;
mod fill;
mod foresight;
mod http;
mod limits;
mod oauth;
mod operator;
mod operator_post;
mod post;
mod proxy;
pub mod service_bus;
mod settings;
pub mod storage_queue;
mod stream;
mod tls;
mod trace;
pub mod upkeep;

pub use actions::Actions;
pub use endpoint::ServiceEndpoint;
pub use executor::{Call, Executor, HostTrouble, Outcome};
pub use foresight::{Foresight, Obstacle};
pub use oauth::Authority;
pub use operator::{OperatorAnswer, OperatorClient, OperatorRequest, Precondition};
pub use operator_post::OperatorPost;
pub use proxy::Proxy;
pub use settings::{Error, LookUp, Settings};
pub use trace::{AttemptTrace, CallTrace, ConnectStep, ConnectStepKind};
