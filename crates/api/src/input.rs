//! What someone asks for, in the types of the model: JSON is read into these, and operations take them.

use std::collections::BTreeMap;

use punctual_model::access::{Claimants, Grant};
use punctual_model::action::{Action, Secret};
use punctual_model::alert::Alert;
use punctual_model::collection::{CollectionState, Quota, Sku};
use punctual_model::job::{Definition, State};
use punctual_model::labels::Labels;
use punctual_model::recurrence::Recurrence;
use punctual_model::time::{Start, Timestamp};
use punctual_model::{Name, TargetPattern, Warning};
use punctual_store::CollectionKey;

/// A value that was read, and what had to be ignored or bent for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// What its writer should know.
    pub warnings: Vec<Warning>,
}

/// What a client says about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobInput {
    /// The job it asks for.
    pub definition: Definition<Option<Secret>>,
    /// The state it named.
    ///
    /// A client that writes back what it read may name one that only the server gives, `Completed` or `Faulted`. Whether
    /// that is a change at all is for who knows the stored job.
    pub state: Option<State>,
    /// Words to find the job by.
    pub labels: Labels,
}

/// Why a job is disabled, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisableInput {
    /// Why, for who finds it disabled.
    pub note: Option<String>,
    /// When it is to be enabled again; none if somebody will do that.
    pub until: Option<Timestamp>,
}

/// Past times that are to run now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackfillInput {
    /// The first instant of the range.
    pub from: Timestamp,
    /// The instant before which the range ends.
    pub to: Timestamp,
    /// How far apart the runs start, at least, in milliseconds.
    pub spacing_ms: u32,
    /// Which of the times in the range.
    pub which: BackfillWhich,
    /// Whether it is only said what would run.
    pub is_dry_run: bool,
}

/// Which times a backfill runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackfillWhich {
    /// Those of which no attempt was made.
    #[default]
    NotRun,
    /// All of them, also those that have run.
    All,
}

/// When a job runs: its start and its recurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// When it starts.
    pub start: Option<Start>,
    /// When it runs again.
    pub recurrence: Option<Recurrence>,
    /// Whether it runs at all, where that is said.
    pub state: Option<State>,
    /// Where these members stood: in `properties`, or at the top.
    pub path: &'static str,
}

/// What a client says about a collection; everything may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionInput {
    /// Where the collection is.
    pub location: Option<String>,
    /// The user's own labels.
    pub tags: Option<BTreeMap<String, String>>,
    /// The plan.
    pub sku: Option<Sku>,
    /// Whether the jobs of the collection run.
    pub state: Option<CollectionState>,
    /// Limits of the collection's own.
    pub quota: Option<Quota>,
}

/// What a client says about a resource group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupInput {
    /// Where the group is.
    pub location: Option<String>,
    /// The user's own labels.
    pub tags: Option<BTreeMap<String, String>>,
}

/// A token that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInput {
    /// What the token is for.
    pub description: String,
    /// The instant from which the token is refused.
    pub expires: Option<Timestamp>,
    /// What the holder of the token may do.
    pub grants: Vec<Grant>,
}

/// A role that is to be assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssignmentInput {
    /// To whom.
    pub claimants: Claimants,
    /// Which role, and where.
    pub grant: Grant,
}

/// What a client says about an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertInput {
    /// What is watched, and how often it is told.
    pub alert: Alert,
    /// What is done to tell.
    pub action: Action<Option<Secret>>,
}

/// Which failures are to be run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RerunInput {
    /// Failures since this instant.
    pub since: Timestamp,
    /// Failures up to this instant.
    pub until: Option<Timestamp>,
    /// Failures in this collection only; otherwise in every one that the caller may write.
    pub collection: Option<CollectionKey>,
    /// Failures of this job of the collection only.
    pub job: Option<Name>,
    /// Failures of jobs that call this target only.
    pub target: Option<TargetPattern>,
}
