//! What a partial edit makes of what is stored.

use insta::assert_snapshot;

use super::super::{Json, merge_collection, merge_job};

fn patched(stored: &str, patch: &str) -> String {
    let stored = Json::parse(&format!(r#"{{"properties":{stored}}}"#)).unwrap();
    let merged = merge_job(stored, Json::parse(patch).unwrap());
    serde_json::to_string(&merged).unwrap().replace(r#"{"properties":"#, "properties ")
}

#[test]
fn objects_are_merged_and_lists_replaced() {
    let stored = r#"{"recurrence":{"frequency":"week","count":10,"endTime":"2020-10-10","schedule":{"hours":[1,2]}}}"#;
    assert_snapshot!(patched(stored, r#"{"properties":{"recurrence":{"frequency":"Day","interval":1}}}"#), @r#"properties {"recurrence":{"frequency":"Day","count":10,"endTime":"2020-10-10","schedule":{"hours":[1,2]},"interval":1}}}"#);
    assert_snapshot!(patched(stored, r#"{"Properties":{"Recurrence":{"SCHEDULE":{"hours":[3]}}}}"#), @r#"properties {"recurrence":{"frequency":"week","count":10,"endTime":"2020-10-10","schedule":{"hours":[3]}}}}"#);
}

#[test]
fn credentials_are_kept_unless_they_are_named() {
    let stored =
        r#"{"action":{"request":{"uri":"a","authentication":{"username":"u","password":"p","type":"Basic"}}}}"#;
    assert_snapshot!(patched(stored, r#"{"properties":{"action":{"request":{"uri":"b"}}}}"#), @r#"properties {"action":{"request":{"uri":"b","authentication":{"username":"u","password":"p","type":"Basic"}}}}}"#);
    let request = |authentication: &str| format!(r#"{{"action":{{"request":{{"authentication":{authentication}}}}}}}"#);
    assert_snapshot!(patched(stored, &request(r#"{"type":"basic","password":"q"}"#)), @r#"{"action":{"request":{"uri":"a","authentication":{"username":"u","password":"q","type":"basic"}}}}"#);
    assert_snapshot!(patched(stored, &request(r#"{"type":"ClientCertificate","pfx":"x"}"#)), @r#"{"action":{"request":{"uri":"a","authentication":{"type":"ClientCertificate","pfx":"x"}}}}"#);
    assert_snapshot!(patched(stored, &request("null")), @r#"{"action":{"request":{"uri":"a"}}}"#);
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
    let stored = r#"{"recurrence":{"frequency":"day","interval":2,"schedule":{"hours":[1]},"count":5}}"#;
    assert_snapshot!(patched(stored, r#"{"recurrence":{"cron":"@daily"}}"#), @r#"{"recurrence":{"count":5,"cron":"@daily"}}"#);
    let stored = r#"{"recurrence":{"cron":"@daily","cronDialect":"quartz","timeZone":"UTC"}}"#;
    assert_snapshot!(patched(stored, r#"{"recurrence":{"frequency":"hour"}}"#), @r#"{"recurrence":{"timeZone":"UTC","frequency":"hour"}}"#);
}

#[test]
fn the_short_forms_reach_what_is_stored() {
    let stored = r#"{"action":{"request":{"uri":"a"},"type":"Http","retryPolicy":{"retryType":"none"}},
        "recurrence":{"frequency":"day","schedule":{"hours":[1]}}}"#;
    assert_snapshot!(patched(stored, r#"{"properties":{"retryPolicy":{"retryType":"Fixed"}}}"#), @r#"properties {"action":{"request":{"uri":"a"},"type":"Http","retryPolicy":{"retryType":"Fixed"}},"recurrence":{"frequency":"day","schedule":{"hours":[1]}}}}"#);
    assert_snapshot!(patched(stored, r#"{"action":{"request":{"retryPolicy":{"retryCount":3}}}}"#), @r#"{"action":{"request":{"uri":"a"},"type":"Http","retryPolicy":{"retryType":"none","retryCount":3}},"recurrence":{"frequency":"day","schedule":{"hours":[1]}}}"#);
    assert_snapshot!(patched(stored, r#"{"recurrence":{"schedule":{"hour":[6]}}}"#), @r#"{"action":{"request":{"uri":"a"},"type":"Http","retryPolicy":{"retryType":"none"}},"recurrence":{"frequency":"day","schedule":{"hours":[6]}}}"#);
}

#[test]
fn names_of_the_user_rule_nothing_out() {
    let merge = |stored: &str, patch: &str| {
        let merged = merge_collection(Json::parse(stored).unwrap(), Json::parse(patch).unwrap());
        serde_json::to_string(&merged).unwrap()
    };
    let tags = r#"{"tags":{"schedule":"night","interval":"5","type":"a","request":"b","startTime":"c"}}"#;
    assert_snapshot!(merge(tags, r#"{"tags":{"cron":"yes","queueMessage":"c","startTime":null}}"#), @r#"{"tags":{"schedule":"night","interval":"5","type":"a","request":"b","cron":"yes","queueMessage":"c"}}"#);
    let stored = r#"{"action":{"request":{"headers":{"cron":"1","interval":"2","type":"3"}}}}"#;
    assert_snapshot!(patched(stored, r#"{"action":{"request":{"headers":{"frequency":"4","queueMessage":"5"}}}}"#), @r#"{"action":{"request":{"headers":{"cron":"1","interval":"2","type":"3","frequency":"4","queueMessage":"5"}}}}"#);
}
