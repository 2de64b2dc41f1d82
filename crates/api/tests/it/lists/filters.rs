//! `$filter`, `$top` and `$skip` in the spellings that clients send.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::Server;

async fn five() -> Server {
    let server = Server::start().await;
    for (name, state) in [("b", "Enabled"), ("A", "Disabled"), ("c", "Enabled"), ("E", "Disabled"), ("d", "Enabled")] {
        let job = json!({ "action": { "request": { "uri": "https://example.com" } }, "state": state, "recurrence": { "frequency": "day" } });
        assert_eq!(server.put(&format!("/v1/jobs/{name}"), job).await.status(), 201);
    }
    server
}

#[tokio::test]
async fn by_state() {
    let server = five().await;
    let mut table = Vec::new();
    for query in [
        "",
        "$filter=state%20eq%20Disabled",
        "$filter=state+eq+Disabled",
        "%24filter=state%20eq%20disabled",
        "%24FILTER=State%20EQ%20'DISABLED'",
        "$filter=state%20eq%20Completed",
        "$filter=",
        "$top=2",
        "%24top=2",
        "$top=2&$skip=2",
        "%24skip=3",
        "$skip=0",
        "$skip=9",
        "$skip=4294967295",
        "$top=500",
        "$top=1&$filter=state%20eq%20enabled&$skip=1",
        "api-version=whatever",
    ] {
        let answer = server.get(&format!("/v1/collections/default/jobs?{query}")).await;
        assert_eq!(answer.at("/nextLink"), json!(null), "{query}");
        table.push(format!("{query} -> {}", answer.each("name").join(" ")));
    }
    assert_snapshot!(table.join("\n"), @"
     -> default/A default/b default/c default/d default/E
    $filter=state%20eq%20Disabled -> default/A default/E
    $filter=state+eq+Disabled -> default/A default/E
    %24filter=state%20eq%20disabled -> default/A default/E
    %24FILTER=State%20EQ%20'DISABLED' -> default/A default/E
    $filter=state%20eq%20Completed -> 
    $filter= -> default/A default/b default/c default/d default/E
    $top=2 -> default/A default/b
    %24top=2 -> default/A default/b
    $top=2&$skip=2 -> default/c default/d
    %24skip=3 -> default/d default/E
    $skip=0 -> default/A default/b default/c default/d default/E
    $skip=9 -> 
    $skip=4294967295 -> 
    $top=500 -> default/A default/b default/c default/d default/E
    $top=1&$filter=state%20eq%20enabled&$skip=1 -> default/c
    api-version=whatever -> default/A default/b default/c default/d default/E
    ");
}

#[tokio::test]
async fn collections_and_groups_are_cut_too() {
    let server = Server::start().await;
    for name in ["b", "A", "c"] {
        server.put(&format!("/v1/collections/{name}?group=G{name}"), json!({})).await;
    }
    let list = "/subscriptions/local/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01";
    assert_eq!(server.get(list).await.each("name"), ["default", "A", "b", "c"]);
    assert_eq!(server.get(&format!("{list}&$top=2")).await.each("name"), ["default", "A"]);
    assert_eq!(server.get(&format!("{list}&$top=2&$skip=1")).await.each("name"), ["A", "b"]);
    assert_eq!(server.get("/v1/collections?group=gB").await.each("name"), ["b"]);
    let groups = "/subscriptions/local/resourceGroups?api-version=2016-03-01";
    assert_eq!(server.get(groups).await.each("name"), ["default", "GA", "Gb", "Gc"]);
    assert_eq!(server.get(&format!("{groups}&$top=1&$skip=2")).await.each("name"), ["Gb"]);
}
