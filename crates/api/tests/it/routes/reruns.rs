//! What failed, run once more.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use insta::assert_snapshot;
use punctual_model::access::Role;
use punctual_model::history::StatusKind::{Completed, Failed, Postponed};
use punctual_model::occurrence::{Origin, Original, Phase};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::attempts::{attempted, attempted_as, beside, find_job};
use crate::server::{NOW, Server, collection, instant};

fn job() -> Value {
    json!({ "action": { "request": { "uri": "https://example.com" } }, "startTime": "2030-01-01" })
}

async fn rerun(server: &Server, body: Value) -> Answer {
    server.call("POST", "/v1/rerun").json(&body).send().await
}

/// The id of the newest record of a job of the collection `default`.
async fn newest(server: &Server, job: &str) -> String {
    let id = server.get(&format!("/v1/jobs/{job}/history")).await.ids().remove(0);
    id.rsplit('/').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_record_is_run_again_as_the_same_occurrence() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", job()).await;
    let entry = find_job(&server, "default", "j").await;
    attempted(&server, &entry, "2026-11-14T10:00Z", "2026-11-14T10:00:01Z", Failed).await;
    let tag = server.get("/v1/jobs/j/history").await.at("/value/0/properties/executionTag");
    let id = newest(&server, "j").await;
    let answer = server.post(&format!("/v1/jobs/j/history/{id}/rerun")).await;
    assert_eq!((answer.status(), answer.at("/executionTag")), (200, tag.clone()));
    let [(occurrence, tag_again)] = beside(&server, &entry).await.try_into().unwrap();
    assert_eq!(tag, tag_again.to_string());
    assert_eq!(occurrence.origin, Origin::Rerun(Original::Schedule));
    assert_eq!((occurrence.nominal, occurrence.wake_at), (instant("2026-11-14T10:00Z"), instant(NOW)));
    assert_eq!((occurrence.repeat, occurrence.attempt), (7, 0));
    let path =
        format!("{}/jobs/j/history/{}/rerun?api-version=2016-03-01", collection("default"), id.replace(':', "%3A"));
    assert_snapshot!(server.post(&path).await, @r#"
    409 Conflict
    content-type: application/json; charset=utf-8
    {
      "error": {
        "code": "ConflictError",
        "message": "Occurrence '798ec95e4eb32eb336db8f979121dde2' of job 'j' is still open; let it end first.",
        "details": [
          {
            "code": "ConflictError",
            "target": "rerun",
            "message": "Occurrence '798ec95e4eb32eb336db8f979121dde2' of job 'j' is still open; let it end first."
          }
        ]
      }
    }
    "#);
}

#[tokio::test]
async fn the_error_action_is_run_again_where_the_record_is_about_it() {
    let server = Server::start().await;
    let mut with_error = job();
    with_error["action"]["errorAction"] = json!({ "request": { "uri": "https://other.example" } });
    server.put("/v1/jobs/j", with_error).await;
    let entry = find_job(&server, "default", "j").await;
    let (nominal, started) = ("2026-11-14T10:00Z", "2026-11-14T10:00:01Z");
    attempted_as(&server, &entry, (Origin::Manual(3), Phase::Error), nominal, started, Failed).await;
    let path = format!("/v1/jobs/j/history/{}/rerun", newest(&server, "j").await);
    assert_eq!(server.post(&path).await.status(), 200);
    let [(occurrence, _)] = beside(&server, &entry).await.try_into().unwrap();
    assert_eq!((occurrence.origin, occurrence.phase), (Origin::Rerun(Original::Manual(3)), Phase::Error));
    // It stands in the lane of the error action, not in that of the action.
    let lanes = server.work_store.due_of(vec![entry.id]).await.unwrap().into_iter().map(|key| key.lane);
    assert_eq!(lanes.collect::<std::collections::BTreeSet<_>>().len(), 2);
    server.put("/v1/jobs/k", job()).await;
    let without = find_job(&server, "default", "k").await;
    attempted_as(&server, &without, (Origin::Schedule, Phase::Error), nominal, started, Failed).await;
    let path = format!("/v1/jobs/k/history/{}/rerun", newest(&server, "k").await);
    let refused = server.post(&path).await.complaint();
    assert!(refused.starts_with("409") && refused.ends_with("job 'k' has none any more."), "{refused}");
}

#[tokio::test]
async fn what_is_no_attempt_or_not_there_is_refused() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", job()).await;
    let entry = find_job(&server, "default", "j").await;
    attempted(&server, &entry, "2026-11-14T10:00Z", "2026-11-14T10:00Z", Postponed).await;
    let id = newest(&server, "j").await;
    let mut told = Vec::new();
    for path in [
        format!("/v1/jobs/j/history/{id}/rerun"),
        "/v1/jobs/j/history/00000000000000000000:00000000000000000000/rerun".to_owned(),
        "/v1/jobs/j/history/last/rerun".to_owned(),
        format!("/v1/jobs/other/history/{id}/rerun"),
        format!("/v1/collections/none/jobs/j/history/{id}/rerun"),
    ] {
        told.push(server.post(&path).await.complaint().replace(&id, "ID"));
    }
    assert_snapshot!(told.join("\n"), @"
    409 ConflictError: rerun: Record 'ID' is about no attempt at running job 'j', so there is none to repeat.
    404 NotFound: History record '00000000000000000000:00000000000000000000' cannot be found.
    404 NotFound: History record 'last' cannot be found.
    404 NotFound: Job 'other' cannot be found.
    404 ResourceNotFound: The Resource 'Microsoft.Scheduler/jobcollections/none' under resource group 'default' was not found.
    ");
    assert!(beside(&server, &entry).await.is_empty());
}

/// What a rerun did, in a few lines.
fn counted(answer: &Answer) -> String {
    let line = |it: &Value| format!("rerun {}, left {} {}", it["rerun"], it["left"], it["leftBecause"]);
    let body = answer.json();
    let jobs = body["jobs"].as_array().unwrap().iter();
    let jobs = jobs.map(|job| format!("\n{}: {}", job["job"].as_str().unwrap(), line(job)));
    line(&body) + &jobs.collect::<String>()
}

#[tokio::test]
async fn ten_of_a_job_wait_at_most() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", job()).await;
    let entry = find_job(&server, "default", "j").await;
    for minute in 10..22 {
        let at = format!("2026-11-14T10:{minute}Z");
        attempted(&server, &entry, &at, &at, Failed).await;
    }
    assert_snapshot!(rerun(&server, json!({ "since": "2026-11-14" })).await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "rerun": 10,
      "left": 2,
      "leftBecause": {
        "waitingRuns": 2
      },
      "jobs": [
        {
          "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j",
          "commandPath": "default/j",
          "collection": "default",
          "job": "j",
          "rerun": 10,
          "left": 2,
          "leftBecause": {
            "waitingRuns": 2
          }
        }
      ]
    }
    "#);
    let open = beside(&server, &entry).await;
    assert_eq!((open.len(), open[0].0.nominal), (10, instant("2026-11-14T10:10Z")), "the oldest first");
    let id = newest(&server, "j").await;
    assert_snapshot!(server.post(&format!("/v1/jobs/j/history/{id}/rerun")).await.complaint(), @"409 ConflictError: rerun: 10 reruns of job 'j' wait already; let them run first.");
    assert_eq!(server.post("/v1/jobs/j/run").await.status(), 200, "manual runs wait beside them");
}

