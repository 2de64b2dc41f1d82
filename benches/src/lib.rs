//! What every benchmark needs: fair rounds, goals that are met or missed, and the options all of them take.
//!
//! A benchmark here compares. A number of nanoseconds says something about the machine; how many times faster than the
//! contestant beside it, in the same run, says something about the code.

mod client;
mod goal;
mod options;
mod punctual;
mod rounds;
mod stock;

pub use client::{Answers, request, scatter};
pub use goal::{Goal, conclude};
pub use options::{Options, Output};
pub use punctual::Punctual;
pub use rounds::{Nanoseconds, Rounds};
pub use stock::{StockedJob, uid};
