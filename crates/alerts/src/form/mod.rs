//! The bodies of messages.

mod alertmanager;
mod email;
mod own;
mod pager_duty;
mod slack;
mod teams;

pub(crate) use self::email::email;

use punctual_model::alert::{Form, Message};
use serde_json::{Map, Value};

/// The body of a message, with the members that the user adds to each.
pub(crate) fn body(form: Form, message: &Message, given: Map<String, Value>) -> Value {
    let mut body = match form {
        Form::Json => own::body(message),
        Form::Slack => slack::body(message),
        Form::Teams => teams::body(message),
        Form::PagerDuty => pager_duty::body(message),
        Form::Alertmanager => return alertmanager::body(message, given),
    };
    if let Value::Object(members) = &mut body {
        members.extend(given);
    }
    body
}

/// The beginning of a text, where a receiver takes so many characters.
fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max.saturating_sub(1)) {
        Some((end, _)) if text[end..].chars().nth(1).is_some() => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}
