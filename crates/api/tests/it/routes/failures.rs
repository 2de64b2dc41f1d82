//! What fails, what comes next, and what came of all jobs.

use insta::assert_snapshot;
use punctual_model::access::Role;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::StatusKind::{Completed, Failed, Postponed};
use punctual_model::history::{NotRun, Reason};
use punctual_store::JobKey;
use serde_json::{Value, json};

use crate::attempts::{attempted, failed, find_job, not_run};
use crate::description::pattern;
use crate::server::{Server, collection, instant};

fn every_minute() -> Value {
    json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "Minute" } })
}

/// Two jobs: one that fails, and one that has recovered and was not run once.
async fn troubled() -> Server {
    let server = Server::start().await;
    for name in ["broken", "mended"] {
        server.put(&format!("/v1/jobs/{name}"), every_minute()).await;
    }
    let (broken, mended) = (find_job(&server, "default", "broken").await, find_job(&server, "default", "mended").await);
    for (job, minute, kind) in [
        (&mended, 0, Failed),
        (&mended, 1, Completed),
        (&mended, 2, Postponed),
        (&broken, 1, Completed),
        (&broken, 2, Failed),
        (&broken, 3, Failed),
    ] {
        let at = format!("2026-11-15T12:0{minute}Z");
        attempted(&server, job, &at, &at, kind).await;
    }
    server.set_clock("2026-11-15T12:04:30Z");
    server
}

fn names(answer: &Value) -> Vec<String> {
    let value = answer["value"].as_array().unwrap().iter();
    value.map(|it| format!("{} {}", it["job"].as_str().unwrap_or("-"), it["status"].as_str().unwrap_or("-"))).collect()
}

#[tokio::test]
async fn what_fails_now_and_what_has_failed() {
    let server = troubled().await;
    assert_snapshot!(server.get("/v1/failures").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "job": "broken",
          "collection": "default",
          "path": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/broken",
          "commandPath": "default/broken",
          "target": "example.com",
          "status": "failing",
          "class": "status",
          "code": 500,
          "reason": "example.com answered 500 Internal Server Error.",
          "since": "2026-11-15T12:02:00Z",
          "last": "2026-11-15T12:03:00Z",
          "count": 2,
          "record": "02516075566199999999:09223372036848484351",
          "executionTag": "65b48381eb2560a68e6b7f485b8a2c74",
          "message": "HTTP 500"
        }
      ],
      "nextLink": null
    }
    "#);
    let since = server.get("/v1/failures?since=24h").await.json();
    assert_eq!(names(&since), ["broken failing", "mended notRun", "mended recovered"]);
    assert_eq!(since["value"][1]["notRunReason"], "missed");
    let since = server.get("/v1/failures?since=2026-11-15T12:02Z").await.json();
    assert_eq!(names(&since), ["broken failing", "mended notRun"]);
    let grouped = server.get("/v1/failures?since=24h&grouped=target").await.json();
    assert_snapshot!(grouped["value"][0], @r#"{"class":"status","code":500,"count":4,"examples":["default/broken","default/mended"],"failing":1,"jobs":2,"last":"2026-11-15T12:03:00Z","reason":"example.com answered 500 Internal Server Error.","since":"2026-11-15T12:00:00Z","target":"example.com"}"#);
}

#[tokio::test]
async fn some_of_what_fails() {
    let server = troubled().await;
    let of = async |query: &str| names(&server.get(&format!("/v1/failures?since=24h&{query}")).await.json());
    assert_eq!(of("job=mended").await.len(), 2);
    assert_eq!(of("collection=other").await, [""; 0]);
    assert_eq!(of("target=example.com").await, ["broken failing", "mended notRun", "mended recovered"]);
    assert_eq!(of("class=timeout").await, [""; 0]);
    assert_eq!(of("class=status").await, ["broken failing", "mended recovered"]);
    let broken = find_job(&server, "default", "broken").await;
    let timeout = Failure::new(FailureClass::Timeout, "example.com", "No answer within 60 s.");
    failed(&server, &broken, "2026-11-15T12:03:30Z", timeout).await;
    assert_eq!(of("class=status").await, ["broken failing", "mended recovered"], "it fails, if for another reason now");
    assert_eq!(of("class=timeout").await, ["broken failing"]);
    let recent = server.get("/v1/failures?since=2026-11-15T12:03Z&class=status").await;
    assert_eq!(recent.at("/value/0/since"), "2026-11-15T12:02:00Z", "it fails for longer than is asked for");
    for (query, parameter) in [("class=bad", "class"), ("grouped=day", "grouped"), ("since=soon", "since")] {
        let refused = server.get(&format!("/v1/failures?{query}")).await;
        assert_eq!(refused.status(), 400, "{refused}");
        assert_eq!(refused.at("/error/details/0/target"), parameter, "{refused}");
    }
}

