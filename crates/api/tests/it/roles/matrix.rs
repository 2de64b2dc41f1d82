//! The matrix.

use std::collections::{BTreeMap, BTreeSet};

use insta::assert_snapshot;
use serde_json::json;

use super::callers::{Caller, everyone};
use super::routes::{ROWS, Row};
use super::{Holding, is_within, suffices};
use crate::answer::Answer;
use crate::server::Server;

/// What this caller must be answered here.
fn expected(row: &Row, caller: &Caller) -> u16 {
    let Some((needed, place)) = row.needs else { return row.allowed };
    let Some(holds) = &caller.holds else { return 401 };
    let is_enough = |holding: &Holding| {
        let holds_all = is_within(place, holding.scope) && suffices(holding.role, needed);
        holds_all || (row.from_inside && is_within(holding.scope, place) && suffices(holding.role, needed))
    };
    if holds.iter().any(is_enough) { row.allowed } else { 403 }
}

async fn ask(server: &Server, row: &Row, caller: &Caller) -> Answer {
    let call = server.call(row.method, &row.path());
    let call = match &caller.bearer {
        Some(token) => call.bearer(token),
        None => call.anonymous(),
    };
    let call = match row.method {
        "PATCH" => call.json(&json!({})),
        "GET" | "HEAD" | "DELETE" => call,
        _ => call.json(&json!([])),
    };
    call.send().await
}

