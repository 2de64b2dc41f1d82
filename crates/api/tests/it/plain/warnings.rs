//! What the header `Warning` says stands in the body, too.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{get, put};
use crate::server::Server;

const BENT: &str = r#"{ "action": { "request": { "uri": "https://example.com" }, "type": "https" }, // soon
    "startTime": "2026-12-01", "recurrence": { "frequency": "month", "schedule": { "monthDays": [31], "hour": [5] } }, }"#;

#[tokio::test]
async fn every_warning_is_in_the_body() {
    let server = Server::start().await;
    let made = server.call("PUT", "/v1/jobs/j").plain().body(BENT).send().await;
    assert_eq!(made.status(), 201, "{made}");
    let warnings = made.at("/warnings");
    assert_snapshot!(serde_json::to_string_pretty(&warnings).unwrap(), @r#"
    [
      "recurrence.schedule.hour: taken as hours",
      "body: comments and trailing commas were passed over: JSON has none"
    ]
    "#);
    let header = made.header("warning");
    for warning in warnings.as_array().unwrap() {
        assert!(header.contains(warning.as_str().unwrap().split(':').next().unwrap()), "{warning} is not in {header}");
    }
    // Nothing to say: no member. And what was said may be sent back.
    let clean = get(&server, "/v1/jobs/j").await;
    assert_eq!((clean.at("/warnings"), clean.header("warning")), (Value::Null, String::new()));
    let back = put(&server, "/v1/jobs/j", made.json()).await;
    assert_eq!((back.status(), back.etag()), (200, made.etag()), "{back}");
}

#[tokio::test]
async fn more_than_a_header_holds() {
    let server = Server::start().await;
    let names: Vec<_> = (0..30).map(|number| format!("Tag{number}")).collect();
    let hours: Vec<_> = names.iter().map(|_| json!("5")).collect();
    let job = json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2026-12-01",
        "recurrence": { "frequency": "day", "interval": "1", "schedule": { "hours": hours } } });
    let made = put(&server, "/v1/jobs/j", job).await;
    assert!(made.at("/warnings").as_array().unwrap().len() > 10, "{made}");
    assert!(made.header("warning").ends_with("; and more\""));
}

#[tokio::test]
async fn on_our_own_routes_and_not_in_the_dialects_of_the_original() {
    let server = Server::start().await;
    let preview = |body| server.call("POST", "/v1/preview").plain().body(body).send();
    let shown = preview(r#"{ "recurrence": { "cron": "*/7 * * * *" }, }"#).await;
    assert_snapshot!(serde_json::to_string_pretty(&shown.at("/warnings")).unwrap(), @r#"
    [
      "recurrence.cron: */7 in the minute field is not every 7 minutes: after 56 comes 0, 4 minutes later; every 7 minutes is frequency Minute with interval 7, without cron",
      "body: comments and trailing commas were passed over: JSON has none"
    ]
    "#);
    assert_eq!(preview(r#"{ "recurrence": { "cron": "0 5 * * *" } }"#).await.at("/warnings"), json!([]));
    let token =
        server.call("POST", "/v1/tokens").plain().body(r#"{ "grants": [{ "role": "reader", "scope": "/" }], }"#);
    assert_eq!(token.send().await.at("/warnings").as_array().unwrap().len(), 1);
    let recorded = server.call("PUT", "/v1/jobs/j").body(BENT).send().await;
    assert_eq!(recorded.at("/warnings"), Value::Null);
    assert!(recorded.header("warning").contains("comments"), "{recorded}");
}
