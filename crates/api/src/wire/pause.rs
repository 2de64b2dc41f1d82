//! The body of a request to pause the server.

use punctual_model::Violation;

use super::findings::Findings;
use super::json::Json;
use super::object::Object;
use crate::input::Parsed;
use crate::limits;

/// Reads why the server is to be paused.
pub fn parse_pause_json(json: &Json) -> Result<Parsed<String>, Vec<Violation>> {
    let findings = Findings::default();
    let why = Object::root(json, &findings).map(|mut root| {
        let why = root.text("why").unwrap_or_default().to_owned();
        if why.chars().count() > limits::WHY_CHARS_MAX {
            let given = format!("{} characters", why.chars().count());
            root.violation("why", given, format!("at most {} characters", limits::WHY_CHARS_MAX));
        }
        root.refuse_rest();
        why
    });
    findings.finish(why)
}

/// Reads what a request to resume says: nothing, so that nothing in it is passed over.
pub fn parse_resume_json(json: &Json) -> Result<Parsed<()>, Vec<Violation>> {
    let findings = Findings::default();
    let nothing = Object::root(json, &findings).map(Object::refuse_rest);
    findings.finish(nothing)
}
