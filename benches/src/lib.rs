//! What every benchmark needs: fair rounds, goals that are met or missed, and the options all of them take.
//!
//! A benchmark here compares. A number of nanoseconds says something about the machine; how many times faster than the
//! contestant beside it, in the same run, says something about the code.

mod bare_client;
mod bench;
mod client;
pub mod clock;
mod goal;
mod histogram;
mod options;
mod punctual;
pub mod receiver;
mod report;
mod rounds;
mod selection;
mod stock;
mod stocked_job;

pub use bare_client::call;
pub use bench::{Bench, check_lead, paced};
pub use client::{Answers, request, scatter};
pub use goal::{Goal, conclude};
pub use histogram::Histogram;
pub use options::{Options, Output};
pub use punctual::Punctual;
pub use report::Report;
pub use rounds::{Nanoseconds, Rounds};
pub use selection::Selection;
pub use stock::{Job, Stock, job_name};
pub use stocked_job::{StockedJob, uid};
