//! What the server counts of requests, and how it is shown.

use http::header::CONTENT_TYPE;
use punctual_model::access::Role;
use serde_json::json;

use crate::answer::Answer;
use crate::server::Server;

async fn metrics(server: &Server) -> Answer {
    let answer = server.get("/metrics").await;
    assert_eq!(answer.status(), 200, "{answer}");
    answer
}

#[track_caller]
fn assert_has(answer: &Answer, line: &str) {
    assert!(answer.body().lines().any(|known| known == line), "{line} is not in {answer}");
}

#[tokio::test]
async fn both_formats_are_written() {
    let server = Server::start().await;
    let plain = metrics(&server).await;
    assert_eq!(plain.header(CONTENT_TYPE), "text/plain; version=0.0.4; charset=utf-8");
    assert!(plain.body().contains("# TYPE punctual_fires_total counter\n") && !plain.body().contains("# EOF"));
    let open =
        server.call("GET", "/metrics").header("accept", "application/openmetrics-text;version=1.0.0").send().await;
    assert_eq!(open.header(CONTENT_TYPE), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert!(open.body().contains("# TYPE punctual_fires counter\n") && open.body().ends_with("# EOF\n"));
}

#[tokio::test]
async fn requests_are_counted_by_route_and_code() {
    let server = Server::start().await;
    let stranger = server.token(Role::Reader, "/subscriptions/s").await;
    server.get("/v1/jobs/a-name").await;
    server.get("/v1/jobs/another-name").await;
    server.get("/nothing/here").await;
    server.call("BREW", "/v1/jobs").send().await;
    server.call("GET", "/v1/jobs/a-name").anonymous().send().await;
    server.call("GET", "/metrics").bearer(&stranger).send().await;
    let answer = metrics(&server).await;
    for line in [
        r#"punctual_api_requests_total{route="job",method="GET",code="404"} 2"#,
        r#"punctual_api_requests_total{route="job",method="GET",code="401"} 1"#,
        r#"punctual_api_requests_total{route="unknown",method="GET",code="404"} 1"#,
        r#"punctual_api_requests_total{route="jobs",method="other",code="405"} 1"#,
        r#"punctual_api_requests_total{route="metrics",method="GET",code="403"} 1"#,
        r#"punctual_api_requests_total{route="collection",method="PUT",code="201"} 1"#,
        "punctual_api_request_duration_seconds_count 7",
    ] {
        assert_has(&answer, line);
    }
    assert!(!answer.body().contains("a-name"), "no names of clients in metrics");
}

#[tokio::test]
async fn what_an_edit_leaves_out_is_counted_under_the_stored_name() {
    let server = Server::start().await;
    let job = json!({
        "action": {"request": {"uri": "https://example.com"}},
        "recurrence": {"frequency": "minute"},
        "state": "disabled",
    });
    let made = server.put("/v1/collections/Default/jobs/j", job).await;
    assert_eq!(made.status(), 201, "{made}");
    server.set_clock("2026-11-15T12:10:00Z");
    let enabled = server.patch("/v1/jobs/j", json!({"state": "enabled"})).await;
    assert_eq!(enabled.status(), 200, "{enabled}");
    let labels = r#"subscription="local",group="default",collection="default",reason="disabled""#;
    let answer = metrics(&server).await;
    let counted = answer.body().lines().find(|line| line.contains(labels)).unwrap_or_else(|| panic!("{answer}"));
    assert!(!counted.ends_with("} 0"), "{counted}");
}
