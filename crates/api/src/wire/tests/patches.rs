//! What a partial edit makes of what is stored.

use insta::assert_snapshot;

use super::super::{Json, merge};

fn patched(stored: &str, patch: &str) -> String {
    let merged = merge(Json::parse(stored).unwrap(), Json::parse(patch).unwrap());
    serde_json::to_string(&merged).unwrap()
}

#[test]
fn objects_are_merged_and_lists_replaced() {
    let stored = r#"{"recurrence":{"frequency":"week","count":10,"endTime":"2020-10-10","schedule":{"hours":[1,2]}}}"#;
    assert_snapshot!(patched(stored, r#"{"recurrence":{"frequency":"Day","interval":1}}"#), @r#"{"recurrence":{"frequency":"Day","count":10,"endTime":"2020-10-10","schedule":{"hours":[1,2]},"interval":1}}"#);
    assert_snapshot!(patched(stored, r#"{"Recurrence":{"SCHEDULE":{"hours":[3]}}}"#), @r#"{"recurrence":{"frequency":"week","count":10,"endTime":"2020-10-10","schedule":{"hours":[3]}}}"#);
}

#[test]
fn credentials_are_kept_unless_they_are_named() {
    let stored =
        r#"{"action":{"request":{"uri":"a","authentication":{"username":"u","password":"p","type":"Basic"}}}}"#;
    assert_snapshot!(patched(stored, r#"{"action":{"request":{"uri":"b"}}}"#), @r#"{"action":{"request":{"uri":"b","authentication":{"username":"u","password":"p","type":"Basic"}}}}"#);
    assert_snapshot!(patched(stored, r#"{"action":{"request":{"authentication":{"type":"basic","password":"q"}}}}"#), @r#"{"action":{"request":{"uri":"a","authentication":{"username":"u","password":"q","type":"basic"}}}}"#);
    assert_snapshot!(patched(stored, r#"{"action":{"request":{"authentication":{"type":"ClientCertificate","pfx":"x"}}}}"#), @r#"{"action":{"request":{"uri":"a","authentication":{"type":"ClientCertificate","pfx":"x"}}}}"#);
    assert_snapshot!(patched(stored, r#"{"action":{"request":{"authentication":null}}}"#), @r#"{"action":{"request":{"uri":"a"}}}"#);
}

#[test]
fn null_removes_what_is_no_date() {
    let stored = r#"{"startTime":"2020-01-01","recurrence":{"frequency":"day","count":3,"endTime":"2021-01-01"}}"#;
    assert_snapshot!(patched(stored, r#"{"startTime":null,"recurrence":{"count":null,"endTime":null}}"#), @r#"{"startTime":"2020-01-01","recurrence":{"frequency":"day","endTime":"2021-01-01"}}"#);
    assert_snapshot!(patched(stored, r#"{"recurrence":null}"#), @r#"{"startTime":"2020-01-01"}"#);
    assert_snapshot!(patched("{}", r#"{"options":{"timeout":null,"jitter":"PT1S"},"state":null}"#), @r#"{"options":{"jitter":"PT1S"}}"#);
}

#[test]
fn another_message_takes_the_place_of_the_old_one() {
    let stored = r#"{"action":{"request":{"uri":"a"},"type":"Http","retryPolicy":{"retryType":"none"}}}"#;
    assert_snapshot!(patched(stored, r#"{"action":{"queueMessage":{"queueName":"q"}}}"#), @r#"{"action":{"retryPolicy":{"retryType":"none"},"queueMessage":{"queueName":"q"}}}"#);
    assert_snapshot!(patched(stored, r#"{"action":{"request":{"method":"PUT"}}}"#), @r#"{"action":{"request":{"uri":"a","method":"PUT"},"type":"Http","retryPolicy":{"retryType":"none"}}}"#);
}

#[test]
fn cron_and_frequency_rule_each_other_out() {
    assert_snapshot!(patched(r#"{"frequency":"day","interval":2,"schedule":{"hours":[1]},"count":5}"#, r#"{"cron":"@daily"}"#), @r#"{"count":5,"cron":"@daily"}"#);
    assert_snapshot!(patched(r#"{"cron":"@daily","timeZone":"UTC"}"#, r#"{"frequency":"hour"}"#), @r#"{"timeZone":"UTC","frequency":"hour"}"#);
}
