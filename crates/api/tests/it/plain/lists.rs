//! The list of all jobs.

use insta::assert_snapshot;
use punctual_model::access::Role;
use punctual_model::history::StatusKind::{Completed, Failed};
use serde_json::{Value, json};

use super::{get, make};
use crate::answer::Answer;
use crate::attempts::{attempted, find_job};
use crate::server::{Server, collection};

fn job() -> Value {
    json!({ "action": { "request": { "uri": "https://example.com/?key=HIDDEN" } }, "startTime": "2026-12-01" })
}

/// Jobs in collections of several groups and subscriptions.
async fn with_jobs() -> Server {
    let server = Server::start().await;
    for (place, names) in [
        ("default?", vec!["b", "a"]),
        ("ops?", vec!["c"]),
        ("empty?", vec![]),
        ("ops?group=aaa&", vec!["z", "y"]),
        ("far?subscription=other&group=g&", vec!["far"]),
    ] {
        let (name, query) = place.split_once('?').unwrap();
        server.put(&format!("/v1/collections/{name}?{query}"), json!({})).await;
        for job_name in names {
            make(&server, &format!("/v1/collections/{name}/jobs/{job_name}?{query}"), job()).await;
        }
    }
    server
}

/// The group, the collection and the name of each job.
fn places(list: &Answer) -> Vec<String> {
    let short = |path: String| {
        let parts: Vec<_> = path.split('/').collect();
        format!("{}/{}/{}", parts[4], parts[8], parts[10])
    };
    list.each("path").into_iter().map(short).collect()
}

#[tokio::test]
async fn all_jobs_in_the_order_of_their_paths() {
    let server = with_jobs().await;
    let all = get(&server, "/v1/jobs").await;
    assert_snapshot!(places(&all).join(" "), @"aaa/ops/y aaa/ops/z default/default/a default/default/b default/ops/c g/far/far");
    assert_eq!(all.at("/nextLink"), Value::Null);
    let of_default = get(&server, "/v1/collections/default/jobs").await;
    assert_eq!(places(&of_default), ["default/default/a", "default/default/b"]);
    assert_eq!(of_default.at("/value/0"), all.at("/value/2"));
    assert_eq!(of_default.at("/value/0"), get(&server, "/v1/jobs/a").await.json(), "before it has run");
    let some = async |query: &str| places(&get(&server, &format!("/v1/jobs?{query}")).await).join(" ");
    assert_snapshot!(some("group=aaa").await, @"aaa/ops/y aaa/ops/z");
    assert_snapshot!(some("subscription=other").await, @"g/far/far");
    assert_snapshot!(some("subscription=other&group=h").await, @"");
    assert_snapshot!(some("$top=3").await, @"aaa/ops/y aaa/ops/z default/default/a");
    let (mut seen, mut next) = (Vec::new(), Some("/v1/jobs?$top=4".to_owned()));
    while let Some(path) = next {
        let page = get(&server, &path).await;
        seen.push(places(&page).len());
        next = page.next_path();
    }
    assert_eq!(seen, [4, 2], "$top is the size of a page here, and all pages are found");
    server.patch("/v1/collections/ops/jobs/c", json!({ "state": "disabled" })).await;
    assert_snapshot!(some("$filter=state%20eq%20disabled").await, @"default/ops/c");
    assert_snapshot!(get(&server, "/v1/jobs?$skip=1").await.complaint(), @"400 BadRequest: $skip: There is no such parameter here, only q, state, outcome, target, collection, sort, $skiptoken, api-version, subscription, group, $top, $filter.");
    for token in ["YWJj", "YS9iL2M", "!", "Ly8v"] {
        let answer = get(&server, &format!("/v1/jobs?$skiptoken={token}")).await;
        assert_eq!(answer.status(), 400, "{token}: {answer}");
    }
}

