//! Which paths mean the same, which mean nothing, and what may be done at them.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::{Server, collection};

#[tokio::test]
async fn long_and_short_in_any_case_are_one() {
    let server = Server::start().await;
    server.put("/v1/collections/C", json!({})).await;
    server
        .put(
            "/v1/collections/C/jobs/My Job".replace(' ', "%20").as_str(),
            json!({ "action": { "request": { "uri": "https://example.com" } } }),
        )
        .await;
    let short = server.get("/v1/collections/C/jobs/My%20Job").await;
    assert_eq!(short.at("/name"), "C/My Job");
    assert_snapshot!(short.at("/id"), @r#""/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/C/jobs/My Job""#);
    let spellings = [
        format!("{}/jobs/my%20job?api-version=2016-03-01", collection("c")),
        format!("{}/jobs/MY%20JOB/?api-version=2016-03-01", collection("C")),
        format!("{}/jobs/m%79%20job?API-VERSION=2016-03-01", collection("C").to_uppercase()),
        format!("{}/jobs/my%20job?api%2Dversion=2016-03-01", collection("C").to_lowercase()),
        "/V1/COLLECTIONS/c/JOBS/my%20job".to_owned(),
        "/v1/collections/C/jobs/My%20Job?subscription=LOCAL&group=Default".to_owned(),
    ];
    for path in spellings {
        assert_eq!(server.get(&path).await.to_string(), short.to_string(), "{path}");
    }
    let elsewhere = server.get("/v1/collections/C/jobs/My%20Job?group=other").await;
    assert_eq!(elsewhere.status(), 404);
}

#[tokio::test]
async fn the_short_path_of_jobs_is_the_collection_default() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", json!({ "action": { "request": { "uri": "https://example.com" } } })).await;
    let long = server.get(&format!("{}/jobs/j?api-version=2016-03-01", collection("default"))).await;
    assert_eq!(server.get("/v1/jobs/j").await.to_string(), long.to_string());
    assert_eq!(server.get("/v1/jobs").await.ids(), server.get("/v1/collections/default/jobs").await.ids());
}

