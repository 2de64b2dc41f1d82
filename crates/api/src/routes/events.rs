//! What happens, as it happens.

use std::sync::Arc;

use punctual_model::Violation;
use punctual_model::event::EventKind;
use punctual_store::EventPlace;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::events::{Audience, EventStream};
use crate::fault::Fault;
use crate::request::Request;

/// The header in which a client that comes back says what it has seen last; browsers send it by themselves.
const LAST_EVENT_ID: &str = "last-event-id";

/// Tells what happens from now on, or from the event after the one that the client has seen last.
pub(super) fn events(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let kinds = request.query.get("events").map(parse_kinds).transpose()?.unwrap_or_default();
    let header = request.headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("bytes that are no text"));
    let last = match (header, request.query.get("lastEventId")) {
        (Some(text), _) => Some(parse_id("Last-Event-ID", text)?),
        (None, Some(text)) => Some(parse_id("lastEventId", text)?),
        (None, None) => None,
    };
    let permit = api.streams.open(&request.caller.principal)?;
    let audience = Audience { grants: request.caller.grants.clone(), kinds };
    let (store, metrics) = (Arc::clone(&api.operations.store), Arc::clone(&api.metrics));
    Ok(ApiAnswer::events(EventStream::new(store, last, audience, permit, metrics)))
}

fn parse_kinds(text: &str) -> Result<Vec<&'static str>, Violation> {
    let kind = |word: &str| {
        let known = EventKind::NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(word.trim()));
        let expected = || format!("names of events with commas between them: {}", EventKind::NAMES.join(", "));
        known.ok_or_else(|| Violation::new("events", format!("{word:?}"), expected()))
    };
    text.split(',').map(kind).collect()
}

fn parse_id(parameter: &str, text: &str) -> Result<EventPlace, Violation> {
    let violation = || Violation::new(parameter, format!("{text:?}"), "the id of an event, such as 7340033-12");
    EventPlace::parse(text.trim()).ok_or_else(violation)
}
