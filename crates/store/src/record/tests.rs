//! What is written is read back; what was not written by us is refused.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use insta::assert_snapshot;
use proptest::prelude::*;
use punctual_api::wire::parse_job;
use punctual_model::action::{Action, EmailAction, EmailAddress, EmailMessage, Target};
use punctual_model::alert::MessageKind;
use punctual_model::job::Definition;
use punctual_model::time::Timestamp;

use super::{
    ScheduleRecord, Unreadable, read_action, read_schedule, rewrite_action, rewrite_schedule, write_action,
    write_schedule,
};

/// Jobs that between them have every member there is. `FILE` stands for a PFX file.
const JOBS: [&str; 6] = [
    r#"{"startTime": "2026-03-29T02:30", "recurrence": {"frequency": "Month", "interval": 2, "count": 5,
        "endTime": "2030-01-01T00:00:00.5Z", "timeZone": "Central Europe Standard Time", "schedule": {"minutes": [15, 0],
        "hours": [5], "monthDays": [1, -1], "monthlyOccurrences": [{"day": "Friday", "occurrence": -1}, {"day": "Monday"}],
        "months": [3, 4]}}, "action": {"type": "Https", "request": {"uri": "http://example.com/%2d", "method": "get",
        "body": "x", "headers": {"B": "1", "A": "2"}, "authentication": {"type": "Basic", "username": "u", "password": "p"}},
        "retryPolicy": {"retryType": "Exponential", "retryInterval": "00:01:00", "retryIntervalMax": "PT1H", "retryCount": 7},
        "errorAction": {"request": {"uri": "https://example.com", "authentication": {"type": "ActiveDirectoryOAuth",
        "tenant": "t", "audience": "a", "clientId": "c", "secret": "s"}}, "retryPolicy": {"retryType": "None"}}}}"#,
    r#"{"recurrence": {"frequency": "Week", "schedule": {"weekDays": ["Sunday", "Monday"]}}, "action": {"queueMessage":
        {"storageAccount": "Account", "queueName": "queue", "sasToken": "sas", "message": "m", "format": "base64",
        "timeToLive": "P1D", "visibilityDelay": "PT5S"}}}"#,
    r#"{"recurrence": {"cron": "*/5 9-17 * * mon-fri", "timeZone": "Europe/Prague"}, "action": {"serviceBusTopicMessage":
        {"topicPath": "t/u", "namespace": "ns", "transportType": "AMQP", "message": "", "authentication": {"sasKeyName": "k",
        "sasKey": "s"}, "customMessageProperties": {"a": "b"}, "brokeredMessageProperties": {"contentType": "1",
        "correlationId": "2", "forcePersistence": true, "label": "3", "messageId": "4", "partitionKey": "5", "replyTo": "6",
        "replyToSessionId": "7", "scheduledEnqueueTimeUtc": "2027-01-01", "sessionId": "5", "timeToLive": "00:05:00",
        "to": "8", "viaPartitionKey": "9"}}}}"#,
    r#"{"startTime": "2030-01-01", "action": {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns", "message": "m",
        "authentication": {"sasKeyName": "k"}}}}"#,
    r#"{"action": {"request": {"uri": "https://example.com", "authentication": {"pfx": "FILE", "password": "secret"}}},
        "options": {"timeout": "PT5M", "jitter": "PT1M", "overlap": "allow", "catchUp": "all", "catchUpMax": 7,
        "catchUpSpacing": "PT2S", "success": {"status": [200, "3xx", "400-404"], "bodyContains": "ok"}, "placeholders": true,
        "sign": {"secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}}}"#,
    r#"{"recurrence": {"frequency": "Minute", "interval": 1000}, "action": {"request": {"uri": "https://example.com"}}}"#,
];

fn pfx() -> String {
    BASE64_STANDARD.encode(include_bytes!("../../../pfx/tests/fixtures/ed25519.pfx"))
}

fn definition(text: &str) -> Definition {
    let text = text.replace("FILE", &pfx());
    let Definition { start, action, recurrence, options } = parse_job(&text).unwrap().value.definition;
    Definition { start, action: action.complete(None).unwrap(), recurrence, options }
}

fn schedule_of(definition: &Definition) -> ScheduleRecord {
    let Definition { start, recurrence, options, .. } = definition.clone();
    ScheduleRecord { start, recurrence, options }
}

#[test]
fn what_is_written_is_read_back() {
    for text in JOBS {
        let job = definition(text);
        assert_eq!(read_action(write_action(&job.action).as_bytes()).unwrap(), job.action);
        let record = schedule_of(&job);
        let read = read_schedule(&write_schedule(&record)).unwrap();
        assert_eq!(read, record);
        // Equality forgives what a client would not: how a duration was written, and by how much a start was moved.
        assert_eq!(write_schedule(&read), write_schedule(&record));
        let moved = |record: &ScheduleRecord| record.start.map(punctual_model::time::Start::moved_ticks);
        assert_eq!(moved(&read), moved(&record));
    }
}

#[test]
fn the_form_of_the_records_does_not_change_unseen() {
    let records = JOBS.map(|text| {
        let job = definition(text);
        format!("{}\n{}", write_schedule(&schedule_of(&job)), write_action(&job.action))
    });
    assert_snapshot!(records.join("\n\n").replace(&pfx(), "FILE"), @r#"
    {"start":[17747478000000000,36000000000],"recurrence":{"frequency":"Month","interval":2,"schedule":{"minutes":[15,0],"hours":[5],"month_days":[1,-1],"weekdays_of_month":[["Friday",-1],["Monday",null]],"months":[3,4]},"zone":"Central Europe Standard Time","count":5,"end":18934560005000000},"options":{}}
    {"target":{"http":{"kind":"Https","uri":"http://example.com/%2d","method":"get","headers":[["B","1"],["A","2"]],"body":"x","authentication":{"basic":{"username":"u","password":"p"}}}},"retry":{"kind":"Exponential","interval":"00:01:00","interval_max":"PT1H","count":7},"error":[{"http":{"kind":"Https","uri":"https://example.com","method":"GET","authentication":{"oauth":{"tenant":"t","audience":"a","client_id":"c","secret":"s"}}}},{"kind":"None"}]}

    {"recurrence":{"frequency":"Week","interval":1,"schedule":{"week_days":["Sunday","Monday"]}},"options":{}}
    {"target":{"storage_queue":{"account":"Account","queue":"queue","sas_token":"sas","message":"m","format":"base64","time_to_live":"P1D","visibility_delay":"PT5S"}}}

    {"recurrence":{"cron":"*/5 9-17 * * mon-fri","zone":"Europe/Prague"},"options":{}}
    {"target":{"service_bus":{"topic":"t/u","namespace":"ns","transport":"AMQP","key":["k","s"],"message":"","brokered":{"content_type":"1","correlation_id":"2","force_persistence":true,"label":"3","message_id":"4","partition_key":"5","reply_to":"6","reply_to_session_id":"7","scheduled_enqueue_time":17987616000000000,"session_id":"5","time_to_live":"00:05:00","to":"8","via_partition_key":"9"},"custom":[["a","b"]]}}}

    {"start":[18934560000000000,0],"options":{}}
    {"target":{"service_bus":{"queue":"q","namespace":"ns","key":["k",null],"message":"m","brokered":{}}}}

    {"options":{"timeout":"PT5M","jitter":"PT1M","overlap":"allow","catch_up":"all","catch_up_max":7,"catch_up_spacing":"PT2S","success":{"status":["200","3xx","400-404"],"body_contains":"ok"},"placeholders":true}}
    {"target":{"http":{"kind":"Https","uri":"https://example.com","method":"GET","authentication":{"client_certificate":{"pfx":"FILE","password":"secret","thumbprint":"D41A36748F8E8D05DED4E10185CBD9B8D68F4F5E","info":[17947434510000000,49483434510000000,"CN=ed25519.example"]}}}},"sign":"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}

    {"recurrence":{"frequency":"Minute","interval":1000},"options":{}}
    {"target":{"http":{"kind":"Https","uri":"https://example.com","method":"GET"}}}
    "#);
}

#[test]
fn an_email_is_read_back_with_and_without_its_message() {
    let message = EmailMessage {
        subject: "s".to_owned(),
        text: "t".to_owned(),
        alert: "ops".to_owned(),
        incident: "0a-1".to_owned(),
        kind: MessageKind::Reminder,
        at: Timestamp::from_seconds(1_800_000_000).unwrap(),
    };
    let mut told = String::new();
    for message in [None, Some(message)] {
        let to = ["ops@example.com", "b@example.org"].map(|address| EmailAddress::parse(address).unwrap()).to_vec();
        let target = Target::Email(EmailAction { to, message });
        let action = Action { target, retry: None, error: None, sign: None };
        let written = write_action(&action);
        assert_eq!(read_action(written.as_bytes()).unwrap(), action);
        told = written;
    }
    assert_snapshot!(told, @r#"{"target":{"email":{"to":["ops@example.com","b@example.org"],"message":{"subject":"s","text":"t","alert":"ops","incident":"0a-1","kind":"reminder","at":18000000000000000}}}}"#);
    assert_snapshot!(read_action(br#"{"target": {"email": {"to": []}}}"#).unwrap_err(), @"a record cannot be read: 1 to 20 e-mail addresses");
}

#[test]
fn what_we_cannot_have_written_is_refused() {
    let told = [
        r#"{"start": [0], "recurrence": null}"#,
        r#"{"start": [9223372036854775807, 0], "recurrence": null}"#,
        r#"{"start": null, "recurrence": {"frequency": "Fortnight"}}"#,
        r#"{"start": null, "recurrence": {"frequency": "Day", "schedule": {"hours": [24]}}}"#,
        r#"{"start": null, "recurrence": null, "options": {"timeout": "soon"}}"#,
    ];
    let told = told.map(|text| read_schedule(text).unwrap_err().to_string());
    assert_snapshot!(told.join("\n"), @r#"
    a record cannot be read: invalid length 1, expected a tuple of size 2 at line 1 column 13
    a record cannot be read: 9223372036854775807 is no instant
    a record cannot be read: "Fortnight" is not a name we write
    a record cannot be read: schedule.hours[0]: given 24, expected 0 to 23; 0 is midnight
    a record cannot be read: a duration such as 30s, PT30S, P1DT12H or 00:00:30
    "#);
    assert_snapshot!(read_action(br#"{"target": {"http": {}}}"#).unwrap_err(), @"a record cannot be read: missing field `kind` at line 1 column 22");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>(), which in 0..JOBS.len(), at in any::<prop::sample::Index>()) {
        let _ = read_action(&bytes);
        let job = definition(JOBS[which]);
        let mut damaged = write_schedule(&schedule_of(&job)).into_bytes();
        let at = at.index(damaged.len());
        damaged.splice(at..at, bytes);
        let _ = read_schedule(&String::from_utf8_lossy(&damaged));
    }
}

#[test]
fn members_that_a_newer_version_wrote_are_kept() {
    let old = r#"{"target": {"http": {"kind": "Https", "uri": "https://a", "method": "GET", "priority": 1}}, "color": "red",
        "retry": {"kind": "Fixed", "spread": true}, "error": [{"http": {"kind": "Https", "uri": "https://b", "method": "GET",
        "priority": 2}}, null], "needs": 1}"#;
    let mut action = read_action(old.as_bytes()).unwrap();
    assert_eq!(rewrite_action(old.as_bytes(), &action).unwrap(), old, "nothing has changed");
    action.retry = None;
    let Target::Http(http) = &mut action.target else { panic!("{action:?}") };
    http.uri = punctual_model::action::Address::parse("https://c").unwrap();
    assert_snapshot!(rewrite_action(old.as_bytes(), &action).unwrap(), @r#"{"color":"red","error":[{"http":{"kind":"Https","method":"GET","priority":2,"uri":"https://b"}},null],"needs":1,"target":{"http":{"kind":"Https","method":"GET","priority":1,"uri":"https://c"}}}"#);
    // Another kind of action has nothing of the old kind.
    let other = definition(JOBS[1]).action;
    assert_snapshot!(rewrite_action(old.as_bytes(), &other).unwrap(), @r#"{"color":"red","needs":1,"target":{"storage_queue":{"account":"Account","format":"base64","message":"m","queue":"queue","sas_token":"sas","time_to_live":"P1D","visibility_delay":"PT5S"}}}"#);
    // What was damaged is replaced.
    assert_eq!(rewrite_action(b"{", &other).unwrap(), write_action(&other));
}

#[test]
fn a_record_that_needs_more_is_not_read_and_not_rewritten() {
    for newer in [r#"{"needs": 2}"#, r#"{"needs": 2, "start": "later", "options": []}"#] {
        assert_eq!(read_schedule(newer), Err(Unreadable::Newer(2)));
        let record = schedule_of(&definition(JOBS[0]));
        assert_eq!(rewrite_schedule(newer, &record), Err(Unreadable::Newer(2)));
    }
    assert_eq!(read_action(br#"{"needs": 9, "target": {"carrier_pigeon": {}}}"#), Err(Unreadable::Newer(9)));
    assert!(matches!(read_action(br#"{"needs": 1, "target": {"carrier_pigeon": {}}}"#), Err(Unreadable::Corrupt(_))));
    assert!(read_schedule(r#"{"needs": 1}"#).is_ok());
    assert_snapshot!(read_schedule(r#"{"needs": 2}"#).unwrap_err(), @"a record needs generation 2 of Punctual's records, and this version knows 1");
}
