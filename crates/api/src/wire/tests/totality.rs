//! Whatever comes in, an answer comes out.

use proptest::prelude::*;
use punctual_model::time::Timestamp;

use super::super::{
    Json, Number, Unknown, parse_alert_json, parse_collection_json, parse_job, parse_job_json, parse_mute_json,
    parse_timing,
};
use super::alerts::defaults;

/// Names and texts that lead far inside.
const WORDS: [&str; 58] = [
    "properties",
    "action",
    "request",
    "queueMessage",
    "serviceBusQueueMessage",
    "serviceBusTopicMessage",
    "type",
    "errorAction",
    "retryPolicy",
    "retryType",
    "retryInterval",
    "retryCount",
    "startTime",
    "recurrence",
    "frequency",
    "interval",
    "schedule",
    "hours",
    "minutes",
    "weekDays",
    "monthDays",
    "monthlyOccurrences",
    "day",
    "occurrence",
    "count",
    "endTime",
    "timeZone",
    "cron",
    "options",
    "success",
    "status",
    "timeout",
    "state",
    "uri",
    "headers",
    "authentication",
    "https://example.com",
    "Http",
    "Week",
    "Friday",
    "Europe/Prague",
    "@daily",
    "PT30S",
    "2026-03-29T02:30",
    "when",
    "failing",
    "attempts",
    "slow",
    "after",
    "times",
    "expiring",
    "within",
    "recovered",
    "quietHours",
    "from",
    "scope",
    "sign",
    "for",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![4 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => any::<String>()]
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Boolean),
        any::<i64>().prop_map(|n| Json::Number(Number::Integer(n.into()))),
        (-70_i128..70).prop_map(|n| Json::Number(Number::Integer(n))),
        any::<f64>().prop_map(|n| Json::Number(Number::Float(n))),
        word().prop_map(Json::Text),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::List),
            4 => proptest::collection::vec((word().prop_map(Into::into), inner), 0..8).prop_map(Json::Object),
        ]
    })
}

const JOB: &str = r#"{"properties": {"startTime": "2026-03-29T02:30", "action": {"type": "Http", "request": {
  "uri": "https://user@example.com:443/a?b", "method": "PUT", "body": "x", "headers": {"Accept": "a"},
  "authentication": {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c", "secret": "s"}},
  "retryPolicy": {"retryType": "Exponential", "retryInterval": "PT30S", "retryIntervalMax": "01:00:00"},
  "errorAction": {"serviceBusTopicMessage": {"topicPath": "t", "namespace": "n", "message": "m",
  "brokeredMessageProperties": {"timeToLive": "P1D", "scheduledEnqueueTimeUtc": "2030-01-01"}}}},
  "recurrence": {"frequency": "Month", "interval": 2, "timeZone": "Europe/Prague", "count": 5, "endTime": "2030-01-01",
  "schedule": {"hours": [1, 2], "minutes": 30, "monthlyOccurrences": [{"day": "Friday", "occurrence": -1}]}},
  "options": {"timeout": "PT5M", "success": {"status": [200, "3xx"]}}, "state": "enabled"}}"#;

proptest! {
    #[test]
    fn of_any_json(json in json()) {
        for violations in [
            parse_job_json(&json, Unknown::Warned).err(),
            parse_job_json(&json, Unknown::Refused).err(),
            parse_timing(&json, Unknown::Warned).err(),
            parse_collection_json(&json, Unknown::Warned).err(),
            parse_alert_json(&json, &defaults()).err(),
            parse_mute_json(&json, Timestamp::EPOCH).err(),
        ].into_iter().flatten() {
            prop_assert!(!violations.is_empty());
        }
    }

    #[test]
    fn of_any_text(text in any::<String>()) {
        prop_assert!(parse_job(&text).is_err_and(|violations| !violations.is_empty()));
    }

    #[test]
    fn of_a_job_with_a_piece_replaced(at in 0..JOB.len(), length in 0..12_usize, piece in "[]\\[{}\",:0-9a-zA-Z. \\-é]{0,6}") {
        let end = (at + length).min(JOB.len());
        let text = format!("{}{piece}{}", &JOB[..at], &JOB[end..]);
        if let Err(violations) = parse_job(&text) {
            prop_assert!(!violations.is_empty());
        }
    }
}

#[test]
fn the_job_that_is_mutated_is_right() {
    assert!(parse_job(JOB).is_ok());
}
