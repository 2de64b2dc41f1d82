//! When a job would run, without making one.

use http::StatusCode;
use punctual_model::time::{DateTime, Timestamp, Zone};
use punctual_model::{Violation, limits};

use crate::answer::Answer;
use crate::fault::Fault;
use crate::listing::{End, Listing, Question};
use crate::request::Request;
use crate::wire::view::members::Members;
use crate::wire::{Json, parse_timing};

/// Occurrences where no number is asked for.
const COUNT_DEFAULT: u32 = 10;

/// Lists the next occurrences of the job in the body.
pub(super) fn preview(request: &Request) -> Result<Answer, Fault> {
    let timing = parse_timing(&request.json()?)?;
    let (from, to) = (instant(request, "from")?, instant(request, "to")?);
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        return Err(Violation::new("to", to, format!("an instant not before from, {from}")).into());
    }
    let count = request.query.number("count", 1, limits::PREVIEW_MAX)?.unwrap_or(COUNT_DEFAULT);
    let question = Question { now: request.now, from, to, count: count as usize };
    let listing = Listing::new(&timing, &question)?;
    let texts = |texts: Vec<String>| Json::List(texts.into_iter().map(Json::Text).collect());
    let occurrences = listing.occurrences.iter().map(ToString::to_string).collect();
    let ends = listing.ends.map_or(Json::Null, |end: End| Json::Text(end.name().to_owned()));
    let body = Members::new()
        .add("description", listing.description)
        .add("occurrences", texts(occurrences))
        .add("ends", ends)
        .add("warnings", texts(listing.warnings));
    Ok(Answer::json(StatusCode::OK, body.into_json()))
}

/// An instant in the query.
pub(super) fn instant(request: &Request, parameter: &str) -> Result<Option<Timestamp>, Fault> {
    let Some(text) = request.query.get(parameter) else { return Ok(None) };
    let written = DateTime::parse(text).map_err(|expected| expected.at(parameter, format!("{text:?}")))?;
    Ok(Some(written.resolve(Zone::utc()).instant()))
}
