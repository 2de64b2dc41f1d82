//! The Events API v2 of `PagerDuty`: an incident there opens and ends with ours.

use punctual_model::alert::{Message, MessageKind};
use serde_json::{Value, json};

use super::{cut, own};

/// Characters of a summary.
const SUMMARY_CHARS_MAX: usize = 1024;

pub(super) fn body(message: &Message) -> Value {
    let action = if message.kind == MessageKind::Recovered { "resolve" } else { "trigger" };
    let severity = if message.kind == MessageKind::Test { "info" } else { "error" };
    let source = if message.target.is_empty() { "punctual" } else { &message.target };
    json!({
        "event_action": action,
        "dedup_key": message.incident,
        "client": "Punctual",
        "payload": {
            "summary": cut(&message.headline(), SUMMARY_CHARS_MAX),
            "source": source,
            "severity": severity,
            "timestamp": message.at.to_string(),
            "class": message.trouble.name(),
            "custom_details": own::body(message),
        },
    })
}
