//! Every failure since an instant, run once more.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use punctual_model::{Name, Violation, Warning, plural};
use punctual_store::CollectionKey;

use super::collections;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::operations::{self, Left, RerunPlace, TouchedJob};
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::{Json, Parsed, parse_rerun_json};

/// Reruns the failures of the next jobs: the answer says where to `continue`.
pub(super) async fn rerun_failed(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let Parsed { value: wanted, mut warnings } = parse_rerun_json(&request.json()?, &api.defaults(&request.query)?)?;
    if wanted.collection.is_none()
        && let Some(name) = ["subscription", "group"].into_iter().find(|name| request.query.get(name).is_some())
    {
        let sentence = "this says where the collection is that the body names; name one, or leave it out";
        return Err(Violation::sentence(name, sentence).into());
    }
    let place = request.place(parse_place)?;
    let is_dry = request.query.flag("dryRun")?;
    let report = operations::rerun_failed(&api.operations, &request.caller, &wanted, place, is_dry).await?;
    if report.cut > 0 {
        let (cut, max) = (report.cut, limits::RERUN_RECORDS_MAX);
        let text = format!(
            "of {} only the last {max} records were looked at; an earlier until shows more",
            plural(cut.into(), "job")
        );
        warnings.push(Warning::new("since", text));
    }
    let body = Members::new()
        .add_some("dryRun", is_dry.then_some(true))
        .add("rerun", report.rerun)
        .add("left", report.left.total())
        .add_some("leftBecause", reasons(report.left))
        .add("jobs", Json::List(report.touched.iter().map(|job| touched(api, job)).collect()));
    let body = body.add_some("continue", report.next.as_ref().map(place_text));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()).warnings(&warnings))
}

/// What was done with a job.
fn touched(api: &Api, TouchedJob { job, rerun, left }: &TouchedJob) -> Json {
    Members::new()
        .add("path", collections::job_path(job))
        .add("commandPath", collections::command_path(api, job))
        .add("collection", job.collection.collection.as_str())
        .add("job", job.job.as_str())
        .add("rerun", *rerun)
        .add("left", left.total())
        .add_some("leftBecause", reasons(*left))
        .into_json()
}

/// Why failures were left, and how many for each reason.
fn reasons(left: Left) -> Option<Json> {
    let some = |number: u32| Some(number).filter(|number| *number > 0);
    Members::new()
        .add_some("waitingRuns", some(left.waiting))
        .add_some("stillOpen", some(left.open))
        .add_some("disabled", some(left.disabled))
        .if_any()
}

fn parse_place(text: &str) -> Option<RerunPlace> {
    let names = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
    let names: Vec<_> = names.split('/').map(|name| Name::parse(name).ok()).collect::<Option<_>>()?;
    let [subscription, group, collection, job @ ..] = names.as_slice() else { return None };
    if job.len() > 1 {
        return None;
    }
    let [subscription, group, collection] = [subscription, group, collection].map(Name::clone);
    Some(RerunPlace { collection: CollectionKey { subscription, group, collection }, job: job.first().cloned() })
}

fn place_text(place: &RerunPlace) -> String {
    let CollectionKey { subscription, group, collection } = &place.collection;
    let job = place.job.as_ref().map(|job| format!("/{job}")).unwrap_or_default();
    URL_SAFE_NO_PAD.encode(format!("{subscription}/{group}/{collection}{job}"))
}
