//! `nextLink`.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::Server;

const JOBS: usize = 1200;

fn name(number: usize) -> String {
    // In two alphabets and both cases, so that the order is not that of their making.
    if number.is_multiple_of(3) { format!("Job {:04}", JOBS - number) } else { format!("aufgabe-\u{fc}{number:04}") }
}

fn escaped(name: &str) -> String {
    name.replace(' ', "%20").replace('\u{fc}', "%C3%BC")
}

async fn many() -> Server {
    let server = Server::start().await;
    for number in 0..JOBS {
        let state = if number.is_multiple_of(4) { "Disabled" } else { "Enabled" };
        let job = json!({ "action": { "request": { "uri": "https://example.com" } }, "state": state, "recurrence": { "frequency": "day" } });
        let made = server.put(&format!("/v1/jobs/{}", escaped(&name(number))), job).await;
        assert_eq!(made.status(), 201, "{made}");
    }
    server
}

/// Follows the links from `path` to the end: the names, and how many were on each page.
async fn walk(server: &Server, path: &str) -> (Vec<String>, Vec<usize>) {
    let (mut names, mut sizes) = (Vec::new(), Vec::new());
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let page = server.get(&path).await;
        assert_eq!(page.status(), 200, "{path}: {page}");
        let shown = page.each("name");
        sizes.push(shown.len());
        names.extend(shown);
        next = page.next_path();
    }
    (names, sizes)
}

#[tokio::test]
async fn pages_show_every_job_exactly_once() {
    let server = many().await;
    let (names, sizes) = walk(&server, "/v1/collections/default/jobs").await;
    let mut wanted: Vec<_> = (0..JOBS).map(|number| format!("default/{}", name(number))).collect();
    wanted.sort_by_key(|name| name.to_lowercase());
    assert_eq!((names, sizes), (wanted, vec![500, 500, 200]));

    let (enabled, sizes) = walk(&server, "/v1/collections/default/jobs?%24filter=state+eq+Enabled").await;
    let mut wanted: Vec<_> = (0..JOBS).filter(|it| it % 4 != 0).map(|it| format!("default/{}", name(it))).collect();
    wanted.sort_by_key(|name| name.to_lowercase());
    assert_eq!((enabled, sizes), (wanted, vec![500, 400]));

    let (skipped, sizes) = walk(&server, "/v1/collections/default/jobs?$skip=100&api-version=2016-03-01").await;
    assert_eq!((skipped.len(), sizes), (JOBS - 100, vec![500, 500, 100]), "what was skipped is skipped once");

    let page =
        server.get("/v1/collections/default/jobs?$filter=state%20eq%20'enabled'&api-version=2016-03-01&$skip=0").await;
    assert_snapshot!(page.at("/nextLink"), @r#""https://punctual.example/v1/collections/default/jobs?$filter=state%20eq%20%27enabled%27&api-version=2016-03-01&$skiptoken=YXVmZ2FiZS3DvDA5OTg""#);
    let whole = server.get("/v1/collections/default/jobs?$top=500").await;
    assert_eq!((whole.each("name").len(), whole.at("/nextLink")), (500, json!(null)), "$top is the whole answer");

    // What comes or goes between two pages moves nothing that is on neither side of the cut.
    let first = server.get("/v1/collections/default/jobs").await;
    server.delete(&format!("/v1/jobs/{}", escaped(&first.each("name")[0]["default/".len()..]))).await;
    server.put("/v1/jobs/0first", json!({ "action": { "request": { "uri": "https://example.com" } } })).await;
    let second = server.get(&first.next_path().unwrap()).await;
    let (all, _) = walk(&server, "/v1/collections/default/jobs").await;
    assert_eq!(second.each("name"), all[500..1000]);
}

#[tokio::test]
async fn pages_of_collections_and_groups() {
    let server = Server::start().await;
    for number in 0..600 {
        let made = server.put(&format!("/v1/collections/c{number:03}?group=g{}", number % 7), json!({})).await;
        assert_eq!(made.status(), 201);
    }
    let list = "/subscriptions/local/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01";
    let (mut names, sizes) = walk(&server, list).await;
    assert_eq!(sizes, [500, 101]);
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 601);
    let link = server.get(list).await.at("/nextLink");
    assert_snapshot!(link, @r#""https://punctual.example/subscriptions/local/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01&$skiptoken=ZzUvYzQ4MQ""#);
}