#[tokio::test]
async fn page_by_page() {
    let server = Server::start().await;
    for number in 0..5 {
        let name = format!("job{number}");
        server.put(&format!("/v1/jobs/{name}"), every_minute()).await;
        let job = find_job(&server, "default", &name).await;
        let at = format!("2026-11-15T12:0{number}Z");
        attempted(&server, &job, &at, &at, Failed).await;
    }
    let first = server.get("/v1/failures?$top=2").await.json();
    assert_eq!(names(&first), ["job4 failing", "job3 failing"]);
    let next = first["nextLink"].as_str().unwrap().strip_prefix("https://punctual.example").unwrap();
    assert_eq!(names(&server.get(next).await.json()), ["job2 failing", "job1 failing"]);
    let all = server.get("/v1/failures").await.json();
    assert_eq!(names(&all).len(), 5);
}

#[tokio::test]
async fn nobody_sees_what_is_not_his() {
    let server = troubled().await;
    server.put("/v1/collections/mine", json!({})).await;
    server.put("/v1/collections/mine/jobs/own", every_minute()).await;
    let own = find_job(&server, "mine", "own").await;
    attempted(&server, &own, "2026-11-15T12:03Z", "2026-11-15T12:03Z", Failed).await;
    let reader = server.token(Role::Reader, &collection("mine")).await;
    for path in ["/v1/failures", "/v1/failures?since=1d", "/v1/history", "/v1/due?within=1d"] {
        let seen = server.call("GET", path).plain().bearer(&reader).send().await.json();
        let jobs: Vec<_> = seen["value"].as_array().unwrap().iter().map(|it| it["job"].clone()).collect();
        assert_eq!(jobs, ["own"], "{path}");
    }
}

#[tokio::test]
async fn what_comes_next() {
    let server = troubled().await;
    let due = server.get("/v1/due").await;
    assert_eq!(due.at("/value/0/isDue"), true, "{due}");
    assert_eq!(due.at("/until"), "2026-11-15T13:04:30Z");
    assert!(due.json().get("paused").is_none(), "{due}");
    server.post("/v1/pause").await;
    assert_eq!(server.get("/v1/due").await.at("/paused"), true);
    let refused = server.get("/v1/due?within=forever").await;
    assert_eq!((refused.status(), refused.at("/error/details/0/target")), (400, json!("within")));
}

#[tokio::test]
async fn what_came_of_all_jobs() {
    let server = troubled().await;
    let of = async |query: &str| {
        let answer = server.call("GET", &format!("/v1/history?{query}")).plain().send().await;
        names(&answer.json())
    };
    assert_eq!(of("").await.len(), 6);
    assert_eq!(of("outcome=succeeded").await, ["broken succeeded", "mended succeeded"]);
    assert_eq!(of("outcome=notRun").await, ["mended notRun"]);
    assert_eq!(of("outcome=failed&job=broken").await, ["broken givenUp", "broken givenUp"]);
    assert_eq!(of("since=100s").await, ["broken givenUp"]);
}

/// Jobs that call two ports of a host and a queue; of each an attempt failed and another succeeded.
async fn of_three_targets() -> Server {
    let server = Server::start().await;
    let call = |uri: &str| json!({ "request": { "uri": uri } });
    let put_on_queue = json!({ "type": "StorageQueue", "queueMessage": {
        "storageAccount": "account1", "queueName": "orders", "sasToken": "?sv=2015-04-05&sig=a", "message": "m" } });
    for (name, action, host) in [
        ("one", call("http://127.0.0.1:20101/a"), "127.0.0.1"),
        ("two", call("http://127.0.0.1:20102"), "127.0.0.1"),
        ("web", call("https://example.com/b"), "example.com"),
        ("queue", put_on_queue, "account1"),
    ] {
        let put = server
            .put(&format!("/v1/jobs/{name}"), json!({ "action": action, "recurrence": { "frequency": "Minute" } }))
            .await;
        assert_eq!(put.status(), 201, "{put}");
        let job = find_job(&server, "default", name).await;
        failed(&server, &job, "2026-11-15T12:00Z", Failure::answered(FailureClass::Status, host, 500, "")).await;
        attempted(&server, &job, "2026-11-15T12:01Z", "2026-11-15T12:01Z", Completed).await;
        attempted(&server, &job, "2026-11-15T12:02Z", "2026-11-15T12:02Z", Postponed).await;
    }
    server.set_clock("2026-11-15T12:04:30Z");
    server
}