#[tokio::test]
async fn all_that_failed_in_a_time_and_was_not_completed_since() {
    let server = Server::start().await;
    let day = |hour: u32| format!("2026-11-14T{hour:02}:00Z");
    let attempts = [
        ("failed", vec![(1, 3, Failed), (1, 4, Failed)]),
        ("completed-later", vec![(1, 3, Failed), (1, 9, Completed)]),
        ("completed-before", vec![(1, 1, Completed), (1, 3, Failed)]),
        ("another-completed", vec![(1, 3, Failed), (2, 4, Completed)]),
        ("too-early", vec![(1, 1, Failed)]),
        ("too-late", vec![(1, 6, Failed)]),
        ("healthy", vec![(1, 3, Completed), (2, 4, Postponed)]),
        ("disabled", vec![(1, 3, Failed)]),
    ];
    for (name, attempts) in attempts {
        server.put(&format!("/v1/jobs/{name}"), job()).await;
        let entry = find_job(&server, "default", name).await;
        for (nominal, started, kind) in attempts {
            attempted(&server, &entry, &day(nominal), &day(started), kind).await;
        }
    }
    let disabled = json!({ "properties": { "state": "Disabled" } });
    assert_eq!(server.patch("/v1/jobs/disabled", disabled).await.status(), 200);
    // The error action failed, the action did not.
    server.put("/v1/jobs/error-action", job()).await;
    let entry = find_job(&server, "default", "error-action").await;
    attempted_as(&server, &entry, (Origin::Schedule, Phase::Error), &day(1), &day(3), Failed).await;
    let wanted = json!({ "since": day(2), "until": day(5) });
    let dry = server.call("POST", "/v1/rerun?dryRun=true").json(&wanted).send().await;
    assert_eq!(dry.json()["dryRun"], true);
    assert_snapshot!(counted(&dry), @r#"
    rerun 3, left 1 {"disabled":1}
    another-completed: rerun 1, left 0 null
    completed-before: rerun 1, left 0 null
    disabled: rerun 0, left 1 {"disabled":1}
    failed: rerun 1, left 0 null
    "#);
    assert_snapshot!(counted(&rerun(&server, wanted.clone()).await), @r#"
    rerun 3, left 1 {"disabled":1}
    another-completed: rerun 1, left 0 null
    completed-before: rerun 1, left 0 null
    disabled: rerun 0, left 1 {"disabled":1}
    failed: rerun 1, left 0 null
    "#);
    assert_snapshot!(counted(&rerun(&server, wanted).await), @r#"
    rerun 0, left 4 {"disabled":1,"stillOpen":3}
    another-completed: rerun 0, left 1 {"stillOpen":1}
    completed-before: rerun 0, left 1 {"stillOpen":1}
    disabled: rerun 0, left 1 {"disabled":1}
    failed: rerun 0, left 1 {"stillOpen":1}
    "#);
    let mut open = Vec::new();
    for name in server.get("/v1/jobs").await.each("name") {
        let name = name.rsplit('/').next().unwrap().to_owned();
        let entry = find_job(&server, "default", &name).await;
        open.extend(beside(&server, &entry).await.iter().map(|_| name.clone()));
    }
    assert_eq!(open, ["another-completed", "completed-before", "failed"]);
}

#[tokio::test]
async fn only_in_collections_that_the_caller_may_write() {
    let server = Server::start().await;
    for name in ["one", "three", "two"] {
        server.put(&format!("/v1/collections/{name}"), json!({})).await;
        server.put(&format!("/v1/collections/{name}/jobs/j"), job()).await;
        let entry = find_job(&server, name, "j").await;
        attempted(&server, &entry, "2026-11-14T10:00Z", "2026-11-14T10:00Z", Failed).await;
    }
    server.post("/v1/collections/three/disable").await;
    let since = json!({ "since": "2026-11-14" });
    let by = |token: String, body: Value| {
        let server = &server;
        async move { server.call("POST", "/v1/rerun").bearer(&token).json(&body).send().await }
    };
    let one = server.token(Role::Contributor, &collection("one")).await;
    let named = |name: &str| json!({ "since": "2026-11-14", "collection": name });
    assert_snapshot!(by(one.clone(), named("two")).await.complaint(), @"403 AuthorizationFailed: POST needs the role contributor on '/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/two'.");
    assert_eq!(by(one.clone(), named(&collection("ONE"))).await.json()["rerun"], 1);
    assert_eq!(by(one, since.clone()).await.json()["rerun"], 0, "it is open already");
    let reader = server.token(Role::Reader, "/").await;
    assert_eq!(by(reader, since.clone()).await.status(), 403);
    assert_eq!(rerun(&server, named("none")).await.status(), 404);
    assert_eq!(rerun(&server, since).await.json()["rerun"], 1, "two; three is disabled");
}

#[tokio::test]
async fn it_goes_on_where_it_ended() {
    let server = Server::start().await;
    for name in ["a", "b", "c"] {
        server.put(&format!("/v1/jobs/{name}"), job()).await;
        let entry = find_job(&server, "default", name).await;
        attempted(&server, &entry, "2026-11-14T10:00Z", "2026-11-14T10:00Z", Failed).await;
    }
    let since = json!({ "since": "2026-11-14" });
    for (place, rerun) in [("local/default/default", 0), ("local/default/default/b", 1), ("local/default/a", 2)] {
        let path = format!("/v1/rerun?continue={}", URL_SAFE_NO_PAD.encode(place));
        let answer = server.call("POST", &path).json(&since).send().await;
        assert_eq!(answer.json()["rerun"], rerun, "{place}");
    }
}

#[tokio::test]
async fn of_jobs_that_call_a_target_only() {
    let server = Server::start().await;
    let mut elsewhere = job();
    elsewhere["action"]["request"]["uri"] = json!("https://other.example:8443/x");
    for (name, body) in [("a", job()), ("b", elsewhere), ("c", job())] {
        server.put(&format!("/v1/jobs/{name}"), body).await;
        let entry = find_job(&server, "default", name).await;
        attempted(&server, &entry, "2026-11-14T10:00Z", "2026-11-14T10:00:01Z", Failed).await;
    }
    let at = async |target: &str| {
        let body = json!({ "since": "2026-11-14", "target": target });
        counted(&server.call("POST", "/v1/rerun?dryRun=true").json(&body).send().await)
    };
    for target in ["example.com", "example.com:443", "https://example.com"] {
        assert_eq!(
            at(target).await,
            "rerun 2, left 0 null\na: rerun 1, left 0 null\nc: rerun 1, left 0 null",
            "{target}"
        );
    }
    let empty = rerun(&server, json!({ "since": "2026-11-14", "target": "" })).await;
    assert_eq!((empty.status(), empty.at("/error/details/0/target")), (400, json!("target")));
    assert_snapshot!([at("example.com").await, at("Other.example:8443").await, at("nowhere").await].join("\n\n"), @"
    rerun 2, left 0 null
    a: rerun 1, left 0 null
    c: rerun 1, left 0 null

    rerun 1, left 0 null
    b: rerun 1, left 0 null

    rerun 0, left 0 null
    ");
}

#[tokio::test]
async fn of_one_job_only() {
    let server = Server::start().await;
    for name in ["a", "b"] {
        server.put(&format!("/v1/jobs/{name}"), job()).await;
        let entry = find_job(&server, "default", name).await;
        attempted(&server, &entry, "2026-11-14T10:00Z", "2026-11-14T10:00:01Z", Failed).await;
    }
    let wanted = json!({ "since": "2026-11-14", "collection": "default", "job": "B" });
    let answer = rerun(&server, wanted).await;
    assert_eq!(
        (answer.at("/rerun"), answer.at("/jobs/0/job"), answer.at("/continue")),
        (1.into(), "b".into(), Value::Null)
    );
    assert!(beside(&server, &find_job(&server, "default", "a").await).await.is_empty());
    let missing = json!({ "since": "2026-11-14", "collection": "default", "job": "c" });
    assert_eq!(rerun(&server, missing).await.status(), 404);
}