#[tokio::test]
async fn nothing_is_anywhere_else() {
    let server = Server::start().await;
    let mut said = Vec::new();
    for path in [
        "/v1",
        "/v1/",
        "/v2/jobs",
        "/jobs/j",
        "/v1/jobs/j/",
        "/v1/jobs//run",
        "/v1/jobs/j/stop",
        "/v1/jobs/j/history/1",
        "/v1/collections/c/job",
        "/v1//jobs",
        "/subscriptions/s/providers/Microsoft.Compute",
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/x",
        "/healthz/x",
        "/v1/secrets",
        "/v1/tokens/a/b",
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c/jobs/j/x",
    ] {
        let answer = server.get(path).await;
        said.push(format!("{path} -> {}", answer.complaint()));
    }
    assert_snapshot!(said.join("\n"), @r#"
    /v1 -> 404 NotFound: There is nothing at '/v1'.
    /v1/ -> 404 NotFound: There is nothing at '/v1/'.
    /v2/jobs -> 404 NotFound: There is nothing at '/v2/jobs'.
    /jobs/j -> 404 NotFound: There is nothing at '/jobs/j'.
    /v1/jobs/j/ -> 404 NotFound: Job 'j' cannot be found.
    /v1/jobs//run -> 400 BadRequest: the job: Given "", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /v1/jobs/j/stop -> 404 NotFound: There is nothing at '/v1/jobs/j/stop'.
    /v1/jobs/j/history/1 -> 404 NotFound: Job 'j' cannot be found.
    /v1/collections/c/job -> 404 NotFound: There is nothing at '/v1/collections/c/job'.
    /v1//jobs -> 404 NotFound: There is nothing at '/v1//jobs'.
    /subscriptions/s/providers/Microsoft.Compute -> 404 NotFound: There is nothing at '/subscriptions/s/providers/Microsoft.Compute'.
    /subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/x -> 404 NotFound: There is nothing at '/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/x'.
    /healthz/x -> 404 NotFound: There is nothing at '/healthz/x'.
    /v1/secrets -> 404 NotFound: There is nothing at '/v1/secrets'.
    /v1/tokens/a/b -> 404 NotFound: There is nothing at '/v1/tokens/a/b'.
    /subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c/jobs/j/x -> 404 NotFound: There is nothing at '/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c/jobs/j/x'.
    "#);
}

#[tokio::test]
async fn another_method_is_told_which_are_allowed() {
    let server = Server::start().await;
    let v = "?api-version=2016-03-01";
    let cases = [
        ("POST", "/healthz".to_owned()),
        ("GET", "/v1/preview".to_owned()),
        ("PUT", "/v1/tokens".to_owned()),
        ("GET", "/v1/tokens/abcdefgh2345".to_owned()),
        ("PATCH", "/v1/assignments".to_owned()),
        ("GET", "/v1/assignments/1".to_owned()),
        ("GET", "/v1/secrets/rotate".to_owned()),
        ("POST", "/subscriptions".to_owned()),
        ("DELETE", "/subscriptions/s".to_owned()),
        ("GET", "/subscriptions/s/providers/Microsoft.Scheduler/register".to_owned()),
        ("POST", "/subscriptions/s/resourceGroups/g".to_owned()),
        ("POST", format!("{}{v}", collection("c"))),
        ("GET", format!("{}/enable{v}", collection("c"))),
        ("PUT", format!("{}/jobs{v}", collection("c"))),
        ("POST", format!("{}/jobs/j{v}", collection("c"))),
        ("GET", format!("{}/jobs/j/run{v}", collection("c"))),
        ("DELETE", format!("{}/jobs/j/history{v}", collection("c"))),
        ("OPTIONS", "/v1/jobs/j".to_owned()),
        ("BREW", "/v1/jobs/j".to_owned()),
    ];
    let mut said = Vec::new();
    for (method, path) in cases {
        let answer = server.call(method, &path).send().await;
        assert_eq!(answer.status(), 405, "{method} {path}: {answer}");
        assert!(answer.complaint().contains(&answer.header("allow")), "{answer}");
        said.push(format!("{method} {} -> {}", path.replace(v, ""), answer.header("allow")));
    }
    assert_snapshot!(said.join("\n"), @"
    POST /healthz -> GET, HEAD
    GET /v1/preview -> POST
    PUT /v1/tokens -> GET, POST
    GET /v1/tokens/abcdefgh2345 -> DELETE
    PATCH /v1/assignments -> GET, POST
    GET /v1/assignments/1 -> DELETE
    GET /v1/secrets/rotate -> POST
    POST /subscriptions -> GET
    DELETE /subscriptions/s -> GET
    GET /subscriptions/s/providers/Microsoft.Scheduler/register -> POST
    POST /subscriptions/s/resourceGroups/g -> GET, HEAD, PUT, DELETE
    POST /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/c -> GET, PUT, PATCH, DELETE
    GET /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/c/enable -> POST
    PUT /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/c/jobs -> GET
    POST /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/c/jobs/j -> GET, PUT, PATCH, DELETE
    GET /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/c/jobs/j/run -> POST
    DELETE /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/c/jobs/j/history -> GET
    OPTIONS /v1/jobs/j -> GET, PUT, PATCH, DELETE
    BREW /v1/jobs/j -> GET, PUT, PATCH, DELETE
    ");
    assert_snapshot!(server.call("BREW", "/v1/jobs/j").send().await, @r#"
    405 Method Not Allowed
    content-type: application/json; charset=utf-8
    allow: GET, PUT, PATCH, DELETE
    {
      "error": {
        "code": "MethodNotAllowed",
        "message": "The method BREW is not allowed here; allowed: GET, PUT, PATCH, DELETE."
      }
    }
    "#);
}
