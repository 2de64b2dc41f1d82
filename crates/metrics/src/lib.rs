//! What the server counts of itself, and how Prometheus reads it.
//!
//! ```text
//!   engine ──┐                                     ┌──▶ Prometheus text
//!            ├──▶ Metrics: counters, gauges, ──────┼──▶ OpenMetrics
//!   api ─────┘    histograms of atomics            └──▶ families of values, for OTLP
//! ```
//!
//! Counting is an addition to an atomic number: no lock, no allocation, no label to look up. Whatever has labels is found
//! once, when it becomes known ([`Collections::of_job`]), and kept by who counts.

mod api_requests;
mod collections;
mod engine;
mod family;
mod format;
mod histogram;
mod metrics;
mod number;
mod process;
mod render;
mod text;

pub use api_requests::ApiRequests;
pub use collections::{CollectionMetrics, Collections};
pub use engine::{EngineMetrics, HeartbeatMetrics, STORE_TASKS, TelemetryDropped};
pub use family::{Durations, Family, Kind, Number, Series, Value};
pub use format::Format;
pub use histogram::Histogram;
pub use metrics::Metrics;
pub use number::{Counter, Gauge};