#[tokio::test]
async fn one_rule_says_which_targets_are_meant() {
    let server = of_three_targets().await;
    let jobs = async |path: &str| {
        let answer = server.call("GET", path).plain().send().await;
        assert_eq!(answer.status(), 200, "{answer}");
        let value = answer.json();
        let job = |it: &Value| it["job"].as_str().or(it["name"].as_str()).unwrap_or("-").to_owned();
        let mut jobs: Vec<_> = value["value"].as_array().unwrap().iter().map(job).collect();
        jobs.sort();
        jobs.join(" ")
    };
    for (target, expected) in [
        ("127.0.0.1:20101", "one"),
        ("http://127.0.0.1:20101", "one"),
        ("127.0.0.1", "one two"),
        ("account1/orders", "queue"),
        ("account1", "queue"),
        ("account1/other", ""),
        ("example.com", "web"),
        ("example.com:443", "web"),
        ("https://example.com", "web"),
        ("example.com:8443", ""),
        ("nowhere", ""),
    ] {
        assert_eq!(jobs(&format!("/v1/jobs?target={target}")).await, expected, "jobs {target}");
        for outcome in ["failed", "succeeded", "notRun"] {
            let path = format!("/v1/history?since=1h&outcome={outcome}&target={target}");
            assert_eq!(jobs(&path).await, expected, "{path}");
        }
        let twice: Vec<_> = expected.split_whitespace().flat_map(|job| [job, job]).collect();
        assert_eq!(jobs(&format!("/v1/failures?since=1h&target={target}")).await, twice.join(" "), "{target}");
    }
    let grouped = server.get("/v1/failures?since=1h&grouped=target").await.json();
    let mut targets: Vec<_> = grouped["value"].as_array().unwrap().iter().map(|it| it["target"].clone()).collect();
    targets.sort_by_key(ToString::to_string);
    assert_eq!(targets, ["127.0.0.1:20101", "127.0.0.1:20102", "account1/orders", "example.com"]);
    for path in ["jobs", "failures", "failures?since=1h", "history"] {
        let separator = if path.contains('?') { '&' } else { '?' };
        let refused = server.get(&format!("/v1/{path}{separator}target=https://h/path")).await;
        assert_eq!((refused.status(), refused.at("/error/details/0/target")), (400, json!("target")), "{refused}");
    }
}

#[tokio::test]
async fn what_fails_now_at_a_target() {
    let server = of_three_targets().await;
    for name in ["one", "two", "web", "queue"] {
        let job = find_job(&server, "default", name).await;
        attempted(&server, &job, "2026-11-15T12:03Z", "2026-11-15T12:03Z", Failed).await;
    }
    for (target, expected) in [("127.0.0.1:20102", "two"), ("account1", "queue"), ("example.com:443", "web")] {
        for path in ["/v1/failures?", "/v1/failures?grouped=job&"] {
            let answer = server.get(&format!("{path}target={target}")).await;
            assert_eq!(answer.json()["value"].as_array().unwrap().len(), 1, "{path}{target}");
            assert_eq!(answer.at("/value/0/job"), expected, "{path}{target}");
        }
    }
}

