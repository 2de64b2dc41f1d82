//! The API v2 of Prometheus Alertmanager: one alert, which it takes for over unless it hears of it again.

use punctual_model::alert::{Message, MessageKind};
use punctual_model::time::TICKS_PER_MINUTE;
use serde_json::{Map, Value, json};

/// How long Alertmanager keeps an alert of which it hears nothing: it is told every minute, and some messages may be late.
const KEPT_TICKS: i64 = 5 * TICKS_PER_MINUTE;

pub(super) fn body(message: &Message, given: Map<String, Value>) -> Value {
    let is_over = matches!(message.kind, MessageKind::Recovered | MessageKind::Test);
    let ends_at = if is_over { message.at } else { message.at.saturating_add(KEPT_TICKS) };
    let trouble = message.trouble.name();
    // An alert is the same as long as its labels are: nothing that changes while the incident lasts may be one. The class of a
    // failure is none, because a recovery has no failure any more.
    let mut labels = Map::from_iter([
        ("alertname".to_owned(), json!(format!("Punctual{}{}", trouble[..1].to_uppercase(), &trouble[1..]))),
        ("alert".to_owned(), json!(message.alert.as_str())),
        ("incident".to_owned(), json!(message.incident)),
        ("trouble".to_owned(), json!(trouble)),
        ("target".to_owned(), json!(message.target)),
    ]);
    labels.extend(given.into_iter().map(|(name, value)| (name, Value::from(text_of(value)))));
    labels.retain(|_, value| value.as_str().is_some_and(|text| !text.is_empty()));
    let mut annotations = Map::from_iter([
        ("summary".to_owned(), json!(message.headline())),
        ("description".to_owned(), json!(message.details().join("\n"))),
    ]);
    let class = message.failure.as_ref().map(|failure| failure.class.name());
    annotations.extend(class.map(|class| ("class".to_owned(), json!(class))));
    annotations.extend(message.command().map(|command| ("rerun".to_owned(), json!(command))));
    json!([{
        "labels": labels,
        "annotations": annotations,
        "startsAt": message.since.to_string(),
        "endsAt": ends_at.to_string(),
    }])
}

/// Labels are texts.
fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
