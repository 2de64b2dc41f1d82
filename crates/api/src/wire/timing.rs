//! When a job runs: its start and its recurrence.

use punctual_model::Violation;
use punctual_model::job::State;
use punctual_model::recurrence::Recurrence;
use punctual_model::time::Zone;

use super::findings::{Findings, Unknown};
use super::json::Json;
use super::object::Object;
use super::{job, recurrence, resource};
use crate::input::{Parsed, Timing};

/// Reads when a job would run: from the whole resource, its `properties`, or a start and a recurrence alone.
///
/// Everything may be missing, also the action; but what is there must be right, and it must be a job: something else
/// would run "once, now".
pub fn parse_timing(json: &Json, unknown: Unknown) -> Result<Parsed<Timing>, Vec<Violation>> {
    let findings = Findings::new(unknown);
    let timing = Object::root(json, &findings).map(|root| {
        let is_job = job::MEMBERS.iter().chain(&["properties"]).any(|name| root.has(name));
        if !is_job && !root.is_empty() {
            let sentence = "this is no job: send a job, its properties, or startTime and recurrence";
            findings.violation(Violation::sentence("", sentence));
        }
        let path = if root.has("properties") { "properties" } else { "" };
        let properties = resource::properties(root, &job::MEMBERS);
        let timing = properties.map_or_else(Timing::default, |properties| job::members(properties).timing);
        Timing { path, ..timing }
    });
    findings.finish(timing)
}

/// Reads the members of `properties` that say when.
pub(super) fn read(properties: &mut Object<'_>) -> Timing {
    let written = properties.date_time("startTime");
    let recurrence = properties.object("recurrence").and_then(recurrence::read);
    let zone = recurrence.as_ref().map_or_else(Zone::utc, Recurrence::zone);
    let start = written.map(|written| written.resolve(zone));
    if let Some(text) = start.and_then(|start| start.moved_text(zone)) {
        properties.warn("startTime", text);
    }
    let state = properties.choice("state", &State::ALL.map(|state| (state.name(), state)));
    Timing { start, recurrence, state, path: "" }
}
