//! Attempts in the real world: real connections to a receiver that behaves as badly as it is told.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod bodies;
mod client_certificates;
mod email;
mod failures;
mod http2;
mod job;
mod names;
mod oauth;
mod operator;
mod placeholders;
mod proxy;
mod receiver;
mod redirects;
mod requests;
mod reuse;
mod secrets;
mod service_bus_rest;
mod signatures;
mod storage_queue;
mod time;
mod tls;
mod traces;
