//! The bodies of tokens and role assignments. Unlike elsewhere nothing is ignored: a right that was meant to be narrower
//! must not be granted.

use punctual_model::access::{Claimants, Grant, Role, Scope};
use punctual_model::time::{Timestamp, Zone};
use punctual_model::{Expected, Violation};
use punctual_store::GroupKey;

use super::findings::Findings;
use super::json::Json;
use super::object::Object;
use crate::input::{AssignmentInput, Parsed, TokenInput};
use crate::limits;

/// Reads the body of a token. It must not have expired at `now`.
pub fn parse_token_json(
    json: &Json,
    defaults: &GroupKey,
    now: Timestamp,
) -> Result<Parsed<TokenInput>, Vec<Violation>> {
    let findings = Findings::default();
    let input = Object::root(json, &findings).map(|root| token(root, defaults, now));
    findings.finish(input)
}

/// Reads the body of an assignment.
pub fn parse_assignment_json(json: &Json, defaults: &GroupKey) -> Result<Parsed<AssignmentInput>, Vec<Violation>> {
    let findings = Findings::default();
    let input = Object::root(json, &findings).and_then(|root| assignment(root, defaults));
    findings.finish(input)
}

fn token(mut root: Object<'_>, defaults: &GroupKey, now: Timestamp) -> TokenInput {
    let description = root.checked("description", check_description).unwrap_or_default();
    let expires = root.date_time("expires").map(|written| written.resolve(Zone::utc()).instant());
    if let Some(expires) = expires.filter(|expires| *expires <= now) {
        root.violation("expires", expires, "an instant in the future");
    }
    root.require("grants", "a list of roles, such as [{\"role\": \"reader\", \"scope\": \"/\"}]");
    let written = root.list("grants").unwrap_or_default();
    if root.has("grants") && (written.is_empty() || written.len() > limits::GRANTS_MAX) {
        let expected = format!("1 to {} roles", limits::GRANTS_MAX);
        root.violation("grants", format!("{} roles", written.len()), expected);
    }
    let grants = written.into_iter().filter_map(|value| {
        let mut grant = value.object()?;
        let read = self::grant(&mut grant, defaults);
        grant.refuse_rest();
        read
    });
    let grants = grants.collect();
    root.refuse_rest();
    TokenInput { description, expires, grants }
}

fn assignment(mut root: Object<'_>, defaults: &GroupKey) -> Option<AssignmentInput> {
    let mut text = |name: &'static str, expected: &str| {
        root.require(name, expected);
        root.checked(name, check_claim)
    };
    let issuer = text("issuer", "the issuer, as it is configured");
    let claim = text("claim", "the name of a claim, such as groups");
    let value = text("value", "the value that the claim must have or hold");
    let grant = grant(&mut root, defaults);
    root.refuse_rest();
    let claimants = Claimants { issuer: issuer?, claim: claim?, value: value? };
    Some(AssignmentInput { claimants, grant: grant? })
}

fn grant(object: &mut Object<'_>, defaults: &GroupKey) -> Option<Grant> {
    object.require("role", "reader, contributor or owner");
    object.require(
        "scope",
        "/ for the server, the path of a subscription, a resource group or a collection, or the name of a collection",
    );
    let role = object.choice("role", &Role::ALL.map(|role| (role.name(), role)));
    let parse = |text: &str| Scope::parse_within(text, &defaults.subscription, &defaults.group);
    let scope = object.value("scope").and_then(|value| value.parsed(parse));
    Some(Grant { role: role?, scope: scope? })
}

/// What nobody can have would be an assignment without effect, which looks like one that has.
fn check_claim(text: &str) -> Result<(), Expected> {
    if text.is_empty() { Err(Expected::new("a text that is not empty")) } else { check_description(text) }
}

fn check_description(text: &str) -> Result<(), Expected> {
    let length = text.chars().count();
    if length <= limits::DESCRIPTION_CHARS_MAX && !text.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(Expected::new(format!("at most {} characters, none of them control", limits::DESCRIPTION_CHARS_MAX)))
    }
}
