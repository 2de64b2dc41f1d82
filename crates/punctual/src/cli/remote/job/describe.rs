//! A job in a few words.

use punctual_api::wire::{Json, Unknown, parse_timing};
use punctual_model::recurrence::{Anchor, Timetable};
use punctual_model::time::Timestamp;
use serde_json::Value;

use super::super::table::{text, text_or_dash};

/// What a job does: the method and the address without its query, or the queue or topic.
pub(super) fn target_of(job: &Value) -> String {
    let action = &job["action"];
    let (request, queue) = (&action["request"], &action["queueMessage"]);
    if let Some(uri) = request["uri"].as_str() {
        let uri = uri.split_once('?').map_or(uri, |(start, _)| start);
        return format!("{} {uri}", text(&request["method"]));
    }
    if !queue.is_null() {
        return format!("queue {}/{}", text(&queue["storageAccount"]), text(&queue["queueName"]));
    }
    let (queue, topic) = (&action["serviceBusQueueMessage"], &action["serviceBusTopicMessage"]);
    if queue.is_null() && topic.is_null() {
        return text(&action["type"]);
    }
    let (message, kind, name) =
        if queue.is_null() { (topic, "topic", "topicPath") } else { (queue, "queue", "queueName") };
    format!("{kind} {}/{}", text(&message["namespace"]), text(&message[name]))
}

/// When a job runs, in plain English, as far as its definition tells.
pub(super) fn timing_of(job: &Value) -> String {
    if job["recurrence"].is_null() {
        return match job["startTime"].as_str() {
            Some(start) => format!("Once, at {start}"),
            None => "Once".to_owned(),
        };
    }
    described(job).unwrap_or_else(|| "by a rule that this program does not know".to_owned())
}

fn described(job: &Value) -> Option<String> {
    let definition = serde_json::json!({ "startTime": job["startTime"], "recurrence": job["recurrence"] });
    let json = Json::parse(&definition.to_string()).ok()?;
    let timing = parse_timing(&json, Unknown::Warned).ok()?.value;
    let recurrence = timing.recurrence.as_ref()?;
    if timing.start.is_none() && job["recurrence"]["cron"].is_null() {
        // Its times depend on when it was made, which is not told.
        return Some(in_words(&job["recurrence"]));
    }
    let anchor = Anchor::new(timing.start, true, Timestamp::EPOCH);
    let timetable = Timetable::new(Some(recurrence), anchor).ok()?;
    Some(timetable.describe(Some(recurrence)))
}

/// An interval in words.
fn in_words(recurrence: &Value) -> String {
    let (frequency, interval) = (text(&recurrence["frequency"]), recurrence["interval"].as_u64().unwrap_or(1));
    let zone = recurrence["timeZone"].as_str().map(|zone| format!(", {zone}")).unwrap_or_default();
    let times = if recurrence["schedule"].is_null() { "" } else { " at the times of its schedule" };
    let every = if interval == 1 { frequency } else { format!("{interval} {frequency}s") };
    format!("Every {every}{times}{zone}")
}

/// How a job stands: what it does now, or how it last ended.
pub(super) fn outcome_of(job: &Value) -> String {
    let status = &job["status"];
    text_or_dash(if status["outcome"].is_null() { &status["lastOutcome"] } else { &status["outcome"] })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{target_of, timing_of};

    #[test]
    fn targets_in_words() {
        for (action, expected) in [
            (
                json!({ "request": { "uri": "https://a.example/b?key=1", "method": "POST" } }),
                "POST https://a.example/b",
            ),
            (json!({ "queueMessage": { "storageAccount": "acc", "queueName": "q" } }), "queue acc/q"),
            (json!({ "serviceBusTopicMessage": { "namespace": "ns", "topicPath": "t" } }), "topic ns/t"),
            (json!({ "serviceBusQueueMessage": { "namespace": "ns", "queueName": "q" } }), "queue ns/q"),
        ] {
            assert_eq!(target_of(&json!({ "action": action })), expected);
        }
    }

    #[test]
    fn times_in_words() {
        for (job, expected) in [
            (json!({}), "Once"),
            (json!({ "startTime": "2026-01-01T00:00:00Z" }), "Once, at 2026-01-01T00:00:00Z"),
            (json!({ "recurrence": { "frequency": "minute", "interval": 5 } }), "Every 5 minutes"),
            (json!({ "recurrence": { "frequency": "day", "timeZone": "Europe/Prague" } }), "Every day, Europe/Prague"),
            (
                json!({ "recurrence": { "cron": "30 2 * * *", "timeZone": "Europe/Berlin" } }),
                "At 02:30 every day, Europe/Berlin",
            ),
        ] {
            assert_eq!(timing_of(&job), expected);
        }
    }
}
