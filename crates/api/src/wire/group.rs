//! The body of a resource group.

use std::collections::BTreeMap;

use punctual_model::Violation;
use punctual_model::collection::{check_location, check_tags};

use super::findings::Findings;
use super::json::Json;
use super::object::Object;
use crate::input::{GroupInput, Parsed};

/// Reads the body of a resource group.
pub fn parse_group_json(json: &Json) -> Result<Parsed<GroupInput>, Vec<Violation>> {
    let findings = Findings::default();
    let input = Object::root(json, &findings).map(|mut root| {
        root.skip(&["id", "type", "name", "properties"]);
        let input = located(&mut root);
        root.ignore_rest();
        input
    });
    findings.finish(input)
}

/// The members that a resource group has in common with a collection.
pub(super) fn located(root: &mut Object<'_>) -> GroupInput {
    let location = root.unseen("location", check_location);
    let tags: Option<BTreeMap<_, _>> = root.has("tags").then(|| root.texts("tags").into_iter().collect());
    if let Some(tags) = &tags {
        root.adopt(None, check_tags(tags));
    }
    GroupInput { location, tags }
}
