//! The body of a request to disable a job.

use punctual_model::Violation;
use punctual_model::labels::Annotations;
use punctual_model::limits::DISABLED_TICKS_MAX;
use punctual_model::time::{DateTime, Timestamp, Zone};

use super::findings::Findings;
use super::json::Json;
use super::object::Object;
use crate::input::{DisableInput, Parsed};

/// Reads why a job is to be disabled, and until when. Nothing in the body is ignored: what was meant to end must not last.
pub fn parse_disable_json(json: &Json, now: Timestamp) -> Result<Parsed<DisableInput>, Vec<Violation>> {
    let findings = Findings::default();
    let input = Object::root(json, &findings).map(|root| disable(root, now));
    findings.finish(input)
}

fn disable(mut root: Object<'_>, now: Timestamp) -> DisableInput {
    let note = root.text("note").map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
    if let Some(violation) = note.as_ref().and_then(|note| Annotations::check_note(note).err()) {
        root.report(violation);
    }
    let until = root.date_time("until").map(|written: DateTime| written.resolve(Zone::utc()).instant());
    let latest = now.saturating_add(DISABLED_TICKS_MAX);
    if let Some(until) = until.filter(|until| *until <= now || *until > latest) {
        root.violation("until", until, format!("an instant after now, {now}, and before {latest}"));
    }
    root.refuse_rest();
    DisableInput { note, until }
}
