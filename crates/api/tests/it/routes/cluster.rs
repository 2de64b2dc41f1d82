//! The nodes on the store: with SQLite there is one.

use std::sync::Arc;

use insta::assert_snapshot;
use punctual_metrics::Metrics;
use serde_json::json;

use crate::server::{Server, instant};

#[tokio::test]
async fn a_server_on_sqlite_is_the_only_node_and_has_all_shards() {
    let metrics = Arc::<Metrics>::default();
    let server = Server::start().await.counting(Arc::clone(&metrics));
    let answer = server.get("/v1/cluster").await;
    let version = format!(r#""version":"{}""#, env!("CARGO_PKG_VERSION"));
    let body = answer.body().replace(&version, r#""version":"V""#);
    assert_snapshot!(body, @r#"{"database":"sqlite","now":"2026-11-15T12:00:00Z","thisNode":0,"nodes":[{"id":0,"name":"punctual","state":"running","shards":256,"inFlight":0,"overdueSeconds":0,"clockOffsetMs":0,"joinedAt":"2026-11-15T12:00:00Z","seenAt":"2026-11-15T12:00:00Z","version":"V","url":"https://punctual.example"}],"shards":{"total":256,"owned":256,"withoutOwner":0},"claims":0}"#);
    metrics.engine.in_flight.set(2);
    metrics.engine.settling.set(1);
    metrics.engine.due_since_ticks.set(instant("2026-11-15T12:00:20Z").ticks());
    server.set_clock("2026-11-15T12:00:32.5Z");
    let answer = server.get("/v1/cluster").await;
    assert_eq!(answer.at("/nodes/0/inFlight"), 3, "one of them has ended, and is not on disk");
    assert_eq!(answer.at("/nodes/0/overdueSeconds"), 12);
    assert_eq!(answer.at("/nodes/0/joinedAt"), "2026-11-15T12:00:00Z");
    assert_eq!(answer.at("/nodes/0/seenAt"), "2026-11-15T12:00:32.5Z");
}

#[tokio::test]
async fn the_only_node_cannot_be_drained() {
    let server = Server::start().await;
    let drained = server.post("/v1/cluster/nodes/0/drain").await;
    assert_eq!(drained.status(), 409);
    assert_snapshot!(drained.at("/error/message"), @r#""This server keeps its jobs in SQLite and is the only node: nobody is there to take its shards. Stop it when it suits you, or serve from PostgreSQL with several nodes.""#);
    let kept = server.call("DELETE", "/v1/cluster/nodes/0/drain").send().await;
    assert_eq!((kept.status(), kept.at("/error/message")), (409, drained.at("/error/message")));
    assert_eq!(server.get("/v1/cluster").await.at("/nodes/0/state"), "running");
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    let server = Server::start().await;
    let with_body = server.call("POST", "/v1/cluster/nodes/0/drain").json(&json!({ "wait": true })).send().await;
    assert_snapshot!(with_body.at("/error/details/0/target"), @r#""wait""#);
    let long = server.post(&format!("/v1/cluster/nodes/{}/drain", "n".repeat(261))).await;
    assert_snapshot!(long.at("/error/details/0/target"), @r#""the node""#);
    assert_eq!(server.get("/v1/cluster/nodes").await.status(), 404);
    assert_eq!(server.get("/v1/cluster?all=true").await.status(), 400);
}
