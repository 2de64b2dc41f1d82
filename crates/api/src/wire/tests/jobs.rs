//! The whole body.

use insta::assert_snapshot;

use super::{check, timed, with_members};

#[test]
fn a_whole_resource() {
    assert_snapshot!(check(r#"{"id": "/subscriptions/s/x", "type": "Microsoft.Scheduler/jobCollections/jobs", "name": "c/j", "properties": {"action": {"request": {"uri": "https://example.com"}}}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
}

#[test]
fn states() {
    assert_snapshot!(timed(r#""state": "enabled""#), @"state Enabled");
    assert_snapshot!(timed(r#""state": "DISABLED""#), @"state Disabled");
    assert_snapshot!(timed(r#""state": "Completed""#), @"state Completed");
    assert_snapshot!(timed(r#""state": "faulted""#), @"state Faulted");
    assert_snapshot!(timed(r#""state": null"#), @"");
    assert_snapshot!(timed(r#""state": "paused""#), @r#"✗ state: given "paused", expected one of Enabled, Disabled, Completed, Faulted"#);
    assert_snapshot!(timed(r#""state": true"#), @"✗ state: given true, expected one of Enabled, Disabled, Completed, Faulted");
}

#[test]
fn a_status_is_never_parsed() {
    assert_snapshot!(timed(r#""status": {"executionCount": "a lot", "nonsense": []}"#), @"");
    assert_snapshot!(timed(r#""status": 7"#), @"");
}

#[test]
fn unknown_members_are_named() {
    assert_snapshot!(check(r#"{"location": "here", "tags": {}, "properties": {"action": {"request": {"uri": "https://example.com"}}, "priority": 1, "comment": null}, "action": {}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    ! location: ignored: it means nothing here
    ! tags: ignored: it means nothing here
    ! action: ignored: it means nothing here
    ! properties.priority: ignored: it means nothing here
    "#);
    assert_snapshot!(check(r#"{"action": {"request": {"uri": "https://example.com"}}, "location": "here"}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    ! location: ignored: it means nothing here
    "#);
}

#[test]
fn without_an_action() {
    assert_snapshot!(check("{}"), @"✗ properties.action: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage");
    assert_snapshot!(check(r#"{"name": "c/j"}"#), @"✗ properties.action: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage");
    assert_snapshot!(check(r#"{"properties": {}}"#), @"✗ properties.action: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage");
    assert_snapshot!(check(r#"{"properties": {"action": null}}"#), @"✗ properties.action: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage");
    assert_snapshot!(check(r#"{"properties": null, "state": "Enabled"}"#), @"✗ action: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage");
    assert_snapshot!(check(r#"{"properties": []}"#), @"✗ properties: given a list of 0, expected an object in braces");
    assert_snapshot!(check(r#"{"properties": {"action": "https://example.com"}}"#), @"✗ properties.action: given a text, expected an object in braces");
    assert_snapshot!(check(r#"{"startTime": "2030-01-01", "retryPolicy": {}}"#), @"✗ action: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage");
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    assert_snapshot!(check(r#"{"properties": {
  "startTime": "tomorrow",
  "action": {
    "type": "Http",
    "request": {"uri": "example.com", "method": "", "authentication": {"type": "Basic"}},
    "retryPolicy": {"retryCount": 50},
    "errorAction": {"queueMessage": {"queueName": "Q"}}
  },
  "recurrence": {"frequency": "Day", "interval": 1000, "every": 5,
    "schedule": {"hours": [24, "noon", 25], "minutes": 60, "weekDays": ["Monday"]}, "endTime": "never"},
  "options": {"timeout": "PT1H", "overlap": "maybe"},
  "state": "on"
}}"#), @r#"
    ✗ properties.startTime: given "tomorrow", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    ✗ properties.recurrence.schedule.hours[1]: given "noon", expected a whole number
    ✗ properties.recurrence.endTime: given "never", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    ✗ properties.recurrence.interval: given 1000, expected 1 to 548 with frequency Day
    ✗ properties.recurrence.schedule.minutes[0]: given 60, expected 0 to 59
    ✗ properties.recurrence.schedule.hours[0]: given 24, expected 0 to 23; 0 is midnight
    ✗ properties.recurrence.schedule.hours[2]: given 25, expected 0 to 23; 0 is midnight
    ✗ properties.recurrence.schedule.weekDays: given frequency Day, expected weekDays only with frequency Week
    ✗ properties.recurrence.every: there is no such member here, only cron, frequency, interval, schedule, cronDialect, timeZone, count, endTime
    ✗ properties.state: given "on", expected one of Enabled, Disabled, Completed, Faulted
    ✗ properties.action.retryPolicy.retryCount: given 50, expected 0 to 20
    ✗ properties.action.errorAction.queueMessage.storageAccount: given nothing, expected the name of the storage account
    ✗ properties.action.errorAction.queueMessage.message: given nothing, expected the text to put on the queue
    ✗ properties.action.errorAction.queueMessage.queueName: given "Q", expected a queue name: 3 to 63 lower-case letters, digits and single hyphens between them
    ✗ properties.action.request.uri: given "example.com", expected an absolute address such as https://example.com/path
    ✗ properties.action.request.method: given "", expected a method such as GET, POST, PUT, PATCH or DELETE
    ✗ properties.action.request.authentication.username: given nothing, expected the name of the user
    ✗ properties.options.overlap: given "maybe", expected one of skip, allow
    ✗ properties.options.timeout: given PT1H, expected 1 second to 30 minutes
    "#);
}

#[test]
fn there_is_an_end_to_everything() {
    let many = |text: &str| vec![text; 1000].join(", ");
    let shown = timed(&format!(r#""recurrence": {{"frequency": "Day", "schedule": {{"hours": [{}]}}}}"#, many("99")));
    assert_snapshot!(shown.lines().count(), @"1");
    assert_snapshot!(timed(&with_members(r#""state": "Enabled", ~"#, 1000)).lines().count(), @"101");
    assert_snapshot!(check(&"[".repeat(100_000)), @"✗ more than 32 levels of nesting (line 1, column 33)");
    let nested = |levels: usize| format!(r#""x": {}{}"#, "[".repeat(levels), "]".repeat(levels));
    assert_snapshot!(timed(&nested(31)), @"! x: ignored: it means nothing here");
    assert_snapshot!(timed(&nested(32)), @"✗ more than 32 levels of nesting (line 1, column 94)");
}
