//! Whether everything that should have run did, or why not.

use std::ops::Range;

use http::StatusCode;
use punctual_model::Violation;
use punctual_model::history::Reason;
use punctual_model::time::Timestamp;
use punctual_store::JobId;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::operations::{self, AuditReport, UnexplainedRange};
use crate::request::Request;
use crate::wire::Json;
use crate::wire::view::members::Members;

/// Audits the next jobs: the answer says where to `continue`.
pub(super) async fn audit(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let range = range(request)?;
    let place = request.place(|text| text.parse().ok().map(JobId))?;
    let _place = api.audits.enter(&request.caller.principal).await?;
    let report = operations::audit(&api.operations, &range, place).await?;
    Ok(ApiAnswer::json(StatusCode::OK, view(&range, &report)))
}

/// From `from` to before `to`, or to the present: what is still to come cannot have run.
fn range(request: &Request) -> Result<Range<Timestamp>, Fault> {
    let now = request.caller.now;
    let expected = "an instant, such as 2026-01-01T00:00:00Z";
    let from = request.instant("from")?.ok_or_else(|| Violation::new("from", "nothing", expected))?;
    let to = request.instant("to")?.unwrap_or(now);
    if to < from {
        return Err(Violation::new("to", to, format!("an instant not before from, {from}")).into());
    }
    if to.since(from) > limits::AUDIT_TICKS_MAX {
        return Err(Violation::new("to", to, format!("at most 31 days after from, {from}")).into());
    }
    Ok(from..to.min(now).max(from))
}

fn view(range: &Range<Timestamp>, report: &AuditReport) -> Json {
    let not_run = Reason::ALL.iter().zip(report.not_run);
    let not_run = not_run.fold(Members::new(), |members, (reason, number)| members.add(reason.name(), number));
    Members::new()
        .add("from", range.start.to_string())
        .add("to", range.end.to_string())
        .add_some("historyFrom", report.history_from.map(|from| from.to_string()))
        .add("jobs", report.jobs)
        .add("nominal", report.nominal)
        .add("run", report.run)
        .add("failed", report.failed)
        .add("attempts", report.attempts)
        .add("notRun", not_run.add("deleted", report.deleted).into_json())
        .add("open", report.open)
        .add("unexplained", report.unexplained)
        .add("ranges", Json::List(report.ranges.iter().map(view_range).collect()))
        .add("otherZones", report.other_zones)
        .add_some("continue", report.next.map(|JobId(id)| id.to_string()))
        .into_json()
}

fn view_range(range: &UnexplainedRange) -> Json {
    Members::new()
        .add("job", range.job.0)
        .add_some("path", range.path.as_deref())
        .add("first", range.first.to_string())
        .add("last", range.last.to_string())
        .add("number", range.number)
        .into_json()
}
