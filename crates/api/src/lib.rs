//! HTTP in and out: what a request means, who may make it, and how the answer is written.
//!
//! ```text
//!   request ─▶ route ─▶ who may ─▶ wire type ─▶ operation ─▶ wire type ─▶ answer
//!                                                  │
//!                                                  └─▶ model decides ─▶ one store transaction ─▶ event
//! ```
//!
//! [`Api::answer`] is a function from a request to an answer: connections, TLS and time limits are the server's.

mod answer;
mod api;
pub mod auth;
mod concurrently;
mod condition;
mod console;
mod events;
mod fault;
pub mod filter;
mod identify;
mod input;
pub mod limits;
mod logged_path;
mod long_work;
mod operations;
mod page;
mod plan;
pub mod preview;
mod query;
mod request;
mod route;
mod route_name;
mod routes;
pub mod status;
mod streams;
mod target_check;
pub mod wire;

pub use answer::Body;
pub use api::{Api, ApiSettings};
pub use events::EventStream;
pub use operations::{AuditLimits, Entropy, Nodes};
pub use plan::Plans;
pub use request::{BodyFault, Peer, RequestBody};
pub use route::DEFAULT_COLLECTION;
pub use routes::SCHEMA;
pub use target_check::{TargetCheck, TargetFlaw};
