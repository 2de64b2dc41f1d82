//! Messages that were written before their alert was changed.

use punctual_model::action::{Action, Target};
use serde_json::{Map, Value};

use super::{given_members, name_type};

/// A message in the action of an alert as it was, in the action of the alert as it is now: the same text, sent elsewhere. None if
/// the alert tells by another kind of action now.
pub fn redirect(action: &Action, sent: &Action) -> Option<Action> {
    let mut action = action.clone();
    let given = given_members(&action.target).unwrap_or_default();
    match (&mut action.target, &sent.target) {
        (Target::Http(http), Target::Http(sent)) => {
            name_type(http);
            http.body = sent.body.as_deref().map(|body| with_members(body, given));
        }
        (Target::StorageQueue(queue), Target::StorageQueue(sent)) => {
            queue.format = queue.format.or(sent.format);
            queue.message = with_members(&sent.message, given);
        }
        (Target::ServiceBus(bus), Target::ServiceBus(sent)) => bus.message = with_members(&sent.message, given),
        (Target::Email(email), Target::Email(sent)) => email.message.clone_from(&sent.message),
        _ => return None,
    }
    Some(action)
}

/// A message with what the user adds to each now, such as another key. In a list, as Alertmanager reads it, these are labels and
/// stay as they were.
fn with_members(body: &str, given: Map<String, Value>) -> String {
    match serde_json::from_str(body) {
        Ok(Value::Object(mut members)) if !given.is_empty() => {
            members.extend(given);
            Value::Object(members).to_string()
        }
        _ => body.to_owned(),
    }
}
