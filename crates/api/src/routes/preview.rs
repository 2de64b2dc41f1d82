//! When a job would run, without making one.

use http::StatusCode;
use punctual_model::Violation;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::preview::{End, Preview, Question};
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::{Json, parse_timing};

/// Occurrences where no number is asked for.
const COUNT_DEFAULT: u32 = 10;

/// Lists the next occurrences of the job in the body.
pub(super) async fn preview(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let timing = parse_timing(&request.json()?, request.unknown())?;
    let (from, to) = (request.instant("from")?, request.instant("to")?);
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        return Err(Violation::new("to", to, format!("an instant not before from, {from}")).into());
    }
    let count = request.query.number("count", 1, limits::PREVIEW_MAX)?.unwrap_or(COUNT_DEFAULT);
    let question = Question { now: request.caller.now, from, to, count: count as usize };
    let preview = move || Preview::new(&timing, &question);
    let preview = api.long_work.run(&request.caller.principal, preview).await??;
    let texts = |texts: Vec<String>| Json::List(texts.into_iter().map(Json::Text).collect());
    let occurrences = preview.occurrences.iter().map(ToString::to_string).collect();
    let ends = preview.ends.map_or(Json::Null, |end: End| Json::Text(end.name().to_owned()));
    let body = Members::new()
        .add("description", preview.description)
        .add("occurrences", texts(occurrences))
        .add("ends", ends)
        .add("warnings", texts(preview.warnings));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}
