//! JSON at the door. What comes in is read into the types of the model, or everything that is wrong with it is said;
//! what goes out is written by [`view`], in the [`Dialect`] that the client reads.
//!
//! ```text
//!   text ──▶ Json ──▶ Object, Value ──▶ Definition, Timing, CollectionInput
//!            shape    names, spellings      the model's own rules
//!                         │                         │
//!                         └───────── Findings ──────┘   violations and warnings, each with its path
//! ```
//!
//! The wire knows the shape: types, names of members, spellings, and what is taken although it is not quite right. Ranges
//! and combinations belong to the model. Reading never stops at the first mistake: a part that cannot be read is reported
//! and left out, and what is left out makes the whole fail at the end.
//!
//! A warning names what was ignored or bent. The short forms we offer ourselves (no `properties`, no `type`, no `method`)
//! and the members only the server sets (`id`, `status`, …), which a client writes back because it read them, are neither.

mod access;
mod action;
mod alert;
mod authentication;
mod backfill;
mod bulk;
mod certificate;
mod collection;
mod dialect;
mod diff;
mod disable;
mod email;
mod findings;
mod group;
mod http;
mod job;
mod json;
mod merge;
mod near_miss;
mod object;
mod options;
mod path;
mod pause;
mod recurrence;
mod relaxed;
mod rerun;
mod resource;
mod retry;
mod schedule;
mod service_bus;
mod storage_queue;
mod timing;
mod value;
pub mod view;

pub use access::{parse_assignment_json, parse_token_json};
pub use alert::{check_alert_name, parse_alert_json, parse_mute_json};
pub use backfill::parse_backfill_json;
pub(crate) use bulk::{BulkInput, BulkItem, parse_bulk_json};
pub use collection::parse_collection_json;
pub use dialect::{Dialect, Extent};
pub use disable::parse_disable_json;
pub use findings::Unknown;
pub use group::parse_group_json;
pub use job::{parse_job, parse_job_json};
pub use json::{Json, MemberName, Number};
pub use merge::{merge_collection, merge_job};
pub(crate) use near_miss::{did_you_mean, no_such};
pub(crate) use object::below;
pub use pause::{parse_pause_json, parse_resume_json};
pub use rerun::parse_rerun_json;
pub(crate) use resource::answered_bytes;
pub use timing::parse_timing;

pub use crate::input::{
    AlertInput, AssignmentInput, BackfillInput, BackfillWhich, CollectionInput, DisableInput, GroupInput, JobInput,
    Parsed, RerunInput, Timing, TokenInput,
};

#[cfg(test)]
mod tests;
