//! What the fuzz targets share.
//!
//! A target is one file in `targets/`, named in `Cargo.toml`, with at least one example of its input in
//! `seeds/<target>/`; `targets/duration.rs` is the shortest one to copy. `scripts/fuzz` finds it by its file.

mod bytes;
mod deadline;
mod explain;
mod parts;

pub use bytes::Bytes;
pub use deadline::within_deadline;
pub use explain::explain;
pub use parts::{instant, recurrence_parts};
