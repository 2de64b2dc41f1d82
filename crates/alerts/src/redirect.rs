//! Messages that were written before their alert was changed.

use punctual_model::action::{Action, Target};
use punctual_model::alert::Form;
use serde_json::{Map, Value};

use super::{ROUTING_KEY, given_members, name_type};

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

/// Whether incidents that the receiver of an alert keeps are kept by the same one after an edit. Else somebody has to tell it that
/// they are over: what is told from then on goes elsewhere, or is not recognised any more.
pub fn same_receiver(before: (&Action, Form), after: (&Action, Form)) -> bool {
    let ((before, form), (after, form_after)) = (before, after);
    if !form.keeps_incidents() {
        return true;
    }
    let (Target::Http(http), Target::Http(http_after)) = (&before.target, &after.target) else { return false };
    let (members, members_after) =
        (given_members(&before.target).unwrap_or_default(), given_members(&after.target).unwrap_or_default());
    let has_same_members = match form {
        Form::PagerDuty => members.get(ROUTING_KEY) == members_after.get(ROUTING_KEY),
        // They are labels, by which an alert is the same one.
        _ => members == members_after,
    };
    form == form_after && http.uri == http_after.uri && has_same_members
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
