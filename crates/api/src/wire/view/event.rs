//! An event as JSON.

use punctual_model::event::{AttemptEvent, Event, EventKind};
use punctual_model::time::TICKS_PER_MILLISECOND;
use punctual_store::{EventPlace, HistoryKey};

use super::history::{failure, not_run};
use super::members::Members;
use crate::wire::json::Json;

/// The path of what an event is about, in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPath<'a> {
    /// The subscription.
    pub subscription: &'a str,
    /// The resource group.
    pub group: &'a str,
    /// The collection.
    pub collection: &'a str,
    /// The job; none where the event is about the collection itself.
    pub job: Option<&'a str>,
}

impl<'a> EventPath<'a> {
    /// The path of an event; none where it is about the server.
    pub fn of(event: &'a Event) -> Option<Self> {
        let mut names = event.path.as_deref()?.splitn(4, '/');
        let mut name = || names.next();
        Some(Self { subscription: name()?, group: name()?, collection: name()?, job: name() })
    }

    fn collection_id(&self) -> String {
        let Self { subscription, group, collection, .. } = self;
        format!(
            "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Scheduler/\
             jobCollections/{collection}"
        )
    }

    fn job_id(&self) -> Option<String> {
        self.job.map(|job| format!("{}/jobs/{job}", self.collection_id()))
    }
}

/// The id of the record of an attempt, in the history of its job.
fn record(attempt: &AttemptEvent, place: EventPlace) -> Option<String> {
    HistoryKey::new(attempt.started, place.history).map(HistoryKey::to_id)
}

/// What is told of an event, which stands at that place. Nothing of what was sent or answered is in it, but for the status.
pub fn write_event(event: &Event, place: EventPlace) -> Json {
    let path = EventPath::of(event);
    let members = Members::new()
        .add("type", event.kind.name())
        .add("time", event.at.to_string())
        .add_some("collectionId", path.filter(|path| path.job.is_none()).map(|path| path.collection_id()))
        .add_some("jobId", path.and_then(|path| path.job_id()))
        .add_some("collection", path.map(|path| path.collection))
        .add_some("job", path.and_then(|path| path.job));
    match &event.kind {
        EventKind::Started(started) => attempt(members, started),
        EventKind::Ended { attempt: ended, retry_at, failure: reason, .. } => attempt(members, ended)
            .add_some("retryTime", retry_at.map(|at| at.to_string()))
            .add_some("record", record(ended, place))
            .add_some("failure", reason.as_ref().map(failure)),
        EventKind::Skipped(range) => members.add("notRun", not_run(range)),
        EventKind::Edited(edit) => members.add("edit", edit.name()),
        EventKind::ClockJumped { ticks } => members.add("milliseconds", ticks / TICKS_PER_MILLISECOND),
        EventKind::HistoryDropped { name, bytes } => members.add("name", name).add("bytes", *bytes),
    }
    .into_json()
}

/// The words of history for the same things.
fn attempt(members: Members, attempt: &AttemptEvent) -> Members {
    members
        .add("startTime", attempt.started.to_string())
        .add("expectedExecutionTime", attempt.nominal.to_string())
        .add("retryCount", attempt.retry)
        .add("actionName", attempt.phase.action_name())
        .add("executionTag", attempt.occurrence.to_string())
        .add_some("resent", attempt.is_resent.then_some(true))
}
