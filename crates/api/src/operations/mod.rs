//! What the API can be asked to do: one function per use case, whoever asks.
//!
//! ```text
//!   caller, input ─▶ condition ─▶ plan ─▶ model decides ─▶ one store transaction ─▶ what came of it
//! ```
//!
//! An operation takes and gives values of the model and the store. It knows no JSON and no HTTP: routes translate. A write
//! on the condition that nothing has changed since it was read is tried again if something has.

mod access;
mod alerts;
mod audit;
mod backfill;
mod caller;
mod cluster;
mod collection;
mod collection_walk;
mod delete_alert;
mod dry_run;
mod explain;
mod find;
mod group;
mod incidents;
mod job;
mod last_messages;
mod latest;
mod list;
mod list_jobs;
mod minutes;
mod pause;
mod rerun;
mod rerun_failed;
mod secrets;
mod status;
mod switch_job;
mod target_labels;
mod trouble;
mod upcoming;

use std::sync::Arc;

use punctual_metrics::Metrics;
use punctual_model::history::Status;
use punctual_model::job::Definition;
use punctual_store::{AlertStore, CollectionKey, Store};

pub(crate) use access::{NewToken, assign_role, create_token, revoke_token, unassign_role};
pub(crate) use alerts::{
    SavedAlert, find_alert, find_message, list_alerts, list_messages, may_write, mute_alert, save_alert, test_alert,
};
pub use audit::AuditLimits;
pub(crate) use audit::{AuditReport, UnexplainedRange, audit};
pub(crate) use backfill::{BackfillPlan, backfill, backfill_state, cancel_backfill, read_backfill};
pub(crate) use caller::{Caller, scope_of};
pub use cluster::Nodes;
pub(crate) use cluster::{Cluster, NodeState, read_cluster, set_draining};
pub(crate) use collection::{
    CollectionChange, SavedCollection, assume_collection, delete_collection, save_collection, switch_collection,
};
pub(crate) use collection_walk::list_visible_collections;
pub(crate) use delete_alert::delete_alert;
pub(crate) use dry_run::{
    AlertPlan, CollectionPlan, JobPlan, PlannedChange, plan_alert, plan_collection, plan_delete_alert,
    plan_delete_collection, plan_delete_job, plan_job,
};
pub(crate) use explain::{Explained, explain};
pub(crate) use find::{find_collection, find_group, find_job, find_record, next_run};
pub(crate) use group::{delete_group, save_group};
pub(crate) use incidents::{IncidentFilter, ListedIncident, list_incidents, mute_incident, show_incident};
pub(crate) use job::{JobChange, JobOrder, JobPatch, JobWish, SavedJob, delete_job, run_now, save_job};
pub(crate) use latest::{LatestWanted, list_latest};
pub(crate) use list::{Window, list_collections, list_groups, list_subscriptions};
pub(crate) use list_jobs::{JobPlace, JobsWanted, ListedJob, list_jobs};
pub(crate) use minutes::{count_due, count_past};
pub(crate) use pause::{PauseState, ResumptionReport, is_paused, pause, pause_state, resume};
pub(crate) use rerun::rerun;
pub(crate) use rerun_failed::{Left, RerunPlace, TouchedJob, rerun_failed};
pub(crate) use secrets::{RotationProgress, rotate_secrets};
pub(crate) use status::{moment, read_status, row_status};
pub(crate) use switch_job::switch_job;
pub(crate) use trouble::{Detail, Trouble, TroubleFilter, TroubleKind, list_failing, list_trouble, read_failing};
pub(crate) use upcoming::{Upcoming, list_upcoming};

use crate::plan::Plans;
use crate::target_check::{FlawedTarget, TargetCheck};

/// Where random bytes come from.
pub trait Entropy: Send + Sync {
    /// Fills these with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// What operations work with.
#[derive(Clone)]
pub(crate) struct Operations {
    pub(crate) store: Arc<dyn Store>,
    /// The same store, as alerts see it.
    pub(crate) alerts: Arc<dyn AlertStore>,
    pub(crate) plans: Plans,
    pub(crate) entropy: Arc<dyn Entropy>,
    /// None where nothing is known about targets.
    pub(crate) target_check: Option<Arc<dyn TargetCheck>>,
    /// Where it is counted what edits leave out.
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) audit_limits: AuditLimits,
    pub(crate) nodes: Nodes,
}

impl Operations {
    /// What is wrong with the targets of a job in a collection.
    pub(crate) fn flawed_targets(&self, definition: &Definition, collection: &CollectionKey) -> Vec<FlawedTarget> {
        let check = self.target_check.as_deref();
        check.map_or_else(Vec::new, |check| FlawedTarget::find(check, &definition.action, &scope_of(collection)))
    }

    /// Counts times that an edit of a job has left out.
    pub(crate) fn count_not_run(&self, key: &CollectionKey, statuses: &[Status]) {
        let ranges = statuses.iter().filter_map(|status| match status {
            Status::Postponed(range) => Some(range),
            Status::Completed(_) | Status::Failed(_) => None,
        });
        for range in ranges {
            let CollectionKey { subscription, group, collection } = key;
            let counted = self.metrics.collections.of_collection(&format!("{subscription}/{group}/{collection}"));
            counted.not_run[range.reason.index()].add(range.number);
        }
    }

    /// Random bytes.
    pub(crate) fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes);
        bytes
    }
}
