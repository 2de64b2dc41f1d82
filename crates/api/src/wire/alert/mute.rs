//! The body of a request to mute an alert or an incident.

use punctual_model::Violation;
use punctual_model::time::{Timestamp, Zone};

use super::super::findings::Findings;
use super::super::json::Json;
use super::super::object::Object;
use crate::input::Parsed;
use crate::limits;

/// Reads until when nothing is to be told.
pub fn parse_mute_json(json: &Json, now: Timestamp) -> Result<Parsed<Timestamp>, Vec<Violation>> {
    let findings = Findings::default();
    let until = Object::root(json, &findings).and_then(|root| until(root, now));
    findings.finish(until)
}

fn until(mut root: Object<'_>, now: Timestamp) -> Option<Timestamp> {
    let until = match (root.has("for"), root.has("until")) {
        (false, false) => {
            root.violation("for", "nothing", "how long nothing is told, such as 1h; or until, an instant");
            None
        }
        (true, true) => {
            root.report(Violation::sentence("until", "for and until exclude each other: keep one"));
            None
        }
        (true, false) => root.span("for").map(|span| {
            if !(1..=limits::MUTE_TICKS_MAX).contains(&span.ticks()) {
                root.violation("for", &span, "more than nothing, and at most 400 days");
            }
            now.saturating_add(span.ticks())
        }),
        (false, true) => root.date_time("until").map(|written| {
            let (until, latest) = (written.resolve(Zone::utc()).instant(), now.saturating_add(limits::MUTE_TICKS_MAX));
            if until <= now || until > latest {
                root.violation("until", until, format!("an instant after {now}, and not after {latest}"));
            }
            until
        }),
    };
    root.refuse_others();
    until
}
