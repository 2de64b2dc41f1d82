use insta::assert_snapshot;
use serde_json::json;

use super::{Table, parsed};

#[tokio::test]
async fn actions() {
    let mut table = Table::new().await;
    for (sent, field) in [
        ("{}", "action"),
        (r#"{"properties": null}"#, "action"),
        (r#"{"properties": {}}"#, "properties.action"),
        (r#"{"properties": 7}"#, "properties"),
        (r#"{"properties": {"action": "https://example.com"}}"#, "properties.action"),
        (r#"{"properties": {"action": null}}"#, "properties.action"),
        (r#"{"action": {}}"#, "action.request"),
        (r#"{"recurrence": {"frequency": "day"}}"#, "action"),
        (r#"{"hello": "world"}"#, "action"),
    ] {
        table.put("/v1/jobs/j", &parsed(sent), field, sent).await;
    }
    for (sent, field) in [
        (r#"{"type": "Http"}"#, "properties.action.request"),
        (r#"{"type": "Smtp", "request": {"uri": "https://example.com"}}"#, "properties.action.type"),
        (r#"{"type": 1, "request": {"uri": "https://example.com"}}"#, "properties.action.type"),
        (r#"{"type": "StorageQueue", "request": {"uri": "https://example.com"}}"#, "properties.action.request"),
        (r#"{"request": {"uri": "https://example.com"}, "queueMessage": {}}"#, "properties.action.queueMessage"),
        (r#"{"request": []}"#, "properties.action.request"),
        (r#"{"request": {"uri": "https://example.com"}, "errorAction": {}}"#, "properties.action.errorAction.request"),
        (r#"{"request": {"uri": "https://example.com"}, "errorAction": 1}"#, "properties.action.errorAction"),
        (
            r#"{"request": {"uri": "https://example.com"}, "errorAction": {"request": {"uri": "x"}}}"#,
            "properties.action.errorAction.request.uri",
        ),
    ] {
        table.action(sent, field).await;
    }
    assert_snapshot!(table.finish().await, @r#"
    {}
      -> action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"properties": null}
      -> action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"properties": {}}
      -> properties.action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"properties": 7}
      -> properties: Given 7, expected an object in braces.
    {"properties": {"action": "https://example.com"}}
      -> properties.action: Given a text, expected an object in braces.
    {"properties": {"action": null}}
      -> properties.action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"action": {}}
      -> action.request: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"recurrence": {"frequency": "day"}}
      -> action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"hello": "world"}
      -> hello: There is no such member here, only properties, action, startTime, recurrence, options, state, errorAction, retryPolicy.
      -> action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"type": "Http"}
      -> properties.action.request: Given nothing, expected an object, since the type is Http.
    {"type": "Smtp", "request": {"uri": "https://example.com"}}
      -> properties.action.type: Given "Smtp", expected one of Http, Https, StorageQueue, ServiceBusQueue, ServiceBusTopic.
    {"type": 1, "request": {"uri": "https://example.com"}}
      -> properties.action.type: Given 1, expected one of Http, Https, StorageQueue, ServiceBusQueue, ServiceBusTopic.
    {"type": "StorageQueue", "request": {"uri": "https://example.com"}}
      -> properties.action.request: Type StorageQueue goes with queueMessage, not with request: change one of them.
    {"request": {"uri": "https://example.com"}, "queueMessage": {}}
      -> properties.action.queueMessage: Keep either request or queueMessage, or name the type that is meant.
    {"request": []}
      -> properties.action.request: Given a list of 0, expected an object in braces.
    {"request": {"uri": "https://example.com"}, "errorAction": {}}
      -> properties.action.errorAction.request: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    {"request": {"uri": "https://example.com"}, "errorAction": 1}
      -> properties.action.errorAction: Given 1, expected an object in braces.
    {"request": {"uri": "https://example.com"}, "errorAction": {"request": {"uri": "x"}}}
      -> properties.action.errorAction.request.uri: Given "x", expected an absolute address such as https://example.com/path.
    "#);
}

#[tokio::test]
async fn requests() {
    let mut table = Table::new().await;
    for (sent, field) in [
        ("{}", "request.uri"),
        (r#"{"uri": null}"#, "request.uri"),
        (r#"{"uri": 1}"#, "request.uri"),
        (r#"{"uri": ""}"#, "request.uri"),
        (r#"{"uri": " "}"#, "request.uri"),
        (r#"{"uri": "example.com"}"#, "request.uri"),
        (r#"{"uri": "/path"}"#, "request.uri"),
        (r#"{"uri": "ftp://example.com"}"#, "request.uri"),
        (r#"{"uri": "http://"}"#, "request.uri"),
        (r#"{"uri": "https://exa mple.com/"}"#, "request.uri"),
        (r#"{"uri": "https://example.com/a b"}"#, "request.uri"),
        (r#"{"uri": "https://example.com:99999/"}"#, "request.uri"),
        (r#"{"uri": "https://example.com", "method": ""}"#, "request.method"),
        (r#"{"uri": "https://example.com", "method": "GO HOME"}"#, "request.method"),
        (r#"{"uri": "https://example.com", "method": 5}"#, "request.method"),
        (r#"{"uri": "https://example.com", "method": "G\u00cbT"}"#, "request.method"),
        (r#"{"uri": "https://example.com", "body": {"a": 1}}"#, "request.body"),
        (r#"{"uri": "https://example.com", "body": 7}"#, "request.body"),
        (r#"{"uri": 1, "method": 2, "body": 3, "headers": 4, "authentication": 5}"#, "request.authentication"),
    ] {
        table.request(sent, field).await;
    }
    let long = json!({ "action": { "request": { "uri": format!("https://example.com/{}", "x".repeat(2048)) } } });
    table.put("/v1/jobs/j", &long, "action.request.uri", "a uri of 2068 characters").await;
    let long = json!({ "action": { "request": { "uri": "https://example.com", "method": "X".repeat(33) } } });
    table.put("/v1/jobs/j", &long, "action.request.method", "a method of 33 characters").await;
    let long = json!({ "action": { "request": { "uri": "https://example.com", "body": "x".repeat(65_537) } } });
    table.put("/v1/jobs/j", &long, "action.request.body", "a body of 65537 characters").await;
    assert_snapshot!(table.finish().await, @r#"
    {}
      -> properties.action.request.uri: Given nothing, expected the address to call, such as https://example.com/path.
    {"uri": null}
      -> properties.action.request.uri: Given nothing, expected the address to call, such as https://example.com/path.
    {"uri": 1}
      -> properties.action.request.uri: Given 1, expected a text in quotes.
    {"uri": ""}
      -> properties.action.request.uri: Given "", expected an absolute address such as https://example.com/path.
    {"uri": " "}
      -> properties.action.request.uri: Given " ", expected an absolute address such as https://example.com/path.
    {"uri": "example.com"}
      -> properties.action.request.uri: Given "example.com", expected an absolute address such as https://example.com/path.
    {"uri": "/path"}
      -> properties.action.request.uri: Given "/path", expected an absolute address such as https://example.com/path.
    {"uri": "ftp://example.com"}
      -> properties.action.request.uri: Given "ftp://example.com", expected a scheme of http or https.
    {"uri": "http://"}
      -> properties.action.request.uri: Given "http://", expected an absolute address such as https://example.com/path.
    {"uri": "https://exa mple.com/"}
      -> properties.action.request.uri: Given "https://exa mple.com/", expected no blanks and no control characters; write a blank as %20.
    {"uri": "https://example.com/a b"}
      -> properties.action.request.uri: Given "https://example.com/a b", expected no blanks and no control characters; write a blank as %20.
    {"uri": "https://example.com:99999/"}
      -> properties.action.request.uri: Given "https://example.com:99999/", expected an absolute address such as https://example.com/path.
    {"uri": "https://example.com", "method": ""}
      -> properties.action.request.method: Given "", expected a method such as GET, POST, PUT, PATCH or DELETE.
    {"uri": "https://example.com", "method": "GO HOME"}
      -> properties.action.request.method: Given "GO HOME", expected a method such as GET, POST, PUT, PATCH or DELETE.
    {"uri": "https://example.com", "method": 5}
      -> properties.action.request.method: Given 5, expected a method such as GET, POST, PUT, PATCH or DELETE, as a text in quotes.
    {"uri": "https://example.com", "method": "G\u00cbT"}
      -> properties.action.request.method: Given "GËT", expected a method such as GET, POST, PUT, PATCH or DELETE.
    {"uri": "https://example.com", "body": {"a": 1}}
      -> properties.action.request.body: Given an object, expected a text in quotes; JSON goes into it with its own quotes escaped.
    {"uri": "https://example.com", "body": 7}
      -> properties.action.request.body: Given 7, expected a text in quotes.
    {"uri": 1, "method": 2, "body": 3, "headers": 4, "authentication": 5}
      -> properties.action.request.uri: Given 1, expected a text in quotes.
      -> properties.action.request.body: Given 3, expected a text in quotes.
      -> properties.action.request.method: Given 2, expected a method such as GET, POST, PUT, PATCH or DELETE, as a text in quotes.
      -> properties.action.request.headers: Given 4, expected an object in braces.
      -> properties.action.request.authentication: Given 5, expected an object in braces.
    a uri of 2068 characters
      -> action.request.uri: Given "https://example.com/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…, expected at most 2048 characters.
    a method of 33 characters
      -> action.request.method: Given "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", expected a method such as GET, POST, PUT, PATCH or DELETE.
    a body of 65537 characters
      -> action.request.body: Given 65537 characters, expected at most 65536 characters.
    "#);
}

#[tokio::test]
async fn retries() {
    let mut table = Table::new().await;
    for (policy, field) in [
        ("5", "retryPolicy"),
        (r#"{"retryType": "Linear"}"#, "retryPolicy.retryType"),
        (r#"{"retryType": true}"#, "retryPolicy.retryType"),
        (r#"{"retryType": "Fixed", "retryCount": 21}"#, "retryPolicy.retryCount"),
        (r#"{"retryType": "Fixed", "retryCount": -1}"#, "retryPolicy.retryCount"),
        (r#"{"retryType": "Fixed", "retryCount": 2.5}"#, "retryPolicy.retryCount"),
        (r#"{"retryType": "Fixed", "retryInterval": "PT14S"}"#, "retryPolicy.retryInterval"),
        (r#"{"retryType": "Fixed", "retryInterval": "P549D"}"#, "retryPolicy.retryInterval"),
        (r#"{"retryType": "Fixed", "retryInterval": "often"}"#, "retryPolicy.retryInterval"),
        (r#"{"retryType": "Fixed", "retryInterval": 30}"#, "retryPolicy.retryInterval"),
        (r#"{"retryType": "Fixed", "retryInterval": ""}"#, "retryPolicy.retryInterval"),
        (r#"{"retryType": "Fixed", "retryInterval": "-PT30S"}"#, "retryPolicy.retryInterval"),
        (r#"{"retryType": "Fixed", "retryIntervalMax": "PT1H"}"#, "retryPolicy.retryIntervalMax"),
    ] {
        let action = format!(r#"{{"request": {{"uri": "https://example.com"}}, "retryPolicy": {policy}}}"#);
        let body = json!({ "properties": { "action": parsed(&action) } });
        table.put("/v1/jobs/j", &body, field, policy).await;
    }
    assert_snapshot!(table.finish().await, @r#"
    5
      -> properties.action.retryPolicy: Given 5, expected an object in braces.
    {"retryType": "Linear"}
      -> properties.action.retryPolicy.retryType: Given "Linear", expected one of None, Fixed, Exponential.
    {"retryType": true}
      -> properties.action.retryPolicy.retryType: Given true, expected one of None, Fixed, Exponential.
    {"retryType": "Fixed", "retryCount": 21}
      -> properties.action.retryPolicy.retryCount: Given 21, expected 0 to 20.
    {"retryType": "Fixed", "retryCount": -1}
      -> properties.action.retryPolicy.retryCount: Given -1, expected 0 to 20.
    {"retryType": "Fixed", "retryCount": 2.5}
      -> properties.action.retryPolicy.retryCount: Given 2.5, expected a whole number.
    {"retryType": "Fixed", "retryInterval": "PT14S"}
      -> properties.action.retryPolicy.retryInterval: Given PT14S, expected 15 seconds to 18 months (548 days).
    {"retryType": "Fixed", "retryInterval": "P549D"}
      -> properties.action.retryPolicy.retryInterval: Given P549D, expected 15 seconds to 18 months (548 days).
    {"retryType": "Fixed", "retryInterval": "often"}
      -> properties.action.retryPolicy.retryInterval: Given "often", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"retryType": "Fixed", "retryInterval": 30}
      -> properties.action.retryPolicy.retryInterval: Given 30, expected a duration such as 30s, PT30S, P1DT12H or 00:00:30, as a text in quotes.
    {"retryType": "Fixed", "retryInterval": ""}
      -> properties.action.retryPolicy.retryInterval: Given "", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"retryType": "Fixed", "retryInterval": "-PT30S"}
      -> properties.action.retryPolicy.retryInterval: Given "-PT30S", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"retryType": "Fixed", "retryIntervalMax": "PT1H"}
      -> properties.action.retryPolicy.retryIntervalMax: Only retryType Exponential has a longest interval: leave it out, or change the type.
    "#);
}
