//! Many writes in one request.

use insta::assert_snapshot;
use punctual_model::access::Role;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::Server;

fn job(uri: &str) -> Value {
    json!({ "action": { "request": { "uri": uri } }, "recurrence": { "frequency": "day" }, "startTime": "2027-01-01" })
}

#[expect(clippy::needless_pass_by_value, reason = "bodies are written where they are sent")]
fn put(path: &str, body: Value) -> Value {
    json!({ "path": path, "body": body })
}

async fn bulk(server: &Server, query: &str, items: Value) -> Answer {
    server.call("POST", &format!("/v1/bulk{query}")).plain().json(&json!({ "items": items })).send().await
}

/// Each answer on a line of its own. Tags differ each time.
fn lines(answer: &Answer) -> String {
    let shown = |item: &Value| {
        let mut item = item.clone();
        if item.get("etag").is_some() {
            item["etag"] = json!("…");
        }
        item.to_string()
    };
    answer.at("/value").as_array().unwrap().iter().map(shown).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn each_is_judged_and_answered_alone() {
    let server = Server::start().await;
    let items = json!([
        put("/v1/collections/ops/jobs/early", job("https://example.com")),
        put("/v1/collections/ops", json!({})),
        put("/v1/collections/ops/jobs/a", job("https://example.com")),
        put("/v1/collections/ops/jobs/b", job("not an address")),
        put("/v1/collections/ops/jobs/A", job("https://example.com/other")),
        { "method": "DELETE", "path": "/v1/jobs/nobody" },
        { "path": "/v1/collections/ops/jobs/c", "body": job("https://example.com"), "ifMatch": "\"j1-1\"" },
        put("/v1/tokens", json!({})),
        put("/v1/nowhere", json!({})),
        put("/v1/collections/ops/jobs/d?dryRun=true", job("https://example.com")),
        put("/v1/alerts/team", json!({ "when": ["failing"], "action": { "request": { "uri": "https://example.com" } } })),
    ]);
    assert_snapshot!(lines(&bulk(&server, "", items).await), @r#"
    {"error":{"code":"ResourceNotFound","message":"The Resource 'Microsoft.Scheduler/jobcollections/ops' under resource group 'default' was not found."},"status":404}
    {"etag":"…","status":201}
    {"etag":"…","status":201}
    {"error":{"code":"BadRequest","details":[{"code":"InvalidValue","message":"Given \"not an address\", expected an absolute address such as https://example.com/path.","target":"action.request.uri"}],"message":"action.request.uri: given \"not an address\", expected an absolute address such as https://example.com/path."},"status":400}
    {"error":{"code":"BadRequest","details":[{"code":"InvalidValue","message":"This stands twice in the bulk, and what comes last would be left to chance: keep one.","target":"path"}],"message":"path: this stands twice in the bulk, and what comes last would be left to chance: keep one."},"status":400}
    {"error":{"code":"NotFound","message":"Job 'nobody' cannot be found."},"status":404}
    {"error":{"code":"PreconditionFailed","message":"If-Match says \"j1-1\", but there is nothing; read it again."},"status":412}
    {"error":{"code":"BadRequest","details":[{"code":"InvalidValue","message":"Given \"/v1/tokens\", expected the path of a job, a collection or an alert.","target":"path"}],"message":"path: given \"/v1/tokens\", expected the path of a job, a collection or an alert."},"status":400}
    {"error":{"code":"NotFound","message":"There is nothing at '/v1/nowhere'."},"status":404}
    {"error":{"code":"BadRequest","details":[{"code":"InvalidValue","message":"DryRun holds for the whole bulk: say it in the address of the request.","target":"path"}],"message":"path: dryRun holds for the whole bulk: say it in the address of the request."},"status":400}
    {"etag":"…","status":201}
    "#);
    assert_eq!(server.get("/v1/collections/ops/jobs").await.each("name"), ["ops/a"]);
    let again = bulk(&server, "", json!([put("/v1/collections/ops/jobs/a", job("https://example.com"))])).await;
    let one = server.call("GET", "/v1/collections/ops/jobs/a").plain().send().await;
    assert_eq!(again.at("/value/0/etag"), one.etag(), "what is so already is not written");
    let deleted = bulk(&server, "", json!([{ "method": "DELETE", "path": "/v1/collections/ops/jobs/a" }])).await;
    assert_snapshot!(lines(&deleted), @r#"{"status":200}"#);
}

#[tokio::test]
async fn a_plan_of_many_takes_collections_to_be_there() {
    let server = Server::start().await;
    let items =
        json!([put("/v1/collections/ops", json!({})), put("/v1/collections/ops/jobs/a", job("https://example.com")),]);
    let answer = bulk(&server, "?dryRun=true", items.clone()).await;
    assert_eq!(answer.at("/value/1/status"), 404, "nothing is assumed unless it is said");
    let assumed = json!([{ "path": "/v1/collections/ops", "body": { "state": "disabled" } }]);
    let body = json!({ "items": items, "assumed": assumed });
    let answer = server.call("POST", "/v1/bulk?dryRun=true").plain().json(&body).send().await;
    assert_snapshot!(lines(&answer), @r#"
    {"plan":{"change":"create"},"status":200}
    {"plan":{"change":"create","when":{"after":"At 00:00 every day, UTC"}},"status":200}
    "#);
    assert_eq!(server.get("/v1/collections/ops").await.status(), 404);
}

#[tokio::test]
async fn each_needs_the_role_on_what_it_writes() {
    let server = Server::start().await;
    server.put("/v1/collections/ops", json!({})).await;
    let ops = "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/ops";
    let writer = server.token(Role::Contributor, ops).await;
    let items = json!([
        put("/v1/collections/ops/jobs/a", job("https://example.com")),
        put("/v1/jobs/a", job("https://example.com")),
        put(
            "/v1/alerts/team",
            json!({ "when": ["failing"], "action": { "request": { "uri": "https://example.com" } } })
        ),
    ]);
    let call = server.call("POST", "/v1/bulk").plain().bearer(&writer).json(&json!({ "items": items }));
    let answer = call.send().await;
    let statuses: Vec<_> = [0, 1, 2].map(|at| answer.at(&format!("/value/{at}/status")).to_string()).into();
    assert_eq!(statuses, ["201", "403", "403"], "{answer}");
}

#[tokio::test]
async fn what_is_no_bulk_is_refused_whole() {
    let server = Server::start().await;
    let complaint = async |body: Value| server.call("POST", "/v1/bulk").plain().json(&body).send().await.complaint();
    assert_snapshot!(complaint(json!({})).await, @"400 BadRequest: items: Given nothing, expected a list of writes.");
    assert_snapshot!(complaint(json!({ "items": [{ "method": "POST", "path": "/v1/jobs/a" }] })).await, @r#"400 BadRequest: items[0].method: Given "POST", expected one of PUT, DELETE."#);
    assert_snapshot!(complaint(json!({ "items": [{}] })).await, @"400 BadRequest: items[0].path: Given nothing, expected the path of a job, a collection or an alert, such as /v1/collections/ops/jobs/nightly.");
    assert_snapshot!(complaint(json!({ "items": [{ "path": "/v1/jobs/a", "boddy": {} }] })).await, @"400 BadRequest: items[0].boddy: There is no such member here: did you mean body?");
    let many: Vec<_> = (0..1001).map(|_| put("/v1/jobs/a", json!({}))).collect();
    assert_snapshot!(complaint(json!({ "items": many })).await, @"400 BadRequest: items: Given 1001 values, expected at most 1000 values.");
    let assumed = json!({ "items": [], "assumed": [{ "path": "/v1/jobs/a" }] });
    assert_snapshot!(complaint(assumed).await, @r#"400 BadRequest: assumed: Given "/v1/jobs/a", expected the path of a collection."#);
}
