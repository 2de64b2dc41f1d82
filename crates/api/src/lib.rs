//! HTTP in and out: what a request means, who may make it, and how the answer is written.
//!
//! ```text
//!   request ─▶ route ─▶ who may ─▶ wire type ─▶ model decides ─▶ one store transaction ─▶ wire type ─▶ answer
//! ```
//!
//! [`Api::answer`] is a function from a request to an answer: connections, TLS and time limits are the server's.

mod answer;
mod api;
pub mod auth;
mod condition;
mod events;
mod fault;
pub mod filter;
pub mod listing;
mod page;
mod plan;
mod query;
mod request;
mod route;
mod routes;
pub mod wire;

pub use answer::{Answer, Body};
pub use api::{Api, Entropy, Settings};
pub use events::EventStream;
pub use plan::Plans;
pub use request::{BodyFault, Peer};
pub use route::DEFAULT_COLLECTION;
