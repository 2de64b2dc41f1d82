//! What GET answers can be sent back as it is.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use punctual_model::history::{NotRun, Reason, Record, Status};
use punctual_store::HistoryEntry;
use serde_json::{Map, Value, json};

use super::{get, put};
use crate::attempts::{find_job, write};
use crate::server::{NOW, Server, instant};

static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| tokio::runtime::Runtime::new().unwrap());

/// A certificate that is opened is slow; its members are shown like the others.
fn requests() -> Vec<Value> {
    let with = |authentication: Value| json!({ "request": { "uri": "https://example.com", "authentication": authentication } });
    vec![
        json!({ "request": { "uri": "https://user:pass@example.com:8443/a%20b?c=d#e", "method": "PATCH", "body": "ü\n\"" } }),
        json!({ "type": "Http", "request": { "uri": "http://example.com", "headers": { "Content-Type": "a/b", "warnings": "x" } } }),
        with(json!({ "type": "Basic", "username": "ada", "password": "p" })),
        with(json!({ "type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c", "secret": "s" })),
    ]
}

fn messages() -> Vec<Value> {
    let bus = |member: &str, transport: &str| {
        json!({ member: "t", "namespace": "ns", "message": "m", "transportType": transport,
            "authentication": { "sasKeyName": "k", "sasKey": "s" }, "customMessageProperties": { "A": "b" },
            "brokeredMessageProperties": { "messageId": "1", "forcePersistence": true, "timeToLive": "01:00:00",
                "scheduledEnqueueTimeUtc": "2030-01-01T00:00:00Z" } })
    };
    vec![
        json!({ "queueMessage": { "storageAccount": "Acct", "queueName": "tasks", "sasToken": "?sig=x", "message": "m" } }),
        json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x", "message": "m",
            "format": "Base64", "timeToLive": "PT90S", "visibilityDelay": "30s" } }),
        json!({ "serviceBusQueueMessage": bus("queueName", "AMQP") }),
        json!({ "serviceBusTopicMessage": bus("topicPath", "NetMessaging") }),
        json!({ "serviceBusTopicMessage": bus("topicPath", "NotSpecified") }),
    ]
}

fn actions() -> impl Strategy<Value = Value> {
    let retries = [
        Value::Null,
        json!({ "retryType": "None" }),
        json!({ "retryType": "Fixed", "retryInterval": "PT90S", "retryCount": 0 }),
        json!({ "retryType": "fixed", "retryInterval": "1.02:03:04.5" }),
        json!({ "retryType": "Exponential", "retryInterval": "30s", "retryIntervalMax": "P1D", "retryCount": 20 }),
    ];
    let target = || select([requests(), messages()].concat());
    let retry = || select(retries.to_vec());
    (target(), retry(), any::<bool>(), target(), retry()).prop_map(
        |(mut action, retry, has_error, mut error, again)| {
            action["retryPolicy"] = retry;
            error["retryPolicy"] = again;
            action["errorAction"] = if has_error { error } else { Value::Null };
            action
        },
    )
}

fn recurrences() -> impl Strategy<Value = Value> {
    select(vec![
        Value::Null,
        json!({ "frequency": "Minute", "interval": 7 }),
        json!({ "frequency": "Hour", "count": 5, "endTime": "2031-01-01" }),
        json!({ "frequency": "Day", "timeZone": "W. Europe Standard Time", "schedule": { "hours": [1, 23], "minutes": [0, 30] } }),
        json!({ "frequency": "WEEK", "interval": 2, "schedule": { "weekDays": ["Monday", "friday"] } }),
        json!({ "frequency": "Month", "schedule": { "monthDays": [-1, 31],
            "monthlyOccurrences": [{ "day": "Sunday", "Occurrence": -5 }, { "day": "monday" }] } }),
        json!({ "frequency": "Year", "schedule": { "months": [2], "monthDays": [29] }, "timeZone": "Asia/Tokyo" }),
        json!({ "cron": "*/5 22-6 * * fri-mon", "timeZone": "America/New_York" }),
        json!({ "cron": "0 0 12 ? * 2#1 *", "cronDialect": "Quartz" }),
    ])
}

