//! When a job would run.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::Server;

async fn preview(server: &Server, query: &str, body: Value) -> Answer {
    server.call("POST", &format!("/v1/preview{query}")).json(&body).send().await
}

#[tokio::test]
async fn a_job_or_its_timing_alone() {
    let server = Server::start().await;
    let timing = json!({ "startTime": "2026-11-16T09:00:00", "recurrence": { "frequency": "week", "schedule": { "weekDays": ["friday"] },
        "timeZone": "Europe/Berlin" } });
    let shown = preview(&server, "?count=3", timing.clone()).await;
    assert_snapshot!(shown, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "description": "At 09:00 on Friday, Europe/Berlin",
      "occurrences": [
        "2026-11-20T08:00:00Z",
        "2026-11-27T08:00:00Z",
        "2026-12-04T08:00:00Z"
      ],
      "ends": null,
      "warnings": []
    }
    "#);
    let mut whole = json!({ "properties": timing });
    whole["properties"]["action"] = json!({ "request": { "uri": "https://example.com" } });
    assert_eq!(preview(&server, "?count=3", whole).await.body(), shown.body());
    assert_eq!(server.get("/v1/jobs").await.ids(), [""; 0], "nothing is made");
}

#[tokio::test]
async fn a_range_and_an_end() {
    let server = Server::start().await;
    let daily = json!({ "startTime": "2026-12-01", "recurrence": { "frequency": "day", "count": 4 } });
    assert_snapshot!(preview(&server, "?from=2026-12-03", daily.clone()).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "description": "At 00:00 every day, UTC, 4 times",
      "occurrences": [
        "2026-12-03T00:00:00Z",
        "2026-12-04T00:00:00Z"
      ],
      "ends": "count",
      "warnings": []
    }
    "#);
    let some = preview(&server, "?from=2026-12-02&to=2026-12-03T00:00:00Z", daily.clone()).await;
    assert_eq!(some.at("/occurrences"), json!(["2026-12-02T00:00:00Z", "2026-12-03T00:00:00Z"]));
    assert_eq!(preview(&server, "", daily).await.at("/ends"), "count");
    let once = preview(&server, "", json!({})).await;
    assert_snapshot!(once, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "description": "Once, at 2026-11-15T12:00:00Z",
      "occurrences": [
        "2026-11-15T12:00:00Z"
      ],
      "ends": null,
      "warnings": []
    }
    "#);
}