#[tokio::test]
async fn what_the_caller_may_see() {
    let server = with_jobs().await;
    let ops = collection("ops");
    let seen = async |role, scope: &str| {
        let token = server.token(role, scope).await;
        server.call("GET", "/v1/jobs").plain().bearer(&token).send().await
    };
    let one = seen(Role::Reader, &ops).await;
    assert_eq!(places(&one), ["default/ops/c"]);
    assert!(!one.body().contains("HIDDEN"), "{one}");
    assert!(seen(Role::Contributor, &ops).await.body().contains("HIDDEN"));
    assert_eq!(places(&seen(Role::Reader, "/subscriptions/other").await), ["g/far/far"]);
    assert_eq!(places(&seen(Role::Owner, "/subscriptions/local/resourceGroups/aaa").await), ["aaa/ops/y", "aaa/ops/z"]);
    assert_eq!(places(&seen(Role::Reader, "/subscriptions/nobody").await), Vec::<String>::new());
    assert_eq!(server.call("GET", "/v1/jobs").plain().anonymous().send().await.status(), 401);
}

/// Pages end and begin in the middle of collections, and nothing is shown twice or left out.
#[tokio::test]
async fn pages_lead_through_all_collections() {
    let server = Server::start().await;
    let mut wanted = Vec::new();
    for (name, jobs) in [("a", 499), ("b", 1), ("c", 2), ("d", 600)] {
        server.put(&format!("/v1/collections/{name}"), json!({})).await;
        for number in 0..jobs {
            server.put(&format!("/v1/collections/{name}/jobs/{number:03}"), job()).await;
            wanted.push(format!("default/{name}/{number:03}"));
        }
    }
    let (mut seen, mut sizes, mut next) = (Vec::new(), Vec::new(), Some("/v1/jobs?api-version=x".to_owned()));
    while let Some(path) = next {
        let page = get(&server, &path).await;
        sizes.push(page.each("name").len());
        seen.extend(places(&page));
        next = page.next_path();
        // Where a page has ended may be gone when the next one is asked for.
        if sizes.len() == 1 {
            server.delete("/v1/collections/b").await;
        }
    }
    assert_eq!(sizes, [500, 500, 102]);
    assert_eq!(seen, wanted);
}

