//! A line of history.

use punctual_model::Name;
use punctual_model::failure::Failure;
use punctual_model::history::{NotRun, Record, Status};
use punctual_model::occurrence::Original;
use punctual_store::PauseEntry;

use super::Writer;
use super::members::Members;
use super::resource::Resource;
use crate::wire::json::Json;

/// What an answer says about an attempt, or about times that were not run.
#[derive(Clone, Copy, Debug)]
pub struct HistoryView<'a> {
    /// The path of the job.
    pub job_id: &'a str,
    /// The collection the job is in.
    pub collection: &'a Name,
    /// The job.
    pub job: &'a Name,
    /// The key of the record as text, which is its name below the job.
    pub key: &'a str,
    /// What happened.
    pub record: &'a Record,
    /// Whether the occurrence had moved on when the attempt ended.
    pub is_duplicate: bool,
    /// The pause in which times were not run, where it is known.
    pub pause: Option<&'a PauseEntry>,
}

impl HistoryView<'_> {
    /// The resource, as the writer's dialect has it.
    pub fn write(&self, writer: &Writer) -> Json {
        let Self { job_id, collection, job, key, .. } = self;
        let parents = [("collection", collection.as_str()), ("job", job.as_str())];
        let id = format!("{job_id}/history/{key}");
        Resource { id: &id, kind: "jobCollections/jobs/history", parents: &parents, name: key }.write(
            Members::new(),
            self.properties(writer),
            writer,
        )
    }

    fn properties(&self, writer: &Writer) -> Members {
        let record = self.record;
        let (nominal, range) = match record.status {
            Status::Completed(nominal) | Status::Failed(nominal) => (nominal, None),
            // The last one, as that is the occurrence whose tag is beside it.
            Status::Postponed(range) => (range.last, Some(range)),
        };
        let is_flat = writer.dialect.is_flat();
        let is_backfill = is_flat && record.origin.original() == Some(Original::Backfill);
        let reason = range.filter(|_| is_flat).map(|range| range.reason.name());
        let retry_at = record.retry_at.filter(|_| is_flat);
        // A duplicate ended beside the attempt that counts, which says how it goes on.
        let is_followed = record.retry_at.is_some() || self.is_duplicate;
        Members::new()
            .add("startTime", record.started.to_string())
            .add("endTime", record.ended.to_string())
            .add("expectedExecutionTime", nominal.to_string())
            .add_some("status", writer.dialect.execution_status(record.status.kind(), is_followed))
            .add_some("reason", reason)
            .add("message", &record.message)
            .add_some("failure", record.failure.as_ref().filter(|_| is_flat).map(failure))
            .add_some("retryTime", retry_at.map(|at| at.to_string()))
            .add("retryCount", record.retry)
            .add("repeatCount", record.repeat)
            .add("actionName", writer.dialect.as_described(record.phase.action_name()))
            .add("executionTag", record.occurrence.to_string())
            .add_some("origin", is_backfill.then_some("backfill"))
            .add_some("resent", record.is_resent.then_some(true))
            .add_some("notRun", range.as_ref().map(|range| self.not_run(range)))
    }

    /// Times that were not run, with who wanted it so.
    fn not_run(&self, range: &NotRun) -> Json {
        not_run_members(range)
            .add_some("by", self.pause.map(|pause| &pause.paused_by))
            .add_some("since", self.pause.map(|pause| pause.since.to_string()))
            .into_json()
    }
}

/// Why an attempt failed.
pub(super) fn failure(failure: &Failure) -> Json {
    Members::new()
        .add("class", failure.class.name())
        .add_some("code", failure.code.map(u64::from))
        .add("host", &failure.host)
        .add("reason", failure.sentence())
        .into_json()
}

/// Times that were not run.
pub(super) fn not_run(range: &NotRun) -> Json {
    not_run_members(range).into_json()
}

fn not_run_members(range: &NotRun) -> Members {
    Members::new()
        .add("first", range.first.to_string())
        .add("last", range.last.to_string())
        .add("number", range.number)
        .add("reason", range.reason.name())
}
