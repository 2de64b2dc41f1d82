//! What the original's clients ask of other services on their way.

use insta::assert_snapshot;
use serde_json::json;

use crate::server::Server;

#[tokio::test]
async fn subscriptions() {
    let server = Server::start().await;
    server.put("/v1/collections/a?subscription=Other", json!({})).await;
    assert_snapshot!(server.get("/subscriptions?api-version=2016-06-01").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "id": "/subscriptions/local",
          "subscriptionId": "local",
          "displayName": "local",
          "state": "Enabled"
        },
        {
          "id": "/subscriptions/Other",
          "subscriptionId": "Other",
          "displayName": "Other",
          "state": "Enabled"
        }
      ],
      "nextLink": null
    }
    "#);
    assert_snapshot!(server.get("/subscriptions/anything?api-version=2016-06-01").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "id": "/subscriptions/anything",
      "subscriptionId": "anything",
      "displayName": "anything",
      "state": "Enabled"
    }
    "#);
}

#[tokio::test]
async fn the_provider_is_registered_always() {
    let server = Server::start().await;
    let provider = server.get("/subscriptions/s/providers/Microsoft.Scheduler?api-version=2016-02-01").await;
    let text = provider.to_string();
    let kinds: Vec<_> = provider.at("/resourceTypes").as_array().unwrap().clone();
    assert_eq!(provider.at("/registrationState"), "Registered", "{text}");
    assert_eq!(kinds[0]["resourceType"], "jobcollections");
    assert_eq!(kinds[0]["apiVersions"], json!(["2016-03-01", "2016-01-01", "2014-08-01-preview"]));
    assert!(kinds[0]["locations"].as_array().unwrap().contains(&json!("South Central US")));
    let registered =
        server.post("/subscriptions/s/providers/Microsoft.Scheduler/register?api-version=2016-02-01").await;
    assert_eq!(registered.to_string(), text);
    let all = server.get("/subscriptions/s/providers?api-version=2016-02-01").await;
    assert_eq!((all.at("/value/0"), all.at("/nextLink")), (provider.json(), json!(null)));
}

#[tokio::test]
async fn operations() {
    let server = Server::start().await;
    let listed = server.get("/providers/Microsoft.Scheduler/operations?api-version=2016-03-01").await;
    assert_snapshot!(listed.each("name").join("\n"), @"
    Microsoft.Scheduler/jobcollections/read
    Microsoft.Scheduler/jobcollections/write
    Microsoft.Scheduler/jobcollections/delete
    Microsoft.Scheduler/jobcollections/enable/action
    Microsoft.Scheduler/jobcollections/disable/action
    Microsoft.Scheduler/jobcollections/jobs/read
    Microsoft.Scheduler/jobcollections/jobs/write
    Microsoft.Scheduler/jobcollections/jobs/delete
    Microsoft.Scheduler/jobcollections/jobs/run/action
    Microsoft.Scheduler/jobcollections/jobs/history/read
    ");
}
