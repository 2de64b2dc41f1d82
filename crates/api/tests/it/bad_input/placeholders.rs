//! Placeholders that nobody knows, or in places where nothing is filled in.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::Table;

#[tokio::test]
async fn placeholders() {
    let mut table = Table::new().await;
    let queue = |message: &str| {
        let (account, queue) = ("account", "queue");
        json!({ "queueMessage": { "storageAccount": account, "queueName": queue, "sasToken": "sig=x", "message": message } })
    };
    let request = |request: Value| json!({ "request": request });
    let bus = |members: Value| {
        let mut message = json!({ "topicPath": "t", "namespace": "n", "message": "m" });
        message.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        json!({ "serviceBusTopicMessage": message })
    };
    let uri = "https://example.com";
    let rows = [
        ("request.uri", request(json!({ "uri": "https://{{job.name}}.example.com/" }))),
        ("request.uri", request(json!({ "uri": "https://example.com:{{attempt}}/" }))),
        ("request.uri", request(json!({ "uri": "{{job.name}}://example.com/" }))),
        ("request.uri", request(json!({ "uri": "https://{{job.name}}@example.com/" }))),
        ("request.uri", request(json!({ "uri": "https://example.com/{{job.nam}}" }))),
        ("request.uri", request(json!({ "uri": "https://example.com/?a={{failure.code}}" }))),
        ("request.headers.X-Job", request(json!({ "uri": uri, "headers": { "X-Job": "{{job}}" } }))),
        ("request.headers.Content-Type", request(json!({ "uri": uri, "headers": { "Content-Type": "{{job.name}}" } }))),
        ("request.body", request(json!({ "uri": uri, "body": "{{now}}" }))),
        ("request.body", request(json!({ "uri": uri, "body": "{{job.name" }))),
        (
            "request.body",
            request(json!({ "uri": uri, "body": "[{{link}}]", "headers": { "content-type": "application/json" } })),
        ),
        ("queueMessage.message", queue("{{failure.message}}")),
        ("serviceBusTopicMessage.message", bus(json!({ "message": "{{tag}}" }))),
        ("serviceBusTopicMessage.topicPath", bus(json!({ "topicPath": "{{job.name}}" }))),
        ("serviceBusTopicMessage.namespace", bus(json!({ "namespace": "{{job.name}}" }))),
        ("customMessageProperties.p", bus(json!({ "customMessageProperties": { "p": "{{x}}" } }))),
        ("brokeredMessageProperties.label", bus(json!({ "brokeredMessageProperties": { "label": "{{link}}" } }))),
    ];
    for (field, action) in rows {
        let job = json!({ "properties": { "action": action, "options": { "placeholders": true } } });
        table.put("/v1/jobs/j", &job, field, &action.to_string()).await;
    }
    let misplaced = json!({ "action": request(json!({ "uri": uri })), "placeholders": true });
    table.put("/v1/jobs/j", &misplaced, "placeholders", &misplaced.to_string()).await;
    // Twice this name is too much for an address.
    let long = json!({ "action": request(json!({ "uri": "https://example.com/{{job.name}}/{{job.name}}" })),
        "options": { "placeholders": true } });
    table.put(&format!("/v1/jobs/{}", "%C3%A9".repeat(260)), &long, "action.request.uri", "a long name").await;
    assert_snapshot!(table.finish().await, @r#"
    {"request":{"uri":"https://{{job.name}}.example.com/"}}
      -> properties.action.request.uri: Placeholders stand in the path and the query only: scheme, user, host and port are fixed when the job is saved.
    {"request":{"uri":"https://example.com:{{attempt}}/"}}
      -> properties.action.request.uri: Given "https://example.com:{{attempt}}/", expected an absolute address such as https://example.com/path.
    {"request":{"uri":"{{job.name}}://example.com/"}}
      -> properties.action.request.uri: Given "{{job.name}}://example.com/", expected a scheme of http or https.
    {"request":{"uri":"https://{{job.name}}@example.com/"}}
      -> properties.action.request.uri: Placeholders stand in the path and the query only: scheme, user, host and port are fixed when the job is saved.
    {"request":{"uri":"https://example.com/{{job.nam}}"}}
      -> properties.action.request.uri: There is no placeholder {{job.nam}} (did you mean {{job.name}}?): there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}.
    {"request":{"uri":"https://example.com/?a={{failure.code}}"}}
      -> properties.action.request.uri: {{failure.code}} is known to an error action only: use it in action.errorAction.
    {"request":{"headers":{"X-Job":"{{job}}"},"uri":"https://example.com"}}
      -> properties.action.request.headers.X-Job: There is no placeholder {{job}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}.
    {"request":{"headers":{"Content-Type":"{{job.name}}"},"uri":"https://example.com"}}
      -> properties.action.request.headers.Content-Type: This header takes no placeholders: it decides how those of the body are escaped.
    {"request":{"body":"{{now}}","uri":"https://example.com"}}
      -> properties.action.request.body: There is no placeholder {{now}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}.
    {"request":{"body":"{{job.name","uri":"https://example.com"}}
      -> properties.action.request.body: {{ opens a placeholder, and no }} closes it; for the braces themselves write {{'{{'}}.
    {"request":{"body":"[{{link}}]","headers":{"content-type":"application/json"},"uri":"https://example.com"}}
      -> properties.action.request.body: {{link}} is a text: in JSON it stands in quotes.
    {"queueMessage":{"message":"{{failure.message}}","queueName":"queue","sasToken":"sig=x","storageAcco…
      -> properties.action.queueMessage.message: {{failure.message}} is known to an error action only: use it in action.errorAction.
    {"serviceBusTopicMessage":{"message":"{{tag}}","namespace":"n","topicPath":"t"}}
      -> properties.action.serviceBusTopicMessage.message: There is no placeholder {{tag}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}.
    {"serviceBusTopicMessage":{"message":"m","namespace":"n","topicPath":"{{job.name}}"}}
      -> properties.action.serviceBusTopicMessage.topicPath: Given "{{job.name}}", expected a queue or topic name: 1 to 260 letters, digits and . - _, with / between its parts.
    {"serviceBusTopicMessage":{"message":"m","namespace":"{{job.name}}","topicPath":"t"}}
      -> properties.action.serviceBusTopicMessage.namespace: Given "{{job.name}}", expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter.
    {"serviceBusTopicMessage":{"customMessageProperties":{"p":"{{x}}"},"message":"m","namespace":"n","to…
      -> properties.action.serviceBusTopicMessage.customMessageProperties.p: There is no placeholder {{x}}: there are {{job.name}}, {{job.collection}}, {{occurrence.nominal}}, {{occurrence.tag}}, {{attempt}}, {{failure.message}}, {{failure.code}}, {{link}}; for the braces themselves write {{'{{'}}.
    {"serviceBusTopicMessage":{"brokeredMessageProperties":{"label":"{{link}}"},"message":"m","namespace…
      -> properties.action.serviceBusTopicMessage.brokeredMessageProperties.label: Placeholders stand in message and customMessageProperties only.
    {"action":{"request":{"uri":"https://example.com"}},"placeholders":true}
      -> placeholders: Move placeholders into options.
    a long name
      -> action.request.uri: Given 3141 characters with the longest values of its placeholders, expected at most 2048.
    "#);
}
