use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn service_bus() {
    let mut table = Table::new().await;
    let right = r#""queueName": "q", "namespace": "ns-one", "message": "m", "authentication": {"sasKeyName": "k", "sasKey": "x"}"#;
    let but = |from: &str, to: &str| format!(r#"{{"serviceBusQueueMessage": {{{}}}}}"#, right.replace(from, to));
    for (from, to, field) in [
        (right, "", "serviceBusQueueMessage.queueName"),
        (r#""q""#, r#""""#, "serviceBusQueueMessage.queueName"),
        (r#""q""#, r#""a?b""#, "serviceBusQueueMessage.queueName"),
        (r#""q""#, r#""../q""#, "serviceBusQueueMessage.queueName"),
        (r#""ns-one""#, r#""ns.evil.example""#, "serviceBusQueueMessage.namespace"),
        (r#""ns-one""#, r#""""#, "serviceBusQueueMessage.namespace"),
        (r#""ns-one""#, "5", "serviceBusQueueMessage.namespace"),
        (r#""m""#, "null", "serviceBusQueueMessage.message"),
        (r#""m""#, r#""m", "transportType": "MQTT""#, "transportType"),
        (r#""k""#, "null", "authentication.sasKeyName"),
        (r#""k""#, r#""k", "type": "Token""#, "authentication.type"),
        (r#""x""#, "7", "authentication.sasKey"),
        (r#""m""#, r#""m", "brokeredMessageProperties": 1"#, "brokeredMessageProperties"),
        (r#""m""#, r#""m", "brokeredMessageProperties": {"label": 1}"#, "brokeredMessageProperties.label"),
        (
            r#""m""#,
            r#""m", "brokeredMessageProperties": {"forcePersistence": "yes"}"#,
            "brokeredMessageProperties.forcePersistence",
        ),
        (
            r#""m""#,
            r#""m", "brokeredMessageProperties": {"timeToLive": "2026-01-01T00:00:00Z"}"#,
            "brokeredMessageProperties.timeToLive",
        ),
        (
            r#""m""#,
            r#""m", "brokeredMessageProperties": {"timeToLive": "PT0S"}"#,
            "brokeredMessageProperties.timeToLive",
        ),
        (
            r#""m""#,
            r#""m", "brokeredMessageProperties": {"scheduledEnqueueTimeUtc": "soon"}"#,
            "scheduledEnqueueTimeUtc",
        ),
        (r#""m""#, r#""m", "customMessageProperties": {"a": 1}"#, "customMessageProperties.a"),
        (r#""m""#, r#""m", "customMessageProperties": []"#, "customMessageProperties"),
        (r#""m""#, r#""m", "customMessageProperties": {"": "x"}"#, "customMessageProperties"),
    ] {
        table.action(&but(from, to), field).await;
    }
    table
        .action(
            r#"{"serviceBusTopicMessage": {"queueName": "q", "namespace": "ns", "message": "m"}}"#,
            "serviceBusTopicMessage.topicPath",
        )
        .await;
    let rows = table.finish().await;
    assert_snapshot!(rows.replace("properties.action.serviceBusQueueMessage", "…"), @r#"
    {"serviceBusQueueMessage": {}}
      -> ….queueName: Given nothing, expected where the message goes.
      -> ….namespace: Given nothing, expected the namespace it goes to.
      -> ….message: Given nothing, expected the text to send.
    {"serviceBusQueueMessage": {"queueName": "", "namespace": "ns-one", "message": "m", "authentication"…
      -> ….queueName: Given "", expected a queue or topic name: 1 to 260 letters, digits and . - _, with / between its parts.
    {"serviceBusQueueMessage": {"queueName": "a?b", "namespace": "ns-one", "message": "m", "authenticati…
      -> ….queueName: Given "a?b", expected a queue or topic name: 1 to 260 letters, digits and . - _, with / between its parts.
    {"serviceBusQueueMessage": {"queueName": "../q", "namespace": "ns-one", "message": "m", "authenticat…
      -> ….queueName: Given "../q", expected a queue or topic name: 1 to 260 letters, digits and . - _, with / between its parts.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns.evil.example", "message": "m", "authe…
      -> ….namespace: Given "ns.evil.example", expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "", "message": "m", "authentication": {"s…
      -> ….namespace: Given "", expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": 5, "message": "m", "authentication": {"sa…
      -> ….namespace: Given 5, expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter, as a text in quotes.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": null, "authenticatio…
      -> ….message: Given nothing, expected the text to send.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "transportType"…
      -> ….transportType: Given "MQTT", expected one of NotSpecified, NetMessaging, AMQP.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "authentication…
      -> ….authentication.sasKeyName: Given nothing, expected the name of the key.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "authentication…
      -> ….authentication.type: Given "Token", expected one of SharedAccessKey, NotSpecified.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "authentication…
      -> ….authentication.sasKey: Given no text, expected a text in quotes.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "brokeredMessag…
      -> ….brokeredMessageProperties: Given 1, expected an object in braces.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "brokeredMessag…
      -> ….brokeredMessageProperties.label: Given 1, expected a text in quotes.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "brokeredMessag…
      -> ….brokeredMessageProperties.forcePersistence: Given "yes", expected true or false.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "brokeredMessag…
      -> ….brokeredMessageProperties.timeToLive: Given "2026-01-01T00:00:00Z", expected a duration such as P1D, as since API version 2016-03-01, and not a date-time.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "brokeredMessag…
      -> ….brokeredMessageProperties.timeToLive: Given PT0S, expected more than no time.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "brokeredMessag…
      -> ….brokeredMessageProperties.scheduledEnqueueTimeUtc: Given "soon", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "customMessageP…
      -> ….customMessageProperties.a: Given no text, expected a text in quotes.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "customMessageP…
      -> ….customMessageProperties: Given a list of 0, expected an object in braces.
    {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns-one", "message": "m", "customMessageP…
      -> ….customMessageProperties: Given "", expected names of one or more printable characters.
    {"serviceBusTopicMessage": {"queueName": "q", "namespace": "ns", "message": "m"}}
      -> properties.action.serviceBusTopicMessage.topicPath: Given nothing, expected where the message goes.
      -> properties.action.serviceBusTopicMessage.queueName: There is no such member here, only retryPolicy, errorAction, topicPath, namespace, message, transportType, authentication, brokeredMessageProperties, customMessageProperties.
    "#);
}
