//! Nothing shared yet.
