//! Messages of alerts in the forms that their receivers read.
//!
//! A [`Message`] of the model becomes the body of the action that the alert names. Nothing is sent here: what comes out is
//! an action, which the engine carries out like that of a job.

mod form;
mod redirect;

pub use self::redirect::redirect;

use punctual_model::Violation;
use punctual_model::action::{Action, Entity, HttpAction, MessageFormat, Target};
use punctual_model::alert::{Form, Message};
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
        Ok(_) => {}
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
