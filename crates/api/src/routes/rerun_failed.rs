//! Every failure since an instant, run once more.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use punctual_model::{Name, Warning};
use punctual_store::CollectionKey;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::operations::{self, RerunPlace};
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::{Parsed, parse_rerun_json};

/// Reruns the failures of the next jobs: the answer says where to `continue`.
pub(super) async fn rerun_failed(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let Parsed { value: wanted, mut warnings } = parse_rerun_json(&request.json()?, &api.defaults(&request.query)?)?;
    let place = request.place(parse_place)?;
    let report = operations::rerun_failed(&api.operations, &request.caller, &wanted, place).await?;
    if report.cut > 0 {
        let (cut, max) = (report.cut, limits::RERUN_RECORDS_MAX);
        let text = format!("of {cut} jobs only the last {max} records were looked at; an earlier until shows more");
        warnings.push(Warning::new("since", text));
    }
    let body = Members::new().add("rerun", report.rerun).add("left", report.left);
    let body = body.add_some("continue", report.next.as_ref().map(place_text));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()).warnings(&warnings))
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
