//! Where jobs live.
//!
//! What is here so far is what every database will hold: the [`record`]s that definitions are written as, and the
//! [`seal`] that keeps the actions among them from being read. The databases themselves come next.

pub mod record;
pub mod seal;
