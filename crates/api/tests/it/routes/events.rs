//! What happens, as it happens.

use insta::assert_snapshot;
use punctual_api::{EventStream, limits};
use punctual_model::access::Role;
use punctual_model::event::{AttemptEvent, Event, EventKind};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{NotRun, Reason, StatusKind};
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use serde_json::{Value, json};

use crate::attempts::{attempted, find_job};
use crate::description::check_event;
use crate::server::{GROUP, NOW, Server, collection, instant};

fn job(uri: &str) -> Value {
    json!({ "action": { "request": { "uri": uri } }, "startTime": "2030-01-01" })
}

fn event(path: Option<&str>, kind: EventKind) -> Event {
    Event { at: instant(NOW), path: path.map(Into::into), kind }
}

fn attempt() -> AttemptEvent {
    AttemptEvent {
        occurrence: OccurrenceId::from_bytes([7; 16]),
        phase: Phase::Main,
        retry: 1,
        nominal: instant("2026-11-15T11:00Z"),
        started: instant("2026-11-15T11:59:59.5Z"),
        is_resent: false,
    }
}

fn ended(has_succeeded: bool, retry_at: Option<Timestamp>) -> EventKind {
    let failure = (!has_succeeded).then(|| Failure::answered(FailureClass::Status, "example.com", 503, ""));
    EventKind::Ended { attempt: attempt(), has_succeeded, retry_at, failure }
}

async fn watch(server: &Server, path: &str) -> EventStream {
    let (answer, stream) = server.call("GET", path).send_for_stream().await;
    stream.unwrap_or_else(|| panic!("{answer}"))
}

/// What comes next; the stream has something, so that it need not wait.
async fn next(stream: &mut EventStream) -> String {
    let text = String::from_utf8(stream.next().await.unwrap().to_vec()).unwrap();
    for data in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
        check_event(&serde_json::from_str(data).unwrap());
    }
    text
}

/// The names of the events in a text.
fn names(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("event: ")).collect()
}

