//! `dryRun`: what a write would do, and that it does nothing.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::server::Server;

/// A job that calls something each day at these hours.
fn daily(hours: &[u32]) -> Value {
    json!({
        "action": { "request": { "uri": "https://example.com" } },
        "startTime": "2026-11-15T00:00:00Z",
        "recurrence": { "frequency": "day", "schedule": { "hours": hours }, "count": 5 }
    })
}

async fn server() -> Server {
    let server = Server::start().await;
    server.set_clock("2026-11-15T12:00:00Z");
    server
}

async fn plan(server: &Server, path: &str, body: &Value) -> String {
    let answer = server.call("PUT", &format!("{path}?dryRun=true")).plain().json(body).send().await;
    answer.body().to_owned()
}

#[tokio::test]
async fn a_job_that_would_be_made() {
    let server = server().await;
    assert_snapshot!(plan(&server, "/v1/jobs/a", &daily(&[3, 15])).await, @r#"{"change":"create","when":{"after":"At 03:00 and 15:00 every day, UTC, 5 times"},"nextRun":{"after":"2026-11-15T15:00:00Z"},"runs":{"appear":["2026-11-15T15:00:00Z","2026-11-16T03:00:00Z","2026-11-16T15:00:00Z"],"appearing":5}}"#);
    assert_eq!(server.get("/v1/jobs/a").await.status(), 404);
    let mut wrong = daily(&[3]);
    wrong["recurrence"]["schedule"]["hours"] = json!([25]);
    let answer = server.call("PUT", "/v1/jobs/a?dryRun=true").plain().json(&wrong).send().await;
    assert_eq!(answer.status(), 400);
    let answer = server.call("PUT", "/v1/jobs/a?dryRun=maybe").plain().json(&daily(&[3])).send().await;
    assert_snapshot!(answer.complaint(), @r#"400 BadRequest: dryRun: Given "maybe", expected true or false."#);
}

#[tokio::test]
async fn runs_that_vanish_and_appear() {
    let server = server().await;
    let made = server.call("PUT", "/v1/jobs/a").plain().json(&daily(&[3, 15])).send().await;
    assert_snapshot!(plan(&server, "/v1/jobs/a", &daily(&[15, 3])).await, @r#"{"change":"update","etag":"\"j1-1\"","members":[{"path":"recurrence.schedule.hours","before":[3,15],"after":[15,3]}],"nextRun":{"before":"2026-11-15T15:00:00Z","after":"2026-11-15T15:00:00Z"}}"#);
    assert_snapshot!(plan(&server, "/v1/jobs/a", &daily(&[4, 15])).await, @r#"{"change":"update","etag":"\"j1-1\"","members":[{"path":"recurrence.schedule.hours","before":[3,15],"after":[4,15]}],"when":{"before":"At 03:00 and 15:00 every day, UTC, 5 times","after":"At 04:00 and 15:00 every day, UTC, 5 times"},"nextRun":{"before":"2026-11-15T15:00:00Z","after":"2026-11-15T15:00:00Z"},"runs":{"vanish":["2026-11-16T03:00:00Z","2026-11-17T03:00:00Z"],"vanishing":2,"appear":["2026-11-16T04:00:00Z","2026-11-17T04:00:00Z"],"appearing":2}}"#);
    let mut disabled = daily(&[3, 15]);
    disabled["state"] = json!("disabled");
    assert_snapshot!(plan(&server, "/v1/jobs/a", &disabled).await, @r#"{"change":"update","etag":"\"j1-1\"","members":[{"path":"state","before":"enabled","after":"disabled"}],"when":{"before":"At 03:00 and 15:00 every day, UTC, 5 times","after":"disabled (At 03:00 and 15:00 every day, UTC, 5 times)"},"nextRun":{"before":"2026-11-15T15:00:00Z"},"runs":{"vanish":["2026-11-15T15:00:00Z","2026-11-16T03:00:00Z","2026-11-16T15:00:00Z"],"vanishing":5}}"#);
    let patched = server.call("PATCH", "/v1/jobs/a?dryRun=true").plain().json(&json!({ "recurrence": { "count": 2 } }));
    assert_snapshot!(patched.send().await.body(), @r#"{"change":"update","etag":"\"j1-1\"","members":[{"path":"recurrence.count","before":5,"after":2}],"when":{"before":"At 03:00 and 15:00 every day, UTC, 5 times","after":"At 03:00 and 15:00 every day, UTC, 2 times"},"nextRun":{"before":"2026-11-15T15:00:00Z","after":"2026-11-15T15:00:00Z"},"runs":{"vanish":["2026-11-16T15:00:00Z","2026-11-17T03:00:00Z","2026-11-17T15:00:00Z"],"vanishing":3}}"#);
    assert_snapshot!(server.call("DELETE", "/v1/jobs/a?dryRun=true").plain().send().await.body(), @r#"{"change":"delete","etag":"\"j1-1\"","when":{"before":"At 03:00 and 15:00 every day, UTC, 5 times"},"nextRun":{"before":"2026-11-15T15:00:00Z"},"runs":{"vanish":["2026-11-15T15:00:00Z","2026-11-16T03:00:00Z","2026-11-16T15:00:00Z"],"vanishing":5}}"#);
    let now = server.call("GET", "/v1/jobs/a").plain().send().await;
    assert_eq!((now.etag(), now.at("/recurrence")), (made.etag(), made.at("/recurrence")));
    // The long path does the same: it must not write what somebody only wanted to see.
    let long =
        "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/a";
    let path = format!("{long}?api-version=2016-03-01&dryRun=true");
    assert_eq!(server.call("DELETE", &path).send().await.status(), 200);
    assert_eq!(server.get("/v1/jobs/a").await.status(), 200);
}

#[tokio::test]
async fn a_secret_that_would_change_is_told_and_not_shown() {
    let server = server().await;
    let with = |password: Option<&str>| {
        let mut job = daily(&[3]);
        job["action"]["request"]["authentication"] = json!({ "type": "basic", "username": "ann" });
        if let Some(password) = password {
            job["action"]["request"]["authentication"]["password"] = json!(password);
        }
        job
    };
    server.put("/v1/jobs/a", with(Some("one"))).await;
    assert_snapshot!(plan(&server, "/v1/jobs/a", &with(Some("one"))).await, @r#"{"change":"unchanged","etag":"\"j1-1\""}"#);
    assert_snapshot!(plan(&server, "/v1/jobs/a", &with(None)).await, @r#"{"change":"unchanged","etag":"\"j1-1\""}"#);
    assert_snapshot!(plan(&server, "/v1/jobs/a", &with(Some("two"))).await, @r#"{"change":"update","etag":"\"j1-1\"","members":[],"secretsChanged":true,"nextRun":{"before":"2026-11-16T03:00:00Z","after":"2026-11-16T03:00:00Z"}}"#);
}

#[tokio::test]
async fn labels_are_kept_compared_and_limited() {
    let server = server().await;
    let labelled = |labels: Value| {
        let mut job = daily(&[3]);
        job["options"] = json!({ "labels": labels });
        job
    };
    server.put("/v1/jobs/a", labelled(json!({ "team": "billing" }))).await;
    let shown = server.call("GET", "/v1/jobs/a").plain().send().await;
    assert_snapshot!(shown.at("/options"), @r#"{"labels":{"team":"billing"}}"#);
    assert_snapshot!(plan(&server, "/v1/jobs/a", &labelled(json!({ "team": "billing" }))).await, @r#"{"change":"unchanged","etag":"\"j1-1\""}"#);
    assert_snapshot!(plan(&server, "/v1/jobs/a", &labelled(json!({ "team": "ops", "a/b": "" }))).await, @r#"{"change":"update","etag":"\"j1-1\"","members":[{"path":"options.labels.a/b","after":""},{"path":"options.labels.team","before":"billing","after":"ops"}],"nextRun":{"before":"2026-11-16T03:00:00Z","after":"2026-11-16T03:00:00Z"}}"#);
    let same = server.put("/v1/jobs/a", labelled(json!({ "team": "billing" }))).await;
    assert_eq!(same.etag(), shown.etag());
    let other = server.put("/v1/jobs/a", labelled(json!({ "team": "ops" }))).await;
    assert_ne!(other.etag(), shown.etag(), "another label is another version");
    server.patch("/v1/jobs/a", json!({ "options": { "labels": { "team": null, "b": "c" } } })).await;
    assert_snapshot!(server.call("GET", "/v1/jobs/a").plain().send().await.at("/options"), @r#"{"labels":{"b":"c"}}"#);
    assert_snapshot!(server.put("/v1/jobs/a", labelled(json!({ "a b": "x" }))).await.complaint(), @r#"400 BadRequest: options.labels: Given "a b", expected a key of 1 to 63 letters of ASCII, digits, or . _ - /."#);
    assert_snapshot!(server.get("/v1/jobs/a/changes").await.at("/value/0/members"), @r#"[{"after":"c","path":"options.labels.b"},{"before":"ops","path":"options.labels.team"}]"#);
}

#[tokio::test]
async fn a_job_that_has_ended_is_replaced_if_that_is_said() {
    let server = server().await;
    let once = |uri: &str| {
        let request = json!({ "uri": uri, "authentication": { "type": "basic", "username": "ann" } });
        json!({ "action": { "request": request }, "recurrence": { "frequency": "day", "endTime": "2026-11-14" } })
    };
    let mut first = once("https://example.com");
    first["action"]["request"]["authentication"]["password"] = json!("one");
    let made = server.call("PUT", "/v1/jobs/a").plain().json(&first).send().await;
    assert_eq!(made.at("/state"), "completed", "{made}");
    let second = once("https://example.com/other");
    assert_eq!(server.put("/v1/jobs/a", second.clone()).await.status(), 409);
    assert_eq!(server.call("PUT", "/v1/jobs/a?dryRun=true").plain().json(&second).send().await.status(), 409);
    let mut third = second.clone();
    third["recurrence"]["endTime"] = json!("2027-01-01");
    let planned = server.call("PUT", "/v1/jobs/a?dryRun=true&replace=completed").plain().json(&third).send().await;
    assert_snapshot!(planned.body(), @r#"{"change":"replace","etag":"\"j1-1\"","members":[{"path":"action.request.uri","before":"https://example.com","after":"https://example.com/other"},{"path":"recurrence.endTime","before":"2026-11-14T00:00:00Z","after":"2027-01-01T00:00:00Z"},{"path":"state","before":"completed","after":"enabled"}],"when":{"before":"completed","after":"At 12:00 every day, UTC, until 2027-01-01T00:00:00Z"},"nextRun":{"after":"2026-11-15T12:00:00Z"},"runs":{"appear":["2026-11-15T12:00:00Z","2026-11-16T12:00:00Z","2026-11-17T12:00:00Z"],"appearing":47}}"#);
    let unchanged = server.call("PUT", "/v1/jobs/a?dryRun=true&replace=completed").plain().json(&first).send().await;
    assert_eq!(unchanged.at("/change"), "unchanged");
    let replaced = server.call("PUT", "/v1/jobs/a?replace=completed").plain().json(&third);
    let replaced = replaced.header("if-match", &made.etag()).send().await;
    assert_eq!((replaced.status(), replaced.at("/state")), (201, json!("enabled")), "{replaced}");
    // A job that runs is changed as ever, and its secret was kept.
    let changed = server.call("PUT", "/v1/jobs/a?replace=completed").plain().json(&second).send().await;
    assert_eq!(changed.status(), 200, "{changed}");
    let wrong = server.call("PUT", "/v1/jobs/a?replace=all").plain().json(&second).send().await;
    assert_snapshot!(wrong.complaint(), @r#"400 BadRequest: replace: Given "all", expected completed."#);
}

#[tokio::test]
async fn collections_and_alerts() {
    let server = server().await;
    let ops = json!({ "tags": { "team": "a" }, "sku": { "name": "standard" } });
    assert_snapshot!(plan(&server, "/v1/collections/ops", &ops).await, @r#"{"change":"create"}"#);
    server.put("/v1/collections/ops", ops.clone()).await;
    server.put("/v1/collections/ops/jobs/a", daily(&[3])).await;
    assert_snapshot!(plan(&server, "/v1/collections/ops", &ops).await, @r#"{"change":"unchanged","etag":"\"c2-1\""}"#);
    assert_snapshot!(plan(&server, "/v1/collections/ops", &json!({ "state": "disabled" })).await, @r#"{"change":"update","etag":"\"c2-1\"","members":[{"path":"state","before":"enabled","after":"disabled"},{"path":"tags","before":{"team":"a"}}],"jobs":1}"#);
    assert_snapshot!(server.call("DELETE", "/v1/collections/ops?dryRun=true").plain().send().await.body(), @r#"{"change":"delete","etag":"\"c2-1\"","jobs":1}"#);
    let alert = json!({ "when": ["failing"], "action": { "request": { "uri": "https://hooks.example.com/x" } } });
    assert_snapshot!(plan(&server, "/v1/alerts/team", &alert).await, @r#"{"change":"create"}"#);
    server.put("/v1/alerts/team", alert.clone()).await;
    assert_snapshot!(plan(&server, "/v1/alerts/team", &alert).await, @r#"{"change":"unchanged","etag":"\"a1-1\""}"#);
    let mut other = alert.clone();
    other["when"] = json!(["failing", "recovered"]);
    assert_snapshot!(plan(&server, "/v1/alerts/team", &other).await, @r#"{"change":"update","etag":"\"a1-1\"","members":[{"path":"when","before":[{"failing":{"attempts":1}}],"after":[{"failing":{"attempts":1}},"recovered"]}]}"#);
    assert_snapshot!(server.call("DELETE", "/v1/alerts/team?dryRun=true").plain().send().await.body(), @r#"{"change":"delete","etag":"\"a1-1\""}"#);
    assert_eq!(server.get("/v1/alerts/team").await.status(), 200);
}
