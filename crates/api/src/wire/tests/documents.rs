//! The examples of the documents the original came with.

use insta::assert_snapshot;

use super::{action, check, recurrence, timed};

#[test]
fn the_comprehensive_job_with_properties() {
    assert_snapshot!(check(r#"{"properties": {
  "startTime": "2012-08-04T00:00Z",
  "action": {
    "type": "Http",
    "request": {
      "uri": "http://contoso.com/some-method",
      "method": "PUT",
      "body": "Posting from a timer",
      "headers": {"Content-Type": "application/json"},
      "retryPolicy": {"retryType": "None"}
    },
    "errorAction": {
      "type": "Http",
      "request": {"uri": "http://contoso.com/notifyError", "method": "POST"}
    }
  },
  "recurrence": {
    "frequency": "Week",
    "interval": 1,
    "schedule": {"weekDays": ["Monday", "Wednesday", "Friday"], "hours": [10, 22]},
    "count": 10,
    "endTime": "2012-11-04"
  },
  "state": "Disabled",
  "status": {
    "lastExecutionTime": "2007-03-01T13:00:00Z",
    "nextExecutionTime": "2007-03-01T14:00:00Z ",
    "executionCount": 3,
    "failureCount": 0,
    "faultedCount": 0
  }
}}"#), @r#"
    does Http(HttpAction { kind: Http, uri: "http://contoso.com/some-method", method: "PUT", headers: [("Content-Type", "application/json")], body: Some("Posting from a timer"), authentication: None })
    retry RetryPolicy { kind: None, interval: None, interval_max: None, count: None }
    else Http(HttpAction { kind: Http, uri: "http://contoso.com/notifyError", method: "POST", headers: [], body: None, authentication: None })
    from 2012-08-04T00:00:00Z
    Every(Every { frequency: Week, interval: 1, schedule: Some(Schedule { minutes: [], hours: [10, 22], week_days: [Monday, Wednesday, Friday], month_days: [], monthly_occurrences: [], months: [] }) })
    zone None, count Some(10), end Some(2012-11-04T00:00:00Z)
    state Disabled
    ! properties.action.request.retryPolicy: taken as properties.action.retryPolicy
    "#);
}

#[test]
fn the_comprehensive_job_without_properties() {
    assert_snapshot!(check(r#"{
  "startTime": "2012-08-04T00:00Z",
  "action": {
    "type": "http",
    "retryPolicy": {"retryType": "none"},
    "request": {
      "uri": "http://contoso.com/foo",
      "method": "PUT",
      "body": "Posting from a timer",
      "headers": {"Content-Type": "application/json"}
    },
    "errorAction": {
      "type": "http",
      "request": {"uri": "http://contoso.com/notifyError", "method": "POST"}
    }
  },
  "recurrence": {
    "frequency": "week",
    "interval": 1,
    "schedule": {"weekDays": ["monday", "wednesday", "friday"], "hours": [10, 22]},
    "count": 10,
    "endTime": "2012-11-04"
  },
  "state": "disabled",
  "status": {
    "lastExecutionTime": "2007-03-01T13:00:00Z",
    "nextExecutionTime": "2007-03-01T14:00:00Z ",
    "executionCount": 3,
    "failureCount": 0,
    "faultedCount": 0
  }
}"#), @r#"
    does Http(HttpAction { kind: Http, uri: "http://contoso.com/foo", method: "PUT", headers: [("Content-Type", "application/json")], body: Some("Posting from a timer"), authentication: None })
    retry RetryPolicy { kind: None, interval: None, interval_max: None, count: None }
    else Http(HttpAction { kind: Http, uri: "http://contoso.com/notifyError", method: "POST", headers: [], body: None, authentication: None })
    from 2012-08-04T00:00:00Z
    Every(Every { frequency: Week, interval: 1, schedule: Some(Schedule { minutes: [], hours: [10, 22], week_days: [Monday, Wednesday, Friday], month_days: [], monthly_occurrences: [], months: [] }) })
    zone None, count Some(10), end Some(2012-11-04T00:00:00Z)
    state Disabled
    "#);
}

#[test]
fn the_four_messages() {
    assert_snapshot!(action(r#"{"type": "storageQueue", "queueMessage": {
  "storageAccount": "myStorageAccount", "queueName": "myqueue", "sasToken": "TOKEN", "message": "My message body"
}}"#), @r#"does StorageQueue(StorageQueueAction { account: "myStorageAccount", queue: "myqueue", sas_token: Some(Secret(…)), message: "My message body", format: None, time_to_live: None, visibility_delay: None })"#);
    assert_snapshot!(action(r#"{"type": "serviceBusTopic", "serviceBusTopicMessage": {
  "topicPath": "t1", "namespace": "mySBNamespace", "transportType": "netMessaging",
  "authentication": {"sasKeyName": "QPolicy", "type": "sharedAccessKey"},
  "message": "Some message", "brokeredMessageProperties": {}, "customMessageProperties": {"appname": "FromScheduler"}
}}"#), @r#"does ServiceBus(ServiceBusAction { entity: Topic("t1"), namespace: "mySBNamespace", transport: Some(NetMessaging), authentication: Some(SasKey { name: "QPolicy", key: Some(None) }), message: "Some message", brokered: BrokeredProperties { content_type: None, correlation_id: None, force_persistence: None, label: None, message_id: None, partition_key: None, reply_to: None, reply_to_session_id: None, scheduled_enqueue_time: None, session_id: None, time_to_live: None, to: None, via_partition_key: None }, custom: [("appname", "FromScheduler")] })"#);
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {
  "queueName": "q1", "namespace": "mySBNamespace", "transportType": "netMessaging",
  "authentication": {"sasKeyName": "QPolicy", "type": "sharedAccessKey"},
  "message": "Some message", "brokeredMessageProperties": {}, "customMessageProperties": {"appname": "FromScheduler"}
}, "type": "serviceBusQueue"}"#), @r#"does ServiceBus(ServiceBusAction { entity: Queue("q1"), namespace: "mySBNamespace", transport: Some(NetMessaging), authentication: Some(SasKey { name: "QPolicy", key: Some(None) }), message: "Some message", brokered: BrokeredProperties { content_type: None, correlation_id: None, force_persistence: None, label: None, message_id: None, partition_key: None, reply_to: None, reply_to_session_id: None, scheduled_enqueue_time: None, session_id: None, time_to_live: None, to: None, via_partition_key: None }, custom: [("appname", "FromScheduler")] })"#);
}

