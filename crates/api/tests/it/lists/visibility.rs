//! Lists show what the caller may see, on however many pages.

use punctual_model::access::Role;
use serde_json::json;

use crate::answer::Answer;
use crate::server::{Server, collection};

async fn seen(server: &Server, token: &str, path: &str) -> Answer {
    server.call("GET", path).bearer(token).send().await
}

#[tokio::test]
async fn only_what_the_caller_may_see() {
    let server = Server::start().await;
    for (name, group) in [("a", "g1"), ("b", "g1"), ("c", "g2")] {
        server.put(&format!("/v1/collections/{name}?group={group}"), json!({})).await;
    }
    server.put("/v1/collections/x?subscription=other", json!({})).await;
    let one = collection("b").replace("/default/", "/g1/");
    let token = server.token(Role::Reader, &one).await;
    let list = "/subscriptions/local/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01";
    assert_eq!(seen(&server, &token, list).await.each("name"), ["b"]);
    assert_eq!(seen(&server, &token, "/v1/collections?group=g1").await.each("name"), ["b"]);
    assert_eq!(seen(&server, &token, "/v1/collections?group=g2").await.status(), 403);
    let groups = "/subscriptions/local/resourceGroups?api-version=2016-03-01";
    assert_eq!(seen(&server, &token, groups).await.each("name"), ["g1"]);
    assert_eq!(seen(&server, &token, "/subscriptions?api-version=2016-03-01").await.each("subscriptionId"), ["local"]);
}

/// Whoever may see only the last of many finds it: a page on which nothing may be seen is not the end.
#[tokio::test]
async fn what_may_be_seen_is_found_behind_many_others() {
    let server = Server::start().await;
    for number in 0..510 {
        server.put(&format!("/v1/collections/c?group=g{number:03}"), json!({})).await;
        server.put(&format!("/v1/collections/c?subscription=s{number:03}"), json!({})).await;
    }
    let group = server.token(Role::Reader, "/subscriptions/local/resourceGroups/g509").await;
    let list = "/subscriptions/local/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01";
    assert_eq!(seen(&server, &group, list).await.each("name"), ["c"]);
    let groups = "/subscriptions/local/resourceGroups?api-version=2016-03-01";
    assert_eq!(seen(&server, &group, groups).await.each("name"), ["g509"]);
    let subscription = server.token(Role::Reader, "/subscriptions/s509").await;
    let subscriptions = "/subscriptions?api-version=2016-03-01";
    assert_eq!(seen(&server, &subscription, subscriptions).await.each("subscriptionId"), ["s509"]);
    assert_eq!(seen(&server, &server.owner, groups).await.each("name").len(), 500);
}