#[tokio::test]
async fn each_kind_as_it_is_told() {
    let server = Server::start().await;
    let mut stream = watch(&server, "/v1/events").await;
    let hello = Some("local/default/default/hello");
    let range = NotRun { number: 4, ..NotRun::one(instant(NOW), Reason::Overlap) };
    for (path, kind) in [
        (hello, EventKind::Started(AttemptEvent { is_resent: true, ..attempt() })),
        (hello, ended(false, Some(instant("2026-11-15T12:00:30Z")))),
        (hello, ended(true, None)),
        (hello, ended(false, None)),
        (hello, EventKind::Skipped(range)),
        (None, EventKind::ClockJumped { ticks: -90 * TICKS_PER_SECOND }),
        (None, EventKind::HistoryDropped { name: "20260916".to_owned(), bytes: 4096 }),
    ] {
        server.store.events().push(event(path, kind));
    }
    assert_snapshot!(next(&mut stream).await, @r#"
    id: 1048575-1
    event: started
    data: {"type":"started","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/hello","collection":"default","job":"hello","startTime":"2026-11-15T11:59:59.5Z","expectedExecutionTime":"2026-11-15T11:00:00Z","retryCount":1,"actionName":"MainAction","executionTag":"07070707070707070707070707070707","resent":true}

    id: 1048575-1
    event: retrying
    data: {"type":"retrying","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/hello","collection":"default","job":"hello","startTime":"2026-11-15T11:59:59.5Z","expectedExecutionTime":"2026-11-15T11:00:00Z","retryCount":1,"actionName":"MainAction","executionTag":"07070707070707070707070707070707","retryTime":"2026-11-15T12:00:30Z","record":"02516075568004999999:09223372036853727232","failure":{"class":"status","code":503,"host":"example.com","reason":"example.com answered 503 Service Unavailable."}}

    id: 1048575-1
    event: succeeded
    data: {"type":"succeeded","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/hello","collection":"default","job":"hello","startTime":"2026-11-15T11:59:59.5Z","expectedExecutionTime":"2026-11-15T11:00:00Z","retryCount":1,"actionName":"MainAction","executionTag":"07070707070707070707070707070707","record":"02516075568004999999:09223372036853727232"}

    id: 1048575-1
    event: failed
    data: {"type":"failed","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/hello","collection":"default","job":"hello","startTime":"2026-11-15T11:59:59.5Z","expectedExecutionTime":"2026-11-15T11:00:00Z","retryCount":1,"actionName":"MainAction","executionTag":"07070707070707070707070707070707","record":"02516075568004999999:09223372036853727232","failure":{"class":"status","code":503,"host":"example.com","reason":"example.com answered 503 Service Unavailable."}}

    id: 1048575-1
    event: skipped
    data: {"type":"skipped","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/hello","collection":"default","job":"hello","notRun":{"first":"2026-11-15T12:00:00Z","last":"2026-11-15T12:00:00Z","number":4,"reason":"overlap"}}

    id: 1048575-1
    event: clockJump
    data: {"type":"clockJump","time":"2026-11-15T12:00:00Z","milliseconds":-90000}

    id: 1048575-1
    event: historyDropped
    data: {"type":"historyDropped","time":"2026-11-15T12:00:00Z","name":"20260916","bytes":4096}
    "#);
}

#[tokio::test]
async fn the_answer_is_one_that_nobody_keeps() {
    let server = Server::start().await;
    let (answer, _stream) = server.call("GET", "/v1/events").send_for_stream().await;
    assert_eq!(answer.header("x-accel-buffering"), "no");
    assert_eq!(answer.header("cache-control"), "no-cache");
    assert_snapshot!(answer, @"
    200 OK
    content-type: text/event-stream
    ");
}

#[tokio::test]
async fn edits_are_told_and_what_changes_nothing_is_not() {
    let server = Server::start().await;
    let mut stream = watch(&server, "/v1/events?events=edited").await;
    server.put("/v1/jobs/Hello", job("https://example.com")).await;
    server.put("/v1/jobs/hello", job("https://example.com")).await;
    server.put("/v1/jobs/hello", job("https://example.com/secret?key=1")).await;
    server.put("/v1/jobs/hello", json!({})).await;
    server.delete("/v1/jobs/hello").await;
    server.delete("/v1/jobs/hello").await;
    assert_snapshot!(next(&mut stream).await, @r#"
    id: 1048575-2
    event: edited
    data: {"type":"edited","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/Hello","collection":"default","job":"Hello","edit":"created"}

    id: 1048575-3
    event: edited
    data: {"type":"edited","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/Hello","collection":"default","job":"Hello","edit":"changed"}

    id: 1048575-4
    event: edited
    data: {"type":"edited","time":"2026-11-15T12:00:00Z","jobId":"/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/Hello","collection":"default","job":"Hello","edit":"deleted"}
    "#);
}

#[tokio::test]
async fn edits_of_collections_are_told_once_each() {
    let server = Server::start().await;
    let mut stream = watch(&server, "/v1/events?events=edited").await;
    let quota = json!({ "properties": { "quota": { "maxJobCount": 5 } } });
    server.put("/v1/collections/Reports", json!({})).await;
    server.put("/v1/collections/reports", json!({})).await;
    server.patch("/v1/collections/reports", quota).await;
    server.put("/v1/collections/reports/jobs/hello", job("https://example.com")).await;
    server.post("/v1/collections/reports/disable").await;
    server.post("/v1/collections/reports/disable").await;
    server.patch("/v1/collections/reports", json!({ "properties": { "state": "Enabled" } })).await;
    server.delete("/v1/collections/reports").await;
    server.put("/v1/collections/other", json!({})).await;
    server.delete(&format!("{GROUP}?api-version=2016-06-01&force=true")).await;
    let told = next(&mut stream).await;
    let data = told.lines().filter_map(|line| line.strip_prefix("data: "));
    let data: Vec<Value> = data.map(|data| serde_json::from_str(data).unwrap()).collect();
    assert_eq!(data[0]["collectionId"], collection("Reports"));
    let line = |it: &Value| format!("{} {} {}", it["collection"], it["job"], it["edit"]);
    assert_snapshot!(data.iter().map(line).collect::<Vec<_>>().join("\n"), @r#"
    "Reports" null "created"
    "Reports" null "changed"
    "Reports" "hello" "created"
    "Reports" null "disabled"
    "Reports" null "enabled"
    "Reports" null "deleted"
    "other" null "created"
    "default" null "deleted"
    "other" null "deleted"
    "#);
}

/// The id of the last event in a text.
fn last_id(text: &str) -> &str {
    text.lines().rev().find_map(|line| line.strip_prefix("id: ")).unwrap()
}

/// Writes down an attempt, as an engine does.
async fn attempt_of(server: &Server, name: &str, started: &str, kind: StatusKind) {
    let job = find_job(server, "default", name).await;
    attempted(server, &job, started, started, kind).await;
}

#[tokio::test]
async fn who_comes_back_is_told_what_was_written_since_and_nothing_twice() {
    let server = Server::start().await;
    let mut first = watch(&server, "/v1/events").await;
    server.put("/v1/jobs/J", job("https://example.com")).await;
    attempt_of(&server, "j", "2026-11-15T12:00:01Z", StatusKind::Failed).await;
    let seen = next(&mut first).await;
    assert_eq!(names(&seen), ["edited", "failed"]);
    drop(first);
    // Nobody watches: all of it is read from the store.
    let (after_edit, after_attempt) = (seen.lines().next().unwrap().trim_start_matches("id: "), last_id(&seen));
    attempt_of(&server, "j", "2026-11-15T12:00:02Z", StatusKind::Completed).await;
    server.set_clock("2026-11-15T12:00:03Z");
    server.put("/v1/jobs/j", job("https://example.com/other")).await;
    server.set_clock("2026-11-15T12:00:05Z");
    attempt_of(&server, "j", "2026-11-15T12:00:04Z", StatusKind::Postponed).await;
    let mut again = watch(&server, &format!("/v1/events?lastEventId={after_attempt}")).await;
    let text = next(&mut again).await;
    assert_eq!(names(&text), ["succeeded", "edited", "skipped"]);
    assert!(text.contains(r#""job":"J""#));
    server.store.events().push(event(None, EventKind::ClockJumped { ticks: 1 }));
    assert_eq!(names(&next(&mut again).await), ["clockJump"], "now it happens");
    let call = server.call("GET", "/v1/events").header("last-event-id", after_edit);
    let (_, stream) = call.send_for_stream().await;
    assert_eq!(names(&next(&mut stream.unwrap()).await), ["failed", "succeeded", "edited", "skipped"]);
    // What is seen in the middle is a place to go on from, too.
    let middle = text.lines().filter_map(|line| line.strip_prefix("id: ")).nth(1).unwrap();
    let mut rest = watch(&server, &format!("/v1/events?lastEventId={middle}")).await;
    assert_eq!(names(&next(&mut rest).await), ["skipped"]);
}

#[tokio::test]
async fn what_is_missing_is_said() {
    let server = Server::start().await;
    // A place that was never reached.
    let mut stream = watch(&server, "/v1/events?lastEventId=999999999-1&events=failed").await;
    assert_snapshot!(next(&mut stream).await, @r#"
    id: 1048575-1
    event: gap
    data: {"type":"gap"}
    "#);
    assert_snapshot!(server.get("/v1/events?lastEventId=17").await.complaint(), @r#"400 BadRequest: lastEventId: Given "17", expected the id of an event, such as 7340033-12."#);
    // Someone who does not read keeps up with nobody; what was written is told all the same.
    let mut slow = watch(&server, "/v1/events").await;
    server.put("/v1/jobs/j", job("https://example.com")).await;
    for _ in 0..20_000 {
        server.store.events().push(event(None, EventKind::ClockJumped { ticks: 1 }));
    }
    assert_eq!(names(&next(&mut slow).await), ["gap"]);
    assert_eq!(names(&next(&mut slow).await), ["edited"]);
    for _ in 0..20_000 {
        server.store.events().push(event(None, EventKind::ClockJumped { ticks: 1 }));
    }
    assert!(next(&mut slow).await.len() < 100_000, "a bounded piece at a time");
}

#[tokio::test]
async fn callers_see_what_they_may_read() {
    let server = Server::start().await;
    let scopes = ["/", "/subscriptions/local/resourceGroups/default", &collection("Mine"), &collection("m")];
    let mut streams = Vec::new();
    for scope in scopes {
        let token = server.token(Role::Reader, scope).await;
        let call = server.call("GET", "/v1/events").bearer(&token);
        streams.push(call.send_for_stream().await.1.unwrap());
    }
    for path in [Some("local/default/mine/a"), Some("local/default/other/b"), Some("x/default/mine/c"), None] {
        server.store.events().push(event(path, EventKind::ClockJumped { ticks: 0 }));
    }
    let mut seen = Vec::new();
    for (scope, stream) in scopes.iter().zip(&mut streams) {
        let text = next(stream).await;
        let jobs: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let jobs = jobs.iter().map(|data| serde_json::from_str::<Value>(data).unwrap()["job"].to_string());
        seen.push(format!("{scope}: {}", jobs.collect::<Vec<_>>().join(" ")));
    }
    assert_snapshot!(seen.join("\n"), @r#"
    /: "a" "b" "c" null
    /subscriptions/local/resourceGroups/default: "a" "b"
    /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/Mine: "a"
    /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/m:
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_shows_that_it_lives_and_ends_after_a_while() {
    let server = Server::start().await;
    let mut stream = watch(&server, "/v1/events").await;
    assert_eq!(next(&mut stream).await, ":\nid: 1048575-1\n\n", "so that the client knows that it is heard");
    let begun = tokio::time::Instant::now();
    assert_eq!(next(&mut stream).await, ":\nid: 1048575-1\n\n");
    assert_eq!(begun.elapsed().as_secs(), 15);
    while stream.next().await.is_some() {}
    assert_eq!(begun.elapsed().as_secs(), limits::EVENT_STREAM_SECONDS_MAX);
}

#[tokio::test]
async fn streams_are_limited_and_leave_their_places() {
    let server = Server::start().await;
    let mut streams = Vec::new();
    let callers = limits::EVENT_STREAMS_MAX / limits::EVENT_STREAMS_OF_CALLER_MAX;
    for caller in 0..callers {
        let token = server.token(Role::Reader, "/").await;
        for _ in 0..limits::EVENT_STREAMS_OF_CALLER_MAX {
            streams.push(server.call("GET", "/v1/events").bearer(&token).send_for_stream().await.1.unwrap());
        }
        let more = server.call("GET", "/v1/events").bearer(&token).send().await;
        if caller == 0 {
            assert_snapshot!(more.complaint(), @"429 TooManyRequests: 32 clients with your credentials watch events already; try again when one has left.");
        }
    }
    assert_snapshot!(server.get("/v1/events").await, @r#"
    429 Too Many Requests
    content-type: application/json; charset=utf-8
    retry-after: 10
    {
      "error": {
        "code": "TooManyRequests",
        "message": "256 clients watch events already; try again when one has left."
      }
    }
    "#);
    streams.pop();
    watch(&server, "/v1/events").await;
}
