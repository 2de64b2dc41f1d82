use insta::assert_snapshot;
use serde_json::json;

use super::{Table, parsed};

#[tokio::test]
async fn collections() {
    let mut table = Table::new().await;
    for (sent, field) in [
        (r#"{"location": 7}"#, "location"),
        (r#"{"location": ["here"]}"#, "location"),
        (r#"{"tags": "a"}"#, "tags"),
        (r#"{"tags": ["a"]}"#, "tags"),
        (r#"{"tags": {"a": 1}}"#, "tags.a"),
        (r#"{"tags": {"a": {"b": "c"}}}"#, "tags.a"),
        (r#"{"properties": "Standard"}"#, "properties"),
        (r#"{"properties": []}"#, "properties"),
        (r#"{"properties": {"sku": "Standard"}}"#, "properties.sku"),
        (r#"{"properties": {"sku": {}}}"#, "properties.sku.name"),
        (r#"{"properties": {"sku": {"name": "Gold"}}}"#, "properties.sku.name"),
        (r#"{"properties": {"sku": {"name": 1}}}"#, "properties.sku.name"),
        (r#"{"properties": {"state": "Deleted"}}"#, "properties.state"),
        (r#"{"properties": {"state": "on"}}"#, "properties.state"),
        (r#"{"properties": {"state": true}}"#, "properties.state"),
        (r#"{"properties": {"quota": 5}}"#, "properties.quota"),
        (r#"{"properties": {"quota": {"maxJobCount": 0}}}"#, "properties.quota.maxJobCount"),
        (r#"{"properties": {"quota": {"maxJobCount": -1}}}"#, "properties.quota.maxJobCount"),
        (r#"{"properties": {"quota": {"maxJobCount": 1.5}}}"#, "properties.quota.maxJobCount"),
        (r#"{"properties": {"quota": {"maxJobCount": "many"}}}"#, "properties.quota.maxJobCount"),
        (r#"{"properties": {"quota": {"maxJobCount": 99999999999}}}"#, "properties.quota.maxJobCount"),
        (r#"{"properties": {"quota": {"maxJobOccurrence": -5}}}"#, "properties.quota.maxJobOccurrence"),
        (r#"{"properties": {"quota": {"maxRecurrence": "hour"}}}"#, "properties.quota.maxRecurrence"),
        (r#"{"properties": {"quota": {"maxRecurrence": {}}}}"#, "properties.quota.maxRecurrence.frequency"),
        (
            r#"{"properties": {"quota": {"maxRecurrence": {"frequency": "second"}}}}"#,
            "properties.quota.maxRecurrence.frequency",
        ),
        (
            r#"{"properties": {"quota": {"maxRecurrence": {"frequency": "hour", "interval": 0}}}}"#,
            "properties.quota.maxRecurrence.interval",
        ),
        (
            r#"{"properties": {"quota": {"maxRecurrence": {"frequency": "month", "interval": 19}}}}"#,
            "properties.quota.maxRecurrence.interval",
        ),
        (r#"{"properties": {"sku": {"name": "Free"}, "quota": {"maxJobCount": 6}}}"#, "properties.quota.maxJobCount"),
        (r#"{"tags": {"a": 1}, "properties": {"state": 1, "sku": {"name": "x"}}}"#, "properties.state"),
    ] {
        let body = parsed(sent);
        table.put("/v1/collections/c", &body, field, sent).await;
        if !sent.contains(r#""sku": {}"#) {
            let patched = table.server.patch("/v1/collections/c", body.clone()).await;
            assert_eq!(patched.status(), 400, "PATCH {sent}: {patched}");
        }
        let new = table.server.put("/v1/collections/new", body).await;
        assert_eq!(new.status(), 400, "a new one {sent}: {new}");
    }
    let long = json!({ "location": "x".repeat(129) });
    table.put("/v1/collections/c", &long, "location", "a location of 129 characters").await;
    let many: serde_json::Map<_, _> = (0..51).map(|n| (format!("t{n}"), json!("x"))).collect();
    table.put("/v1/collections/c", &json!({ "tags": many }), "tags", "51 tags").await;
    let named = json!({ "tags": { "n".repeat(513): "x" } });
    table.put("/v1/collections/c", &named, "tags", "a tag with a name of 513 characters").await;
    let valued = json!({ "tags": { "n": "x".repeat(257) } });
    table.put("/v1/collections/c", &valued, "tags", "a tag with a value of 257 characters").await;
    assert_snapshot!(table.finish().await, @r#"
    {"location": 7}
      -> location: Given 7, expected a text in quotes.
    {"location": ["here"]}
      -> location: Given a list of 1, expected a text in quotes.
    {"tags": "a"}
      -> tags: Given a text, expected an object in braces.
    {"tags": ["a"]}
      -> tags: Given a list of 1, expected an object in braces.
    {"tags": {"a": 1}}
      -> tags.a: Given no text, expected a text in quotes.
    {"tags": {"a": {"b": "c"}}}
      -> tags.a: Given no text, expected a text in quotes.
    {"properties": "Standard"}
      -> properties: Given a text, expected an object in braces.
    {"properties": []}
      -> properties: Given a list of 0, expected an object in braces.
    {"properties": {"sku": "Standard"}}
      -> properties.sku: Given a text, expected an object in braces.
    {"properties": {"sku": {}}}
      -> properties.sku.name: Given nothing, expected the name of a plan, such as Standard.
    {"properties": {"sku": {"name": "Gold"}}}
      -> properties.sku.name: Given "Gold", expected one of Free, Standard, Premium, P10Premium, P20Premium.
    {"properties": {"sku": {"name": 1}}}
      -> properties.sku.name: Given 1, expected one of Free, Standard, Premium, P10Premium, P20Premium.
    {"properties": {"state": "Deleted"}}
      -> properties.state: Given "Deleted", expected Enabled, Disabled or Suspended; a collection is deleted with DELETE.
    {"properties": {"state": "on"}}
      -> properties.state: Given "on", expected one of Enabled, Disabled, Suspended.
    {"properties": {"state": true}}
      -> properties.state: Given true, expected one of Enabled, Disabled, Suspended.
    {"properties": {"quota": 5}}
      -> properties.quota: Given 5, expected an object in braces.
    {"properties": {"quota": {"maxJobCount": 0}}}
      -> properties.quota.maxJobCount: Given 0, expected 1 to 2147483647.
    {"properties": {"quota": {"maxJobCount": -1}}}
      -> properties.quota.maxJobCount: Given -1, expected 1 to 2147483647.
    {"properties": {"quota": {"maxJobCount": 1.5}}}
      -> properties.quota.maxJobCount: Given 1.5, expected a whole number.
    {"properties": {"quota": {"maxJobCount": "many"}}}
      -> properties.quota.maxJobCount: Given "many", expected a whole number.
    {"properties": {"quota": {"maxJobCount": 99999999999}}}
      -> properties.quota.maxJobCount: Given 99999999999, expected 1 to 2147483647.
    {"properties": {"quota": {"maxJobOccurrence": -5}}}
      -> properties.quota.maxJobOccurrence: Given -5, expected 1 to 2147483647.
    {"properties": {"quota": {"maxRecurrence": "hour"}}}
      -> properties.quota.maxRecurrence: Given a text, expected an object in braces.
    {"properties": {"quota": {"maxRecurrence": {}}}}
      -> properties.quota.maxRecurrence.frequency: Given nothing, expected the unit, such as Hour.
    {"properties": {"quota": {"maxRecurrence": {"frequency": "second"}}}}
      -> properties.quota.maxRecurrence.frequency: Given "second", expected one of Minute, Hour, Day, Week, Month, Year.
    {"properties": {"quota": {"maxRecurrence": {"frequency": "hour", "interval": 0}}}}
      -> properties.quota.maxRecurrence.interval: Given 0, expected 1 to 1000 with frequency Hour.
    {"properties": {"quota": {"maxRecurrence": {"frequency": "month", "interval": 19}}}}
      -> properties.quota.maxRecurrence.interval: Given 19, expected 1 to 18 with frequency Month.
    {"properties": {"sku": {"name": "Free"}, "quota": {"maxJobCount": 6}}}
      -> properties.quota.maxJobCount: Given 6, expected 1 to 5 in the plan Free.
    {"tags": {"a": 1}, "properties": {"state": 1, "sku": {"name": "x"}}}
      -> tags.a: Given no text, expected a text in quotes.
      -> properties.sku.name: Given "x", expected one of Free, Standard, Premium, P10Premium, P20Premium.
      -> properties.state: Given 1, expected one of Enabled, Disabled, Suspended.
    a location of 129 characters
      -> location: Given 129 characters, expected at most 128 characters.
    51 tags
      -> tags: Given 51 tags, expected at most 50.
    a tag with a name of 513 characters
      -> tags.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: Given 513 characters, expected a name of at most 512 characters.
    a tag with a value of 257 characters
      -> tags.n: Given 257 characters, expected a value of at most 256 characters.
    "#);
}

#[tokio::test]
async fn groups() {
    let mut table = Table::new().await;
    for (sent, field) in [
        (r#"{"location": {}}"#, "location"),
        (r#"{"tags": []}"#, "tags"),
        (r#"{"tags": {"a": null, "b": 2}}"#, "tags.b"),
        ("[]", ""),
    ] {
        let path = "/subscriptions/s/resourceGroups/g?api-version=2016-02-01";
        table.put(path, &parsed(sent), field, sent).await;
    }
    assert_snapshot!(table.finish().await, @r#"
    {"location": {}}
      -> location: Given an object, expected a text in quotes.
    {"tags": []}
      -> tags: Given a list of 0, expected an object in braces.
    {"tags": {"a": null, "b": 2}}
      -> tags.b: Given no text, expected a text in quotes.
    []
      -> body: Given a list of 0, expected an object in braces.
    "#);
}

#[tokio::test]
async fn jobs_inside_a_collection_are_refused_and_not_dropped() {
    let server = crate::server::Server::start().await;
    let nested =
        json!({ "location": "x", "properties": {}, "resources": [{ "type": "jobs", "name": "a", "properties": {} }] });
    let path = format!("{}?api-version=2016-03-01", crate::server::collection("c"));
    let answer = server.put(&path, nested.clone()).await;
    assert_snapshot!(answer.complaint(), @"400 BadRequest: resources: Jobs in a collection are not made with it: PUT each to …/jobs/{name}, send all to POST /v1/bulk, or read their template with punctual import arm.");
    assert_eq!(server.put("/v1/collections/c", nested).await.status(), 400);
    assert_eq!(server.get(&path).await.status(), 404);
}