fn options() -> impl Strategy<Value = Value> {
    let members = vec![
        ("timeout", json!("90s")),
        ("overlap", json!("ALLOW")),
        ("catchUp", json!("All")),
        ("catchUpMax", json!(7)),
        ("catchUpSpacing", json!("00:00:05")),
        ("success", json!({ "status": ["200-299", "404"], "bodyContains": "ok" })),
        ("placeholders", json!(true)),
    ];
    subsequence(members, 0..=7).prop_map(|members| {
        let members: Map<_, _> = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        if members.contains_key("catchUp") || !members.keys().any(|name| name.starts_with("catchUp")) {
            Value::Object(members)
        } else {
            json!({})
        }
    })
}

fn jobs() -> impl Strategy<Value = Value> {
    let starts = vec![
        Value::Null,
        json!("2030-05-06T07:08:09.1234567"),
        json!("2020-01-01"),
        json!("2030-01-01T00:00:00+05:30"),
    ];
    let states = vec![Value::Null, json!("Enabled"), json!("disabled")];
    (actions(), recurrences(), options(), select(starts), select(states)).prop_map(
        |(action, recurrence, options, start, state)| {
            json!({ "action": action, "recurrence": recurrence, "options": options, "startTime": start, "state": state })
        },
    )
}

async fn check(server: &Server, job: Value) {
    let path = "/v1/jobs/made-up";
    let made = put(server, path, job.clone()).await;
    assert_eq!(made.status(), 201, "{job}: {made}");
    let read = get(server, path).await;
    let entry = find_job(server, "default", "made-up").await;
    for method in ["PUT", "PATCH"] {
        // Later, so that what depends on the present would show.
        server.set_clock(if method == "PUT" { "2026-11-15T12:00:05Z" } else { "2026-11-15T12:00:09Z" });
        let body = read.body().to_owned();
        let back = server.call(method, path).plain().body(body).send().await;
        let is_ended = ["completed", "faulted"].iter().any(|state| read.at("/state") == *state);
        if method == "PATCH" && is_ended {
            assert_eq!(back.status(), 409, "a job that has ended takes no PATCH: {back}");
            continue;
        }
        assert_eq!((back.status(), back.etag()), (200, made.etag()), "{method} of {read} for {job}: {back}");
        let after = find_job(server, "default", "made-up").await;
        assert_eq!(after, entry, "{method} of {read}");
    }
    server.set_clock(NOW);
    assert_eq!(server.delete(path).await.status(), 200);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// For many jobs of every kind: read, sent back byte for byte, and nothing has changed.
    #[test]
    fn what_is_read_may_be_written_back(jobs in prop::collection::vec(jobs(), 40)) {
        RUNTIME.block_on(async {
            let server = Server::start().await;
            for job in jobs {
                check(&server, job).await;
            }
        });
    }
}

/// Every kind of target is among the jobs, whatever was chosen above.
#[tokio::test]
async fn every_kind_of_target_may_be_written_back() {
    let server = Server::start().await;
    for action in [requests(), messages()].concat() {
        check(&server, json!({ "action": action, "startTime": "2030-01-01" })).await;
    }
}

/// What the server has said about a job is not part of it, and does not count as its size.
#[tokio::test]
async fn a_long_message_of_a_target_may_be_written_back() {
    let server = Server::start().await;
    put(&server, "/v1/collections/default", json!({ "sku": { "name": "standard" } })).await;
    let (path, job) = ("/v1/jobs/made-up", json!({ "action": requests()[0], "recurrence": { "frequency": "hour" } }));
    assert_eq!(put(&server, path, job).await.status(), 201);
    let entry = find_job(&server, "default", "made-up").await;
    let range = NotRun::one(instant(NOW), Reason::Missed);
    let status = Status::Failed(instant(NOW));
    let record = Record { status, message: "x".repeat(16_000), ..Record::of_not_run(entry.uid, range, instant(NOW)) };
    let note = HistoryEntry { job: entry.id, record, node: 0, revision: 1, is_duplicate: false };
    write(&server, Vec::new(), vec![note]).await;
    let read = get(&server, path).await;
    assert!(read.body().len() > 16_000, "{read}");
    for method in ["PUT", "PATCH"] {
        let back = server.call(method, path).plain().body(read.body().to_owned()).send().await;
        assert_eq!((back.status(), back.etag()), (200, read.etag()), "{method}: {back}");
    }
}
