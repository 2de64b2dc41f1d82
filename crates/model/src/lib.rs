//! What a job is, when it is due, and what happens next.
//!
//! Everything here is a function of its arguments. There is no I/O, no async code, no clock and no chance in this crate:
//! `now` is a value that the caller brings, and a decision is a value that the caller carries out. JSON stays outside,
//! too: the API's wire types are parsed into these, and a value of these types is valid because it exists.

pub mod access;
pub mod action;
pub mod alert;
pub mod audit;
pub mod collection;
pub mod dispatch;
mod edit_distance;
pub mod event;
pub mod explain;
pub mod failure;
pub mod health;
pub mod history;
pub mod job;
pub mod labels;
pub mod lane;
pub mod limits;
pub mod moved_runs;
mod name;
pub mod occurrence;
pub mod options;
pub mod pause;
pub mod placeholder;
mod plural;
pub mod progress;
pub mod recurrence;
pub mod resume;
pub mod resumption;
pub mod retry;
pub mod revise;
pub mod settle;
pub mod tally;
mod target_pattern;
pub mod terms;
pub mod time;
mod violation;

pub use edit_distance::edit_distance;
pub use name::Name;
pub use plural::{in_words, plural};
pub use target_pattern::TargetPattern;
pub use violation::{Expected, Problem, Violation, Warning};