#[tokio::test]
async fn jobs_that_are_looked_for() {
    let server = Server::start().await;
    for (name, uri) in
        [("report", "https://a.example"), ("backup", "https://b.example"), ("Reporter", "https://b.example")]
    {
        let job = json!({ "startTime": "2026-12-01", "action": { "request": { "uri": uri } } });
        make(&server, &format!("/v1/jobs/{name}"), job).await;
    }
    let of = async |query: &str| {
        let answer = get(&server, &format!("/v1/jobs?{query}")).await.json();
        let names = answer["value"].as_array().unwrap().iter().map(|job| job["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(of("q=REPORT").await, ["report", "Reporter"]);
    assert_eq!(of("q=b.example").await, ["backup", "Reporter"]);
    assert_eq!(of("target=B.example&q=rep").await, ["Reporter"]);
    assert_eq!(of("state=disabled").await, [""; 0]);
    assert_eq!(of("outcome=failed").await, [""; 0]);
    let refused = get(&server, "/v1/jobs?state=odd").await;
    assert_eq!((refused.status(), refused.at("/error/details/0/target")), (400, json!("state")));
}

/// All pages of a list, and how many jobs each of them has.
async fn all_pages(server: &Server, path: &str) -> (Vec<String>, Vec<usize>) {
    let (mut seen, mut sizes, mut next) = (Vec::new(), Vec::new(), Some(path.to_owned()));
    while let Some(path) = next {
        let page = get(server, &path).await;
        assert_eq!(page.status(), 200, "{path}: {page}");
        sizes.push(page.each("name").len());
        seen.extend(page.each("name"));
        next = page.next_path();
    }
    (seen, sizes)
}

#[tokio::test]
async fn jobs_are_sorted_by_their_next_run() {
    let server = Server::start().await;
    server.put("/v1/collections/ops", json!({})).await;
    for (name, start, uri) in [
        ("default/jobs/a-late", "2026-12-03", "https://a.example"),
        ("ops/jobs/b-soon", "2026-12-01", "https://b.example"),
        ("default/jobs/c-between", "2026-12-02", "https://b.example"),
        ("ops/jobs/d-off", "2026-12-01", "https://b.example"),
        ("default/jobs/e-off", "2026-12-01", "https://a.example"),
        ("default/jobs/f-between", "2026-12-02", "https://a.example"),
    ] {
        let job = json!({ "startTime": start, "action": { "request": { "uri": uri } } });
        make(&server, &format!("/v1/collections/{name}"), job).await;
    }
    for name in ["ops/jobs/d-off", "default/jobs/e-off"] {
        server.patch(&format!("/v1/collections/{name}"), json!({ "state": "disabled" })).await;
    }
    let (all, _) = all_pages(&server, "/v1/jobs?sort=nextRun").await;
    assert_eq!(all[..1], ["b-soon"]);
    let mut between = all[1..3].to_vec();
    between.sort();
    assert_eq!(between, ["c-between", "f-between"], "at the same instant in no order of names");
    assert_eq!(all[3..], ["a-late", "e-off", "d-off"], "those without a next run by their names");
    for size in 1..7 {
        let (paged, sizes) = all_pages(&server, &format!("/v1/jobs?sort=nextRun&$top={size}")).await;
        assert_eq!(paged, all, "pages of {size}: {sizes:?}");
    }
    let some = async |query: &str| all_pages(&server, &format!("/v1/jobs?sort=NEXTRUN&$top=1&{query}")).await.0;
    assert_eq!(some("target=b.example").await, ["b-soon", "c-between", "d-off"]);
    assert_eq!(some("q=off").await, ["e-off", "d-off"]);
    assert_eq!(some("state=enabled&q=O").await, ["b-soon"]);
    assert_eq!(some("collection=OPS").await, ["b-soon", "d-off"]);
    assert_eq!(some("collection=nobody").await, [""; 0]);
    assert_eq!(all_pages(&server, "/v1/jobs?sort=name&collection=ops&$top=1").await.0, ["b-soon", "d-off"]);
    let token = server.token(Role::Reader, &collection("ops")).await;
    let seen = server.call("GET", "/v1/jobs?sort=nextRun").plain().bearer(&token).send().await;
    assert_eq!(seen.each("name"), ["b-soon", "d-off"]);
}

#[tokio::test]
async fn an_order_that_there_is_not_and_places_of_other_orders() {
    let server = with_jobs().await;
    let refused = get(&server, "/v1/jobs?sort=lastRun").await;
    assert_snapshot!(refused.complaint(), @r#"400 BadRequest: sort: Given "lastRun", expected name, nextRun or failingSince."#);
    let next = get(&server, "/v1/jobs?sort=nextRun&$top=1").await.next_path().unwrap();
    for sort in ["name", "failingSince"] {
        let answer = get(&server, &next.replace("sort=nextRun", &format!("sort={sort}"))).await;
        assert_eq!(answer.status(), 400, "{sort}: {answer}");
    }
    let refused = get(&server, "/v1/jobs?collection=no/name").await;
    assert_eq!((refused.status(), refused.at("/error/details/0/target")), (400, json!("collection")));
}

#[tokio::test]
async fn jobs_are_sorted_by_the_time_they_began_to_fail() {
    let server = Server::start().await;
    for name in ["a-well", "b-first", "c-second", "d-mended"] {
        let job = json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "Minute" } });
        make(&server, &format!("/v1/jobs/{name}"), job).await;
    }
    for (name, minute, kind) in [
        ("d-mended", 0, Failed),
        ("b-first", 1, Failed),
        ("c-second", 2, Failed),
        ("b-first", 3, Failed),
        ("d-mended", 4, Completed),
    ] {
        let (job, at) = (find_job(&server, "default", name).await, format!("2026-11-15T12:0{minute}Z"));
        attempted(&server, &job, &at, &at, kind).await;
    }
    let (all, _) = all_pages(&server, "/v1/jobs?sort=failingSince").await;
    assert_eq!(all, ["c-second", "b-first", "a-well", "d-mended"]);
    for size in 1..5 {
        assert_eq!(all_pages(&server, &format!("/v1/jobs?sort=failingSince&$top={size}")).await.0, all);
    }
    let some = async |query: &str| all_pages(&server, &format!("/v1/jobs?{query}")).await.0;
    assert_eq!(some("sort=failingSince&outcome=failed").await, ["c-second", "b-first"]);
    assert_eq!(some("outcome=failed").await, ["b-first", "c-second"]);
}
