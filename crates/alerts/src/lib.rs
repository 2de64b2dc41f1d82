//! Messages of alerts in the forms that their receivers read.
//!
//! A [`Message`] of the model becomes the body of the action that the alert names. Nothing is sent here: what comes out is
//! an action, which the engine carries out like that of a job.

mod form;
mod redirect;

pub use self::redirect::{redirect, same_receiver};

use punctual_model::action::{Action, Entity, HttpAction, MessageFormat, Target};
use punctual_model::alert::{Form, Message};
use punctual_model::{Violation, Warning};
use serde_json::{Map, Value};

/// The member of a message to `PagerDuty` that says whose it is.
const ROUTING_KEY: &str = "routing_key";

/// The action of an alert with a message in it.
pub fn compose(action: &Action, form: Form, message: &Message) -> Action {
    let mut action = action.clone();
    let given = given_members(&action.target).unwrap_or_default();
    let body = form::body(form, message, given).to_string();
    match &mut action.target {
        Target::Http(http) => {
            name_type(http);
            http.body = Some(body);
        }
        Target::StorageQueue(queue) => {
            // Who reads alerts from a queue wants the alert, not the envelope of the original.
            queue.format = queue.format.or(Some(MessageFormat::Raw));
            queue.message = body;
        }
        Target::ServiceBus(bus) => bus.message = body,
        Target::Email(email) => email.message = Some(form::email(message)),
    }
    action
}

/// Says that a message is JSON, unless the user says something else.
fn name_type(http: &mut HttpAction) {
    let names_type = http.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    if !names_type {
        http.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
}

/// What is wrong with the action of an alert. Paths are relative to the alert.
pub fn check<S>(action: &Action<S>, form: Form) -> Vec<Violation> {
    let mut violations = Vec::new();
    let is_email = matches!(action.target, Target::Email(_));
    let member = match &action.target {
        Target::Http(_) => "action.request.body",
        Target::StorageQueue(_) => "action.queueMessage.message",
        Target::ServiceBus(bus) => match bus.entity {
            Entity::Queue(_) => "action.serviceBusQueueMessage.message",
            Entity::Topic(_) => "action.serviceBusTopicMessage.message",
        },
        Target::Email(_) => "action.email",
    };
    match given_members(&action.target) {
        Err(()) => violations.push(Violation::sentence(
            member,
            "an alert writes its own message: leave this out, or give a JSON object whose members are added to each message",
        )),
        Ok(members) if form == Form::PagerDuty && !is_email && !members.get(ROUTING_KEY).is_some_and(Value::is_string) => {
            let text = "PagerDuty needs the integration key of the service: give {\"routing_key\": \"…\"}";
            violations.push(Violation::sentence(member, text));
        }
        Ok(members) if form == Form::Alertmanager => violations.extend(check_labels(member, &members)),
        Ok(_) => {}
    }
    if let Target::Http(http) = &action.target
        && !["POST", "PUT", "PATCH"].iter().any(|method| http.method.eq_ignore_ascii_case(method))
    {
        violations.push(Violation::new(
            "action.request.method",
            &http.method,
            "POST, PUT or PATCH, since a message is a body",
        ));
    }
    if action.error.is_some() {
        let text =
            "an alert has no error action: a message that does not arrive is told by alerts of the condition operator";
        violations.push(Violation::sentence("action.errorAction", text));
    }
    if form != Form::Json && !matches!(action.target, Target::Http(_)) {
        let text = format!("{} is sent over HTTP: give action.request, or leave format out", form.name());
        violations.push(Violation::sentence("format", text));
    }
    violations
}

/// What is probably not meant in the action of an alert. Paths are relative to the alert.
pub fn advise<S>(action: &Action<S>, form: Form) -> Vec<Warning> {
    let Target::Http(http) = &action.target else { return Vec::new() };
    let host = http.uri.host_key();
    let host = host.split(':').next().unwrap_or_default();
    let is_of = |domain: &str| host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    let known = [
        ("hooks.slack.com", Form::Slack),
        ("webhook.office.com", Form::Teams),
        ("logic.azure.com", Form::Teams),
        ("events.pagerduty.com", Form::PagerDuty),
    ];
    let meant = known.into_iter().find(|(domain, _)| is_of(domain)).map(|(_, form)| form);
    let meant = meant.filter(|meant| *meant != form);
    let text = |meant: Form| format!("{host} reads {name}: give \"format\": \"{name}\"", name = meant.name());
    meant.map(|meant| Warning::new("format", text(meant))).into_iter().collect()
}

/// What is wrong with the members that are added to each message as labels. Alertmanager would refuse the whole message.
fn check_labels(member: &str, labels: &Map<String, Value>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, value) in labels {
        let path = format!("{member}.{name}");
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            violations
                .push(Violation::sentence(&*path, "a label of Alertmanager has letters, digits and _ in its name"));
        }
        if name == "incident" {
            violations.push(Violation::sentence(&*path, "this label tells incidents apart: choose another name"));
        }
        if !matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_)) {
            violations.push(Violation::sentence(path, "a label of Alertmanager is a text, a number, true or false"));
        }
    }
    violations
}

/// What the user adds to each message: the members of the JSON object in the place of the body.
fn given_members<S>(target: &Target<S>) -> Result<Map<String, Value>, ()> {
    let text = match target {
        Target::Http(http) => http.body.as_deref().unwrap_or_default(),
        Target::StorageQueue(queue) => &queue.message,
        Target::ServiceBus(bus) => &bus.message,
        // Nothing can be added to an e-mail.
        Target::Email(_) => "",
    };
    if text.trim().is_empty() { Ok(Map::new()) } else { serde_json::from_str(text).map_err(drop) }
}

#[cfg(test)]
mod tests;