#[tokio::test]
async fn every_route_with_every_caller() {
    let (server, callers) = everyone().await;
    let before = server.everything().await;
    let mut wrong = Vec::new();
    for row in &ROWS {
        for caller in &callers {
            let (answer, expected) = (ask(&server, row, caller).await, expected(row, caller));
            if answer.status() != expected {
                wrong.push(format!(
                    "{} {} by {}: {} and not {expected}",
                    row.method,
                    row.path,
                    caller.name,
                    answer.status()
                ));
            }
            let challenges = answer.header("www-authenticate").starts_with("Bearer");
            assert_eq!(challenges, answer.status() == 401, "{} {}: {answer}", row.method, row.path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(server.everything().await, before, "nobody has changed anything");
}

/// What each of them is answered on each route.
async fn table(server: &Server, shown: &[&Caller]) -> String {
    let mut lines: Vec<_> =
        shown.iter().enumerate().map(|(at, caller)| format!("{}{}", "    ".repeat(at), caller.name)).collect();
    for row in &ROWS {
        let mut statuses = Vec::new();
        for caller in shown {
            statuses.push(ask(server, row, caller).await.status().to_string());
        }
        let path = row.path.split('?').next().unwrap();
        lines.push(format!("{}  {} {path}", statuses.join(" "), row.method));
    }
    lines.join("\n")
}

/// For reading: what is answered to whom. 401 to who is not known, whoever they say they are.
#[tokio::test]
async fn the_matrix_as_a_table() {
    let (server, callers) = everyone().await;
    let shown = [
        "nobody",
        "reader on server",
        "contributor on server",
        "owner on server",
        "reader on group",
        "contributor on group",
        "owner on group",
        "reader on collection",
        "contributor on collection",
        "owner on other group",
        "JWT of nobodies",
    ];
    let shown: Vec<&Caller> =
        shown.iter().map(|name| callers.iter().find(|caller| caller.name == *name).unwrap()).collect();
    assert_snapshot!(table(&server, &shown).await, @"
    nobody
        reader on server
            contributor on server
                owner on server
                    reader on group
                        contributor on group
                            owner on group
                                reader on collection
                                    contributor on collection
                                        owner on other group
                                            JWT of nobodies
    200 200 200 200 200 200 200 200 200 200 200  GET /healthz
    200 200 200 200 200 200 200 200 200 200 200  HEAD /healthz
    200 200 200 200 200 200 200 200 200 200 200  GET /readyz
    200 200 200 200 200 200 200 200 200 200 200  HEAD /readyz
    200 200 200 200 200 200 200 200 200 200 200  GET /openapi.json
    200 200 200 200 200 200 200 200 200 200 200  HEAD /openapi.json
    200 200 200 200 200 200 200 200 200 200 200  GET /schema.json
    200 200 200 200 200 200 200 200 200 200 200  HEAD /schema.json
    401 200 200 200 403 403 403 403 403 403 403  GET /metrics
    401 400 400 400 400 400 400 400 400 400 403  POST /v1/preview
    401 200 200 200 403 403 403 403 403 403 403  GET /v1/audit
    401 200 200 200 200 200 200 200 200 200 403  GET /v1/events
    401 200 200 200 200 200 200 200 200 200 403  GET /v1/failures
    401 200 200 200 200 200 200 200 200 200 403  GET /v1/due
    401 200 200 200 200 200 200 200 200 200 403  GET /v1/history
    401 403 400 400 403 400 400 403 400 400 403  POST /v1/rerun
    401 403 400 400 403 400 400 403 400 400 403  POST /v1/bulk
    401 200 200 200 200 200 200 200 200 200 403  GET /v1/alerts
    401 404 404 404 404 404 404 404 404 404 403  GET /v1/alerts/a
    401 403 400 400 403 400 400 403 400 400 403  PUT /v1/alerts/a
    401 403 404 404 403 404 404 403 404 404 403  DELETE /v1/alerts/a
    401 403 400 400 403 400 400 403 400 400 403  POST /v1/alerts/a/test
    401 403 400 400 403 400 400 403 400 400 403  POST /v1/alerts/a/mute
    401 403 400 400 403 400 400 403 400 400 403  POST /v1/alerts/a/unmute
    401 404 404 404 404 404 404 404 404 404 403  GET /v1/alerts/a/changes
    401 404 404 404 404 404 404 404 404 404 403  GET /v1/alerts/a/messages
    401 404 404 404 404 404 404 404 404 404 403  GET /v1/alerts/a/messages/1
    401 200 200 200 200 200 200 200 200 200 403  GET /v1/incidents
    401 404 404 404 404 404 404 404 404 404 403  GET /v1/incidents/1
    401 403 400 400 403 400 400 403 400 400 403  POST /v1/incidents/1/mute
    401 403 400 400 403 400 400 403 400 400 403  POST /v1/incidents/1/unmute
    401 200 200 200 403 403 403 403 403 403 403  GET /v1/pause
    401 403 403 400 403 403 403 403 403 403 403  POST /v1/pause
    401 403 403 400 403 403 403 403 403 403 403  POST /v1/resume
    401 400 400 400 400 400 400 400 400 400 403  POST /v1/sign-in-link
    401 200 200 200 403 403 403 403 403 403 403  GET /v1/cluster
    401 403 403 400 403 403 403 403 403 403 403  POST /v1/cluster/nodes/0/drain
    401 403 403 409 403 403 403 403 403 403 403  DELETE /v1/cluster/nodes/0/drain
    401 200 200 200 403 403 403 403 403 403 403  GET /v1/changes
    401 200 200 200 200 200 200 200 200 200 403  GET /v1/jobs
    401 403 403 200 403 403 403 403 403 403 403  GET /v1/tokens
    401 403 403 400 403 403 403 403 403 403 403  POST /v1/tokens
    401 403 403 404 403 403 403 403 403 403 403  DELETE /v1/tokens/zzzzzzzzzzzz
    401 403 403 200 403 403 403 403 403 403 403  GET /v1/assignments
    401 403 403 400 403 403 403 403 403 403 403  POST /v1/assignments
    401 403 403 404 403 403 403 403 403 403 403  DELETE /v1/assignments/99
    401 403 403 400 403 403 403 403 403 403 403  POST /v1/secrets/rotate
    401 200 200 200 200 200 200 200 200 200 403  GET /subscriptions
    401 200 200 200 200 200 200 200 200 200 403  GET /providers/Microsoft.Scheduler/operations
    401 200 200 200 200 200 200 200 200 200 403  GET {S}
    401 200 200 200 200 200 200 200 200 200 403  GET {S}/providers
    401 200 200 200 200 200 200 200 200 200 403  GET {S}/providers/Microsoft.Scheduler
    401 200 200 200 200 200 200 200 200 200 403  POST {S}/providers/Microsoft.Scheduler/register
    401 200 200 200 200 200 200 200 200 200 403  GET {S}/providers/Microsoft.Scheduler/jobCollections
    401 200 200 200 200 200 200 200 200 200 403  GET {S}/resourceGroups
    401 200 200 200 200 200 200 200 200 403 403  GET {G}
    401 204 204 204 204 204 204 204 204 403 403  HEAD {G}
    401 403 400 400 403 400 400 403 403 403 403  PUT {G}
    401 403 404 404 403 404 404 403 403 403 403  DELETE {G}
    401 200 200 200 200 200 200 200 200 403 403  GET {G}/providers/Microsoft.Scheduler/jobCollections
    401 404 404 404 404 404 404 404 404 403 403  GET {C}
    401 403 400 400 403 400 400 403 400 403 403  PUT {C}
    401 403 404 404 403 404 404 403 404 403 403  PATCH {C}
    401 403 404 404 403 404 404 403 404 403 403  DELETE {C}
    401 403 404 404 403 404 404 403 404 403 403  POST {C}/enable
    401 403 404 404 403 404 404 403 404 403 403  POST {C}/disable
    401 404 404 404 404 404 404 404 404 403 403  GET {C}/jobs
    401 404 404 404 404 404 404 404 404 403 403  GET {C}/jobs/j
    401 403 400 400 403 400 400 403 400 403 403  PUT {C}/jobs/j
    401 403 404 404 403 404 404 403 404 403 403  PATCH {C}/jobs/j
    401 403 404 404 403 404 404 403 404 403 403  DELETE {C}/jobs/j
    401 403 404 404 403 404 404 403 404 403 403  POST {C}/jobs/j/run
    401 404 404 404 404 404 404 404 404 403 403  GET {C}/jobs/j/history
    401 404 404 404 404 404 404 404 404 403 403  GET {C}/jobs/j/history/1
    401 403 404 404 403 404 404 403 404 403 403  POST {C}/jobs/j/history/1/rerun
    401 404 404 404 404 404 404 404 404 403 403  GET {C}/changes
    401 404 404 404 404 404 404 404 404 403 403  GET {C}/jobs/j/changes
    401 200 200 200 200 200 200 200 200 403 403  GET /v1/collections
    401 404 404 404 404 404 404 404 404 403 403  GET /v1/collections/c
    401 403 400 400 403 400 400 403 400 403 403  PUT /v1/collections/c
    401 403 404 404 403 404 404 403 404 403 403  PATCH /v1/collections/c
    401 403 404 404 403 404 404 403 404 403 403  DELETE /v1/collections/C
    401 403 400 400 403 400 400 403 400 403 403  POST /v1/collections/c/enable
    401 404 404 404 404 404 404 404 404 403 403  GET /v1/collections/c/jobs
    401 404 404 404 404 404 404 404 404 403 403  GET /v1/collections/c/jobs/j
    401 403 400 400 403 400 400 403 400 403 403  PUT /v1/collections/c/jobs/j
    401 403 404 404 403 404 404 403 404 403 403  PATCH /v1/collections/c/jobs/j
    401 403 404 404 403 404 404 403 404 403 403  DELETE /v1/collections/c/jobs/j
    401 403 400 400 403 400 400 403 400 403 403  POST /v1/collections/c/jobs/j/run
    401 403 400 400 403 400 400 403 400 403 403  POST /v1/collections/c/jobs/j/enable
    401 403 400 400 403 400 400 403 400 403 403  POST /v1/collections/c/jobs/j/disable
    401 404 404 404 404 404 404 404 404 403 403  GET /v1/collections/c/jobs/j/at/03:15
    401 404 404 404 404 404 404 404 404 403 403  GET /v1/collections/c/jobs/j/backfill
    401 403 400 400 403 400 400 403 400 403 403  POST /v1/collections/c/jobs/j/backfill
    401 403 404 404 403 404 404 403 404 403 403  DELETE /v1/collections/c/jobs/j/backfill
    401 404 404 404 404 404 404 404 404 403 403  GET /v1/collections/c/jobs/j/history
    401 404 404 404 404 404 404 404 404 403 403  GET /v1/collections/c/jobs/j/history/1
    401 403 400 400 403 400 400 403 400 403 403  POST /v1/collections/c/jobs/j/history/1/rerun
    ");
}

/// Every method that a path takes has a row: a path says itself which it takes.
#[tokio::test]
async fn no_method_is_left_out() {
    let server = Server::start().await;
    let mut methods: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in &ROWS {
        // One row is written in capitals on purpose.
        let is_new = methods.entry(row.path().to_lowercase()).or_default().insert(row.method.to_owned());
        assert!(is_new, "{} {} stands twice", row.method, row.path);
    }
    for (path, methods) in methods {
        let refused = server.call("BREW", &path).send().await;
        assert_eq!(refused.status(), 405, "{path}");
        let allowed: BTreeSet<_> = refused.header("allow").split(", ").map(str::to_owned).collect();
        assert_eq!(allowed, methods, "{path}");
    }
}

#[tokio::test]
async fn a_refusal_says_what_is_missing() {
    let (server, callers) = everyone().await;
    let row = ROWS.iter().find(|row| row.method == "PUT" && row.path.starts_with("{C}/jobs")).unwrap();
    let by = |name: &str| callers.iter().find(|caller| caller.name == name).unwrap();
    assert_snapshot!(ask(&server, row, by("reader on group")).await, @r#"
    403 Forbidden
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "AuthorizationFailed",
        "message": "PUT needs the role contributor on '/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c'; the caller has reader there."
      }
    }
    "#);
    assert_snapshot!(ask(&server, row, by("JWT of nobodies")).await.complaint(), @"403 AuthorizationFailed: PUT needs the role contributor on '/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c'; the caller has no role there.");
    let mut told = BTreeMap::new();
    for caller in callers.iter().filter(|caller| caller.holds.is_none()) {
        told.insert(caller.name.clone(), ask(&server, row, caller).await.header("www-authenticate"));
    }
    let told: Vec<_> = told.into_iter().map(|(name, challenge)| format!("{name}: {challenge}")).collect();
    assert_snapshot!(told.join("\n"), @r#"
    JWT, HMAC with the public key: Bearer error="invalid_token", error_description="the token is signed with an algorithm that is not taken"
    JWT, alg none: Bearer error="invalid_token", error_description="the token is signed with an algorithm that is not taken"
    JWT, changed: Bearer error="invalid_token", error_description="the signature of the token is wrong"
    JWT, expired: Bearer error="invalid_token", error_description="the token has expired"
    JWT, not yet valid: Bearer error="invalid_token", error_description="the token is not valid yet"
    JWT, of another key: Bearer error="invalid_token", error_description="the signature of the token is wrong"
    JWT, other issuer: Bearer error="invalid_token", error_description="the issuer of the token is not trusted here"
    JWT, without an end: Bearer error="invalid_token", error_description="the token cannot be read"
    JWT, wrong audience: Bearer error="invalid_token", error_description="the token is meant for somebody else"
    expired token: Bearer error="invalid_token", error_description="the token has expired"
    half a token: Bearer error="invalid_token", error_description="the token cannot be read"
    no JWT: Bearer error="invalid_token", error_description="the token cannot be read"
    nobody: Bearer
    revoked token: Bearer error="invalid_token", error_description="the token is not known"
    token that expires now: Bearer error="invalid_token", error_description="the token has expired"
    unknown token: Bearer error="invalid_token", error_description="the token is not known"
    "#);
}