#[test]
fn recurrences() {
    assert_snapshot!(recurrence(r#"{"frequency": "Week", "interval": 1, "schedule": {"hours": [10, 22], "minutes": [0, 30],
  "weekDays": ["Monday", "Wednesday", "Friday"]}, "count": 10, "endTime": "2012-11-04"}"#), @"
    Every(Every { frequency: Week, interval: 1, schedule: Some(Schedule { minutes: [0, 30], hours: [10, 22], week_days: [Monday, Wednesday, Friday], month_days: [], monthly_occurrences: [], months: [] }) })
    zone None, count Some(10), end Some(2012-11-04T00:00:00Z)
    ");
    assert_snapshot!(recurrence(r#"{ "frequency" : "monthly", "interval" : 1 }"#), @"
    Every(Every { frequency: Month, interval: 1, schedule: None })
    ! recurrence.frequency: taken as Month
    ");
    assert_snapshot!(recurrence(r#"{"frequency": "day", "schedule" : { "minute" : [30], "hour" : [8,17] }}"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: Some(Schedule { minutes: [30], hours: [8, 17], week_days: [], month_days: [], monthly_occurrences: [], months: [] }) })
    ! recurrence.schedule.minute: taken as minutes
    ! recurrence.schedule.hour: taken as hours
    ");
    assert_snapshot!(timed(r#""startTime" : "2013-01-09T09:30:00-08:00", "recurrence": {"frequency": "hour", "interval": 10, "endTime" : "2013-02-09T09:30:00-08:00", "count": 5}"#), @"
    from 2013-01-09T17:30:00Z
    Every(Every { frequency: Hour, interval: 10, schedule: None })
    zone None, count Some(5), end Some(2013-02-09T17:30:00Z)
    ");
}

#[test]
fn a_retry_policy_of_twice_a_day() {
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com"},
  "retryPolicy": {"retryType": "Fixed", "retryInterval": "PT1D", "retryCount": 2}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })
    retry RetryPolicy { kind: Fixed, interval: Some(Span { ticks: 864000000000, text: "PT1D" }), interval_max: None, count: Some(2) }
    "#);
}

/// The table of schedules: each is taken without a word.
#[test]
fn every_schedule_of_the_table() {
    let tables = [("day", DAILY.as_slice()), ("week", &WEEKLY), ("month", &MONTHLY)];
    let all = tables.iter().flat_map(|(frequency, schedules)| schedules.iter().map(move |s| (frequency, s)));
    let shown = all.map(|(frequency, schedule)| {
        let shown = recurrence(&format!(r#"{{"frequency": "{frequency}", "schedule": {schedule}}}"#));
        let lists = shown.strip_suffix(" }) })").and_then(|shown| shown.split_once("Schedule { "));
        let (_, lists) = lists.unwrap_or_else(|| panic!("more than a schedule: {shown}"));
        let is_full = |list: &&str| !list.contains(": []");
        let lists = lists.replace("MonthlyOccurrence ", "").replace("], ", "]\n");
        format!("{frequency} {}", lists.lines().filter(is_full).collect::<Vec<_>>().join(" "))
    });
    assert_snapshot!(shown.collect::<Vec<_>>().join("\n"), @"
    day hours: [5]
    day minutes: [15] hours: [5]
    day minutes: [15] hours: [5, 17]
    day minutes: [15, 45] hours: [5, 17]
    day minutes: [0, 15, 30, 45]
    day hours: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
    day minutes: [0]
    day minutes: [15]
    week hours: [17] week_days: [Saturday]
    week hours: [17] week_days: [Monday, Wednesday, Friday]
    week minutes: [15, 45] hours: [17] week_days: [Monday, Wednesday, Friday]
    week hours: [5, 17] week_days: [Monday, Wednesday, Friday]
    week minutes: [15, 45] hours: [5, 17] week_days: [Monday, Wednesday, Friday]
    week minutes: [0, 15, 30, 45] week_days: [Monday, Tuesday, Wednesday, Thursday, Friday]
    week minutes: [0, 15, 30, 45] hours: [9, 10, 11, 12, 13, 14, 15, 16] week_days: [Monday, Tuesday, Wednesday, Thursday, Friday]
    week week_days: [Sunday]
    week week_days: [Tuesday, Thursday]
    month minutes: [0] hours: [6] month_days: [28]
    month minutes: [0] hours: [6] month_days: [-1]
    month minutes: [0] hours: [6] month_days: [1, -1]
    month month_days: [1, -1]
    month month_days: [1, 14]
    month month_days: [2]
    month minutes: [0] hours: [5] monthly_occurrences: [{ day: Friday, occurrence: Some(1) }]
    month monthly_occurrences: [{ day: Friday, occurrence: Some(1) }]
    month monthly_occurrences: [{ day: Friday, occurrence: Some(-3) }]
    month minutes: [15] hours: [5] monthly_occurrences: [{ day: Friday, occurrence: Some(1) }, { day: Friday, occurrence: Some(-1) }]
    month monthly_occurrences: [{ day: Friday, occurrence: Some(1) }, { day: Friday, occurrence: Some(-1) }]
    month monthly_occurrences: [{ day: Friday, occurrence: Some(5) }]
    month minutes: [0, 15, 30, 45] monthly_occurrences: [{ day: Friday, occurrence: Some(-1) }]
    month minutes: [15, 45] hours: [5, 17] monthly_occurrences: [{ day: Wednesday, occurrence: Some(3) }]
    ");
}

const DAILY: [&str; 8] = [
    r#"{"hours":[5]}"#,
    r#"{"minutes":[15], "hours":[5]}"#,
    r#"{"minutes":[15], "hours":[5,17]}"#,
    r#"{"minutes":[15,45], "hours":[5,17]}"#,
    r#"{"minutes":[0,15,30,45]}"#,
    r#"{"hours":[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]}"#,
    r#"{"minutes":[0]}"#,
    r#"{"minutes":[15]}"#,
];

const WEEKLY: [&str; 9] = [
    r#"{"hours":[17], "weekDays":["saturday"]}"#,
    r#"{"hours":[17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"minutes":[15,45], "hours":[17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"hours":[5,17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"minutes":[15,45], "hours":[5,17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"minutes":[0,15,30,45], "weekDays":["monday", "tuesday", "wednesday", "thursday", "friday"]}"#,
    r#"{"minutes":[0,15,30,45], "hours": [9, 10, 11, 12, 13, 14, 15, 16], "weekDays":["monday", "tuesday", "wednesday", "thursday", "friday"]}"#,
    r#"{"weekDays":["sunday"]}"#,
    r#"{"weekDays":["tuesday", "thursday"]}"#,
];

const MONTHLY: [&str; 14] = [
    r#"{"minutes":[0], "hours":[6], "monthDays":[28]}"#,
    r#"{"minutes":[0], "hours":[6], "monthDays":[-1]}"#,
    r#"{"minutes":[0], "hours":[6], "monthDays":[1,-1]}"#,
    r#"{"monthDays":[1,-1]}"#,
    r#"{"monthDays":[1,14]}"#,
    r#"{"monthDays":[2]}"#,
    r#"{"minutes":[0], "hours":[5], "monthlyOccurrences":[{"day":"friday", "occurrence":1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":-3}]}"#,
    r#"{"minutes":[15], "hours":[5], "monthlyOccurrences":[{"day":"friday", "occurrence":1},{"day":"friday", "occurrence":-1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":1},{"day":"friday", "occurrence":-1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":5}]}"#,
    r#"{"minutes":[0,15,30,45], "monthlyOccurrences":[{"day":"friday", "occurrence":-1}]}"#,
    r#"{"minutes":[15,45], "hours":[5,17], "monthlyOccurrences":[{"day":"wednesday", "occurrence":3}]}"#,
];
