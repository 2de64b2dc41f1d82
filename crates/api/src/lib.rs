//! HTTP in and out.

pub mod wire;