#[tokio::test]
async fn jobs_of_other_groups_are_named_as_commands_name_them() {
    let server = Server::start().await;
    let group = "/subscriptions/other/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/co%20l";
    server
        .put(&format!("{group}?api-version=2016-03-01"), json!({ "properties": { "sku": { "name": "Standard" } } }))
        .await;
    for (path, key) in [
        (format!("{group}/jobs/it's?api-version=2016-03-01"), "other/g/co l/it's"),
        ("/v1/jobs/here".to_owned(), "local/default/default/here"),
    ] {
        let job = every_minute();
        let put = server.put(&path, if path.starts_with("/v1") { job } else { json!({ "properties": job }) }).await;
        assert!(put.status() < 300, "{put}");
        let job = server.store.job(&JobKey::of_path(key).unwrap()).await.unwrap().unwrap().1.unwrap();
        attempted(&server, &job, "2026-11-15T12:00Z", "2026-11-15T12:00Z", Failed).await;
    }
    server.set_clock("2026-11-15T12:04:30Z");
    let rerun = server.call("POST", "/v1/rerun?dryRun=true").json(&json!({ "since": "2026-11-15" })).send().await;
    let grouped = server.get("/v1/failures?grouped=target").await;
    let examples = grouped.at("/value/0/examples");
    let answers = [
        server.get("/v1/failures").await.json()["value"].clone(),
        server.get("/v1/failures?since=1h").await.json()["value"].clone(),
        server.get("/v1/due").await.json()["value"].clone(),
        rerun.json()["jobs"].clone(),
    ];
    let listed =
        answers.iter().map(|list| list.as_array().unwrap().iter().map(|it| it["commandPath"].clone()).collect());
    for mut names in listed.chain([examples.as_array().unwrap().clone()]) {
        names.sort_by_key(ToString::to_string);
        assert_eq!(names, ["default/here", "other/g/co l/it's"]);
    }
}

#[tokio::test]
async fn what_was_not_run_is_told_by_each_reason_and_since_the_first_time() {
    let server = Server::start().await;
    server.put("/v1/jobs/j", every_minute()).await;
    let job = find_job(&server, "default", "j").await;
    for (at, first, last, number, reason) in [
        ("2026-11-15T12:10Z", "2026-11-15T12:00Z", "2026-11-15T12:09Z", 10, Reason::Paused),
        ("2026-11-15T12:20Z", "2026-11-15T12:11Z", "2026-11-15T12:19Z", 9, Reason::Disabled),
        ("2026-11-15T12:24Z", "2026-11-15T12:21Z", "2026-11-15T12:24Z", 4, Reason::Paused),
    ] {
        not_run(&server, &job, at, NotRun { first: instant(first), last: instant(last), number, reason }).await;
    }
    server.set_clock("2026-11-15T12:30Z");
    let told = server.get("/v1/failures?since=1h").await.json();
    let line = |it: &Value| format!("{} {} {}", it["notRunReason"], it["count"], it["since"]);
    let lines: Vec<_> = told["value"].as_array().unwrap().iter().map(line).collect();
    assert_eq!(lines, [r#""paused" 14 "2026-11-15T12:00:00Z""#, r#""disabled" 9 "2026-11-15T12:11:00Z""#]);
    let grouped = server.get("/v1/failures?since=1h&grouped=job").await;
    assert_eq!((grouped.at("/value/0/jobs"), grouped.at("/value/0/count")), (json!(1), json!(23)), "{grouped}");
}

#[tokio::test]
async fn times_are_described_as_they_are_taken() {
    let server = Server::start().await;
    let due = "/paths/~1v1~1due/get/parameters/0/schema/pattern";
    let since = "/components/parameters/Since/schema/pattern";
    for (path, pointer, texts) in [
        ("/v1/failures?since", since, ["24h", "PT24H", "2026-11-15T12:00:00Z", "2026-11-15"].as_slice()),
        ("/v1/history?since", since, &["7d", "P7D", "2026-11-15T12:00:00.5Z", "2026-11-15T12:00Z"]),
        ("/v1/due?within", due, &["24h", "PT24H", "366d", "P1D"]),
    ] {
        for text in texts {
            assert_eq!(server.get(&format!("{path}={text}")).await.status(), 200, "{path}={text}");
            assert!(pattern(pointer).is_match(text), "{text} is not described at {pointer}");
        }
    }
}

#[tokio::test]
async fn a_filter_is_refused_where_it_filters_nothing() {
    let server = Server::start().await;
    for path in ["/v1/failures", "/v1/due", "/v1/history", "/v1/alerts", "/v1/incidents"] {
        let refused = server.get(&format!("{path}?$filter=garbage")).await;
        assert_eq!((refused.status(), refused.at("/error/details/0/target")), (400, json!("$filter")), "{path}");
        assert_eq!(server.get(&format!("{path}?$top=1")).await.status(), 200, "{path}");
    }
    let refused = server.get("/v1/history?outcome=bar").await;
    let message = refused.at("/error/details/0/message").to_string();
    assert!(message.contains("succeeded, failed, notRun or givenUp"), "{refused}");
}
