//! The body of an alert.

mod conditions;
mod mute;

pub use mute::parse_mute_json;

use punctual_model::action::{Secret, Signing};
use punctual_model::alert::{Alert, AlertScope, Conditions, Form, QuietHours};
use punctual_model::time::Zone;
use punctual_model::{Expected, Name, Violation};
use punctual_store::GroupKey;

use super::findings::{Findings, Unknown};
use super::json::{Json, MemberName};
use super::object::Object;
use super::{action, options};
use crate::input::{AlertInput, Parsed};

/// Members of answers, which may come back as they are.
const ANSWERED: [&str; 4] = ["name", "muted", "changed", "warnings"];

const WHEN_EXPECTED: &str = "what to tell of, such as [\"failing\", \"recovered\"]";
const SCOPE_EXPECTED: &str = "/ for all jobs, the name of a collection, collection/job, or the path of a subscription, a \
                              resource group, a collection or a job";
const ACTION_EXPECTED: &str = "whom to tell, such as {\"request\": {\"uri\": \"https://example.com/hook\"}} or {\"email\": {\"to\": \
                               [\"ops@example.com\"]}}";

/// Reads the body of an alert. `collection` and `collection/job` as its scope are those of the group that `defaults` says.
pub fn parse_alert_json(json: &Json, defaults: &GroupKey) -> Result<Parsed<AlertInput>, Vec<Violation>> {
    let findings = Findings::new(Unknown::Refused);
    let json = with_defaults(json);
    let input = Object::root(&json, &findings).and_then(|root| alert(root, defaults));
    findings.finish(input)
}

/// Refuses a body that names another alert than the path.
pub fn check_alert_name(json: &Json, name: &Name) -> Result<(), Violation> {
    let Json::Object(members) = json else { return Ok(()) };
    let given = members.iter().find(|(known, _)| known.eq_ignore_ascii_case("name")).map(|(_, value)| value);
    match given {
        Some(Json::Text(given)) if Name::parse(given).as_ref() != Ok(name) => {
            Err(Violation::new("name", format!("{given:?}"), format!("{:?} as in the path, or nothing", name.as_str())))
        }
        _ => Ok(()),
    }
}

fn alert(mut root: Object<'_>, defaults: &GroupKey) -> Option<AlertInput> {
    root.skip(&ANSWERED);
    root.require("when", WHEN_EXPECTED);
    root.require("action", ACTION_EXPECTED);
    let conditions = root.value("when").and_then(conditions::read);
    let parse_scope = |text: &str| {
        let read = AlertScope::parse_within(text, &defaults.subscription, &defaults.group);
        read.map_err(|_| Expected::new(SCOPE_EXPECTED))
    };
    let scope = root.value("scope").map(|value| value.parsed(parse_scope));
    let form = root.choice("format", &Form::ALL.map(|form| (form.name(), form)));
    let reminder = root.span("reminder");
    let quiet_hours = root.object("quietHours").and_then(quiet_hours);
    let action = action::main(&mut root, action::Owner::Alert);
    let sign = root.object("options").and_then(sign);
    // What is wrong with conditions that could not be read was said; the other members are checked all the same.
    let checked = conditions.clone().unwrap_or(Conditions { failing: Some(1), ..Conditions::default() });
    let alert = Alert {
        scope: scope.clone().flatten().unwrap_or(AlertScope::SERVER),
        conditions: checked,
        reminder,
        quiet_hours,
        form: form.unwrap_or_default(),
    };
    root.adopt(None, alert.check());
    root.refuse_others();
    let mut action = action?;
    action.sign = sign;
    conditions.map(|_| AlertInput { alert, action })
}

/// The one option that an alert has in common with a job.
fn sign(mut options: Object<'_>) -> Option<Signing<Option<Secret>>> {
    let sign = options.value("sign").and_then(options::sign);
    options.refuse_others();
    sign
}

fn quiet_hours(mut hours: Object<'_>) -> Option<QuietHours> {
    hours.require("from", "when they begin, such as 22:00");
    hours.require("to", "when they end, such as 07:00");
    let (from, to) = (hours.text("from"), hours.text("to"));
    let zone = hours.value("timeZone").and_then(|value| value.parsed(Zone::find)).unwrap_or_else(Zone::utc);
    let built = from.zip(to).map(|(from, to)| QuietHours::new(from, to, zone));
    let built = built.and_then(|built| built.map_err(|violations| hours.adopt(None, violations)).ok());
    hours.refuse_others();
    built
}

/// The body with what an alert need not say about its action: it writes its own messages, and posts them. What is added to
/// each message may be written as an object, although a job has a text there.
fn with_defaults(json: &Json) -> Json {
    let mut json = json.clone();
    if let Some(action) = member_mut(&mut json, "action") {
        if let Some(request) = member_mut(action, "request") {
            add_missing(request, "method", "POST");
            write_as_text(request, "body");
        }
        for name in &action::MESSAGE_NAMES[1..] {
            if let Some(message) = member_mut(action, name) {
                add_missing(message, "message", "");
                write_as_text(message, "message");
            }
        }
    }
    json
}

fn member_mut<'a>(json: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    let Json::Object(members) = json else { return None };
    members.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn add_missing(json: &mut Json, name: &'static str, text: &str) {
    let is_missing = member_mut(json, name).is_none_or(|value| *value == Json::Null);
    if let Json::Object(members) = json
        && is_missing
    {
        members.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        members.push((MemberName::from(name), Json::Text(text.to_owned())));
    }
}

fn write_as_text(json: &mut Json, name: &str) {
    if let Some(value) = member_mut(json, name)
        && let Json::Object(_) = value
    {
        *value = Json::Text(serde_json::to_string(value).expect("a value of JSON can be written"));
    }
}
