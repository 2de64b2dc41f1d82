//! What a write would do, as it is answered.

use http::StatusCode;
use punctual_model::Warning;
use punctual_model::job::{Job, State};
use punctual_model::labels::Labels;
use punctual_model::moved_runs::MovedRuns;
use punctual_model::recurrence::Timetable;
use punctual_model::time::Timestamp;

use crate::answer::ApiAnswer;
use crate::condition::ETag;
use crate::limits::PLANNED_RUNS_SHOWN;
use crate::operations::{AlertPlan, CollectionPlan, JobPlan, PlannedChange};
use crate::wire::view::members::Members;
use crate::wire::view::{CollectionView, Writer, write_alert_definition, write_definition, write_differences};
use crate::wire::{Dialect, Extent, Json};

/// A plan as it is answered, and the tag of what is there now.
pub(super) struct Plan {
    pub(super) body: Members,
    pub(super) etag: Option<ETag>,
    pub(super) warnings: Vec<Warning>,
}

impl Plan {
    /// The plan of a request that asked for nothing else.
    pub(super) fn answer(self) -> ApiAnswer {
        let answer = ApiAnswer::json(StatusCode::OK, self.body.into_json());
        let answer = self.etag.iter().fold(answer, ApiAnswer::etag);
        answer.warnings(&self.warnings)
    }
}

/// All plans are written flat: members are named by their paths, which is shorter so.
fn writer() -> Writer {
    Writer::new(Dialect::PLAIN, Extent::One)
}

fn begun(change: PlannedChange, etag: Option<&ETag>) -> Members {
    Members::new().add("change", change.name()).add_some("etag", etag.map(ETag::as_str))
}

/// The plan of a job.
pub(super) fn job(plan: JobPlan) -> Plan {
    let etag = plan.before.as_ref().map(ETag::of_job);
    let mut body = begun(plan.change, etag.as_ref());
    if plan.change != PlannedChange::Unchanged {
        let before = plan.before.as_ref().map(|it| (&it.job, &it.annotations.labels));
        let after = plan.after.as_ref().map(|(job, labels)| (job, labels));
        let writer = writer();
        let written = |(job, labels): (&Job, &Labels)| definition(job, labels, &writer);
        let members = before.zip(after).map(|(old, new)| write_differences(&written(old), &written(new)));
        let when = [before, after].map(|it| it.map(|(job, _)| describe(job)));
        let when = (when[0] != when[1]).then(|| pair(when));
        let next = [plan.next_run_before, plan.next_run_after].map(|at| at.map(|at| at.to_string()));
        body = body
            .add_some("members", members)
            .add_some("secretsChanged", plan.changes_secrets.then_some(true))
            .add_some("when", when)
            .add_some("nextRun", next.iter().any(Option::is_some).then(|| pair(next.clone())))
            .add_some("runs", runs(&plan.runs));
    }
    Plan { body, etag, warnings: plan.warnings }
}

fn definition(job: &Job, labels: &Labels, writer: &Writer) -> Json {
    write_definition(&job.definition, job.state.kind(), labels, writer)
}

/// When a job runs, in words; nothing of a job that does not.
fn describe(job: &Job) -> String {
    let recurrence = job.definition.recurrence.as_ref();
    let words = Timetable::new(recurrence, job.anchor).map(|it| it.describe(recurrence)).unwrap_or_default();
    match job.state.kind() {
        State::Enabled => words,
        State::Disabled => format!("disabled ({words})"),
        state => state.name().to_lowercase(),
    }
}

fn pair([before, after]: [Option<String>; 2]) -> Json {
    Members::new().add_some("before", before).add_some("after", after).into_json()
}

/// The first of the runs that vanish and appear, and how many there are as far as was looked.
fn runs(runs: &MovedRuns) -> Option<Json> {
    let first = |times: &[Timestamp]| {
        let first = times.iter().take(PLANNED_RUNS_SHOWN).map(|at| Json::Text(at.to_string()));
        (!times.is_empty()).then(|| Json::List(first.collect()))
    };
    let number = |times: &[Timestamp]| (!times.is_empty()).then_some(times.len() as u64);
    if runs.vanish.is_empty() && runs.appear.is_empty() {
        return None;
    }
    Members::new()
        .add_some("vanish", first(&runs.vanish))
        .add_some("vanishing", number(&runs.vanish))
        .add_some("appear", first(&runs.appear))
        .add_some("appearing", number(&runs.appear))
        .add_some("until", runs.until.map(|until| until.to_string()))
        .if_any()
}

/// The plan of a collection.
pub(super) fn collection(plan: CollectionPlan) -> Plan {
    let etag = plan.before.as_ref().map(ETag::of_collection);
    let mut body = begun(plan.change, etag.as_ref());
    if plan.change != PlannedChange::Unchanged {
        let before = plan.before.as_ref().map(|before| &before.collection);
        let writer = writer();
        let written = |collection| CollectionView { id: "", collection }.write(&writer);
        let members = before.zip(plan.after.as_ref()).map(|(old, new)| write_differences(&written(old), &written(new)));
        let jobs = plan.before.as_ref().map(|before| before.jobs);
        body = body.add_some("members", members).add_some("jobs", jobs);
    }
    Plan { body, etag, warnings: plan.warnings }
}

/// The plan of an alert.
pub(super) fn alert(plan: AlertPlan) -> Plan {
    let etag = plan.before.as_ref().map(ETag::of_alert);
    let mut body = begun(plan.change, etag.as_ref());
    if plan.change != PlannedChange::Unchanged {
        let writer = writer();
        let members = plan.before.as_ref().zip(plan.after.as_ref()).map(|(old, (alert, action))| {
            let old = write_alert_definition(&old.alert, &old.action, &writer);
            write_differences(&old, &write_alert_definition(alert, action, &writer))
        });
        body = body.add_some("members", members).add_some("secretsChanged", plan.changes_secrets.then_some(true));
    }
    Plan { body, etag, warnings: plan.warnings }
}
