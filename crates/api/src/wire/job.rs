//! The body of a job.

use punctual_model::Violation;
use punctual_model::action::{Action, Secret};
use punctual_model::job::Definition;
use punctual_model::labels::Labels;
use punctual_model::options::Options;

use super::findings::{Findings, Unknown};
use super::json::Json;
use super::object::Object;
use super::options::ReadOptions;
use super::{action, options, resource, timing};
use crate::input::{JobInput, Parsed, Timing};

/// The members of `properties`, by which a body is recognised that has them at its top.
pub(super) const MEMBERS: [&str; 7] =
    ["action", "startTime", "recurrence", "options", "state", "errorAction", "retryPolicy"];

/// Reads the body of a job: the whole resource, or its `properties` alone.
pub fn parse_job(text: &str) -> Result<Parsed<JobInput>, Vec<Violation>> {
    parse_job_json(&Json::parse(text)?, Unknown::Warned)
}

/// Reads the body of a job that is JSON already.
pub fn parse_job_json(json: &Json, unknown: Unknown) -> Result<Parsed<JobInput>, Vec<Violation>> {
    let findings = Findings::new(unknown);
    let input = Object::root(json, &findings).and_then(|root| job(root, &findings));
    findings.finish(input)
}

fn job(root: Object<'_>, findings: &Findings) -> Option<JobInput> {
    let is_missing = !root.has("properties");
    let Some(properties) = resource::properties(root, &MEMBERS) else {
        if is_missing {
            // Where no client of the original asks, the flat form is the usual one.
            let path = if findings.unknown() == Unknown::Refused { "action" } else { "properties.action" };
            findings.violation(Violation::new(path, "nothing", action::EXPECTED));
        }
        return None;
    };
    properties.require("action", action::EXPECTED);
    let Members { timing: Timing { start, recurrence, state, .. }, action, options, labels } = members(properties);
    Some(JobInput { definition: Definition { start, action: action?, recurrence, options }, state, labels })
}

/// What `properties` hold.
pub(super) struct Members {
    pub(super) timing: Timing,
    action: Option<Action<Option<Secret>>>,
    options: Options,
    labels: Labels,
}

pub(super) fn members(mut properties: Object<'_>) -> Members {
    let timing = timing::read(&mut properties);
    let action = action::main(&mut properties, action::Owner::Job);
    let ReadOptions { options, sign, labels } = properties.object("options").map(options::read).unwrap_or_default();
    if let Some(action) = action.as_ref().filter(|_| options.has_placeholders()) {
        properties.adopt(None, action.check_placeholders());
    }
    let members = Members { timing, action: action.map(|action| Action { sign, ..action }), options, labels };
    properties.skip(&["status"]);
    properties.ignore_rest();
    members
}
