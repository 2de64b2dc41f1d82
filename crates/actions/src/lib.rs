//! How a job touches the world.
mod perform;
pub use perform::{Call, Outcome, Perform, Strain};
