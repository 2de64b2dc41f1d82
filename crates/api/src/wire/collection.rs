//! The body of a collection.

use punctual_model::Violation;
use punctual_model::collection::{CollectionState, Quota, Sku, Spacing};

use super::findings::{Findings, Unknown};
use super::json::Json;
use super::object::Object;
use super::{group, recurrence, resource};
use crate::input::{CollectionInput, GroupInput, Parsed};

/// The members of `properties`, by which a body is recognised that has them at its top.
pub(super) const MEMBERS: [&str; 3] = ["sku", "state", "quota"];

/// Members that stand beside `properties`.
pub(super) const BESIDE: [&str; 2] = ["location", "tags"];

/// Reads the body of a collection.
pub fn parse_collection_json(json: &Json, unknown: Unknown) -> Result<Parsed<CollectionInput>, Vec<Violation>> {
    let findings = Findings::new(unknown);
    let input = Object::root(json, &findings).map(collection);
    findings.finish(input)
}

fn collection(mut root: Object<'_>) -> CollectionInput {
    let GroupInput { location, tags } = group::located(&mut root);
    let mut input = CollectionInput { location, tags, ..CollectionInput::default() };
    refuse_nested(&mut root);
    if let Some(mut properties) = resource::properties(root, &MEMBERS) {
        input.sku = properties.object("sku").and_then(sku);
        input.state = state(&mut properties);
        input.quota = properties.object("quota").and_then(quota);
        properties.ignore_rest();
    }
    input
}

/// Refuses jobs inside a collection, as templates have them: nobody may believe that they were made.
fn refuse_nested(root: &mut Object<'_>) {
    if root.holds("resources") {
        let sentence = "jobs in a collection are not made with it: PUT each to …/jobs/{name}, send all to POST /v1/bulk, or read \
                        their template with punctual import arm";
        root.report(Violation::sentence(root.path_of("resources"), sentence));
        root.skip(&["resources"]);
    }
}

fn sku(mut sku: Object<'_>) -> Option<Sku> {
    sku.require("name", "the name of a plan, such as Standard");
    let named = sku.choice("name", &Sku::ALL.map(|sku| (sku.name(), sku)));
    sku.ignore_rest();
    named
}

fn state(properties: &mut Object<'_>) -> Option<CollectionState> {
    let value = properties.value("state")?;
    if matches!(value.json, Json::Text(text) if text.eq_ignore_ascii_case("Deleted")) {
        return value.wrong("Enabled, Disabled or Suspended; a collection is deleted with DELETE");
    }
    value.choice(&CollectionState::ALL.map(|state| (state.name(), state)))
}

fn quota(mut quota: Object<'_>) -> Option<Quota> {
    quota.rename("maxJobs", "maxJobCount");
    let jobs = quota.integer("maxJobCount");
    let occurrences = quota.integer("maxJobOccurrence");
    let spacing = quota.object("maxRecurrence").and_then(spacing);
    let built = Quota::new(jobs, occurrences, spacing).map_err(|violations| quota.adopt(None, violations)).ok();
    quota.ignore_rest();
    built
}

/// Without an interval it is one unit, as in the recurrence of a job.
fn spacing(mut spacing: Object<'_>) -> Option<Spacing> {
    spacing.require("frequency", "the unit, such as Hour");
    let frequency = spacing.value("frequency").and_then(|value| recurrence::frequency(&value));
    let interval = spacing.integer("interval").unwrap_or(1);
    let built = frequency.map(|frequency| Spacing::new(frequency, interval)).transpose();
    let built = built.map_err(|violation| spacing.adopt(None, [violation])).ok();
    spacing.ignore_rest();
    built.flatten()
}
