//! Messages for queues and topics.

use insta::assert_snapshot;

use super::{action, filled, with_members};

#[test]
fn a_storage_queue_with_everything() {
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "MyAccount", "queueName": "my-queue", "message": "hello", "sasToken": "?sv=1&sig=2", "format": "RAW", "timeToLive": "P1D", "visibilityDelay": "00:05:00", "priority": 1}}"#), @r#"
    does StorageQueue(StorageQueueAction { account: "MyAccount", queue: "my-queue", sas_token: Some(Secret(…)), message: "hello", format: Some(Raw), time_to_live: Some(Span { ticks: 864000000000, text: "P1D" }), visibility_delay: Some(Span { ticks: 3000000000, text: "00:05:00" }) })
    ! action.queueMessage.priority: ignored: it means nothing here
    "#);
}

#[test]
fn a_storage_queue_that_is_wrong() {
    assert_snapshot!(action(r#"{"queueMessage": {}}"#), @"
    ✗ action.queueMessage.storageAccount: given nothing, expected the name of the storage account
    ✗ action.queueMessage.queueName: given nothing, expected the name of the queue
    ✗ action.queueMessage.message: given nothing, expected the text to put on the queue
    ");
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "my-account", "queueName": "My Queue", "message": 5}}"#), @r#"
    ✗ action.queueMessage.storageAccount: given "my-account", expected a storage account name: 3 to 24 letters and digits
    ✗ action.queueMessage.queueName: given "My Queue", expected a queue name: 3 to 63 lower-case letters, digits and single hyphens between them
    ✗ action.queueMessage.message: given 5, expected a text in quotes
    "#);
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "hello", "sasToken": "a b"}}"#), @"✗ action.queueMessage.sasToken: given 3 characters, expected a shared access signature: the query of an address such as ?sv=...&sig=..., in ASCII");
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "hello", "sasToken": 5}}"#), @"✗ action.queueMessage.sasToken: given no text, expected a text in quotes");
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "hello", "format": "xml"}}"#), @r#"✗ action.queueMessage.format: given "xml", expected one of envelope, raw, base64"#);
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "hello", "timeToLive": "PT0S", "visibilityDelay": "P8D"}}"#), @"
    ✗ action.queueMessage.timeToLive: given PT0S, expected at least 1 second
    ✗ action.queueMessage.visibilityDelay: given P8D, expected at most 7 days
    ");
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "hello", "timeToLive": "PT1H", "visibilityDelay": "PT1H"}}"#), @"✗ action.queueMessage.visibilityDelay: given PT1H, expected less than timeToLive");
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "hello", "timeToLive": 60}}"#), @"✗ action.queueMessage.timeToLive: given 60, expected a duration such as 30s, PT30S, P1DT12H or 00:00:30, as a text in quotes");
    assert_snapshot!(action(&filled(r#"{"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "~"}}"#, 65537)), @"✗ action.queueMessage.message: given 65537 characters, expected at most 65536 characters");
}

#[test]
fn characters_that_a_storage_queue_cannot_hold() {
    let message = |text: &str, rest: &str| {
        action(&format!(
            r#"{{"queueMessage": {{"storageAccount": "account", "queueName": "queue", "message": "{text}"{rest}}}}}"#
        ))
    };
    assert_snapshot!(message(r"a\u0000b", ""), @"✗ action.queueMessage.message: given the character U+0000, expected characters that XML can hold, or the format base64");
    assert_snapshot!(message(r"\ufffe", r#", "format": "raw""#), @"✗ action.queueMessage.message: given the character U+FFFE, expected characters that XML can hold, or the format base64");
    assert!(message(r"\u0000", r#", "format": "base64""#).starts_with("does"));
    assert!(message(r"\t\r\n\u007f\ud83d\ude00", "").starts_with("does"));
    let error = r#"{"request": {"uri": "https://example.com"}, "errorAction": {"queueMessage": {"storageAccount": "account", "queueName": "queue", "message": "\u001f"}}}"#;
    assert_snapshot!(action(error), @"✗ action.errorAction.queueMessage.message: given the character U+001F, expected characters that XML can hold, or the format base64");
}

#[test]
fn a_service_bus_queue_with_everything() {
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "transportType": "amqp", "authentication": {"type": "sharedAccessKey", "sasKeyName": "key", "sasKey": "secret"}, "brokeredMessageProperties": {"contentType": "a", "correlationId": "b", "forcePersistence": true, "label": "c", "messageId": "d", "partitionKey": "e", "replyTo": "f", "replyToSessionId": "g", "scheduledEnqueueTimeUtc": "2030-01-01T00:00", "sessionId": "h", "timeToLive": "P1D", "to": "i", "viaPartitionKey": "j"}, "customMessageProperties": {"k": "l", "m": "n"}}}"#), @r#"
    does ServiceBus(ServiceBusAction { entity: Queue("q1"), namespace: "space", transport: Some(Amqp), authentication: Some(SasKey { name: "key", key: Some(Some(Secret(…))) }), message: "hello", brokered: BrokeredProperties { content_type: Some("a"), correlation_id: Some("b"), force_persistence: Some(true), label: Some("c"), message_id: Some("d"), partition_key: Some("e"), reply_to: Some("f"), reply_to_session_id: Some("g"), scheduled_enqueue_time: Some(2030-01-01T00:00:00Z), session_id: Some("h"), time_to_live: Some(Span { ticks: 864000000000, text: "P1D" }), to: Some("i"), via_partition_key: Some("j") }, custom: [("k", "l"), ("m", "n")] })
    ! action.serviceBusQueueMessage.brokeredMessageProperties.partitionKey: the broker refuses one that is not the same as the sessionId
    "#);
}

#[test]
fn a_service_bus_topic() {
    assert_snapshot!(action(r#"{"serviceBusTopicMessage": {"topicPath": "a/b", "namespace": "space", "message": "hello", "transportType": "NotSpecified", "authentication": {"type": "NotSpecified"}}}"#), @r#"does ServiceBus(ServiceBusAction { entity: Topic("a/b"), namespace: "space", transport: Some(NotSpecified), authentication: None, message: "hello", brokered: BrokeredProperties { content_type: None, correlation_id: None, force_persistence: None, label: None, message_id: None, partition_key: None, reply_to: None, reply_to_session_id: None, scheduled_enqueue_time: None, session_id: None, time_to_live: None, to: None, via_partition_key: None }, custom: [] })"#);
    assert_snapshot!(action(r#"{"serviceBusTopicMessage": {"topicPath": "t", "namespace": "space", "message": "hello", "authentication": {"sasKeyName": "key"}, "queueName": "q"}}"#), @r#"
    does ServiceBus(ServiceBusAction { entity: Topic("t"), namespace: "space", transport: None, authentication: Some(SasKey { name: "key", key: Some(None) }), message: "hello", brokered: BrokeredProperties { content_type: None, correlation_id: None, force_persistence: None, label: None, message_id: None, partition_key: None, reply_to: None, reply_to_session_id: None, scheduled_enqueue_time: None, session_id: None, time_to_live: None, to: None, via_partition_key: None }, custom: [] })
    ! action.serviceBusTopicMessage.queueName: ignored: it means nothing here
    "#);
}

#[test]
fn a_service_bus_message_that_is_wrong() {
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {}}"#), @"
    ✗ action.serviceBusQueueMessage.queueName: given nothing, expected where the message goes
    ✗ action.serviceBusQueueMessage.namespace: given nothing, expected the namespace it goes to
    ✗ action.serviceBusQueueMessage.message: given nothing, expected the text to send
    ");
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "/q1", "namespace": "my space", "message": "hello"}}"#), @r#"
    ✗ action.serviceBusQueueMessage.queueName: given "/q1", expected a queue or topic name: 1 to 260 letters, digits and . - _, with / between its parts
    ✗ action.serviceBusQueueMessage.namespace: given "my space", expected a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter
    "#);
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "transportType": "mqtt"}}"#), @r#"✗ action.serviceBusQueueMessage.transportType: given "mqtt", expected one of NotSpecified, NetMessaging, AMQP"#);
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "authentication": {}}}"#), @"✗ action.serviceBusQueueMessage.authentication.sasKeyName: given nothing, expected the name of the key");
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "authentication": {"type": "saml", "sasKeyName": 5, "sasKey": 6}}}"#), @r#"
    ✗ action.serviceBusQueueMessage.authentication.type: given "saml", expected one of SharedAccessKey, NotSpecified
    ✗ action.serviceBusQueueMessage.authentication.sasKeyName: given 5, expected a text in quotes
    ✗ action.serviceBusQueueMessage.authentication.sasKey: given no text, expected a text in quotes
    "#);
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "brokeredMessageProperties": {"timeToLive": "2016-03-01T00:00:00Z"}}}"#), @r#"✗ action.serviceBusQueueMessage.brokeredMessageProperties.timeToLive: given "2016-03-01T00:00:00Z", expected a duration such as P1D, as since API version 2016-03-01, and not a date-time"#);
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "brokeredMessageProperties": {"timeToLive": "soon", "scheduledEnqueueTimeUtc": "later", "forcePersistence": "yes", "label": 5}}}"#), @r#"
    ✗ action.serviceBusQueueMessage.brokeredMessageProperties.label: given 5, expected a text in quotes
    ✗ action.serviceBusQueueMessage.brokeredMessageProperties.forcePersistence: given "yes", expected true or false
    ✗ action.serviceBusQueueMessage.brokeredMessageProperties.scheduledEnqueueTimeUtc: given "later", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    ✗ action.serviceBusQueueMessage.brokeredMessageProperties.timeToLive: given "soon", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30
    "#);
    assert_snapshot!(action(&filled(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "brokeredMessageProperties": {"timeToLive": "PT0S", "messageId": "~"}}}"#, 129)), @"
    ✗ action.serviceBusQueueMessage.brokeredMessageProperties.messageId: given 129 characters, expected at most 128
    ✗ action.serviceBusQueueMessage.brokeredMessageProperties.timeToLive: given PT0S, expected more than no time
    ");
    assert_snapshot!(action(&filled(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "brokeredMessageProperties": {"to": "~"}}}"#, 4097)), @"✗ action.serviceBusQueueMessage.brokeredMessageProperties.to: given 4097 characters, expected at most 4096");
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "brokeredMessageProperties": "none"}}"#), @"✗ action.serviceBusQueueMessage.brokeredMessageProperties: given a text, expected an object in braces");
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "customMessageProperties": {"a": 5, "b": null}}}"#), @"✗ action.serviceBusQueueMessage.customMessageProperties.a: given no text, expected a text in quotes");
    assert_snapshot!(action(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "customMessageProperties": {"": "x"}}}"#), @r#"✗ action.serviceBusQueueMessage.customMessageProperties: given "", expected names of one or more printable characters"#);
    assert_snapshot!(action(&filled(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "customMessageProperties": {"a": "~"}}}"#, 4096)), @"✗ action.serviceBusQueueMessage.customMessageProperties: given 4097 characters, expected at most 4096 in names and values together");
    assert_snapshot!(action(&with_members(r#"{"serviceBusQueueMessage": {"queueName": "q1", "namespace": "space", "message": "hello", "customMessageProperties": {~}}}"#, 51)), @"✗ action.serviceBusQueueMessage.customMessageProperties: given 51 properties, expected at most 50");
}

#[test]
fn properties_that_cannot_travel_as_headers() {
    let properties = |members: &str, rest: &str| {
        action(&format!(
            r#"{{"serviceBusQueueMessage": {{"queueName": "q1", "namespace": "space", "message": "hello", "customMessageProperties": {{{members}}}{rest}}}}}"#
        ))
    };
    let odd = r#""a b": "x", "ü": "x", "Authorization": "secret", "Host": "x", "content-type": "x", "Punctual-Resent": "x", "fine": "x""#;
    assert_snapshot!(properties(odd, ""), @r#"
    ✗ action.serviceBusQueueMessage.customMessageProperties["a b"]: this must be a name that can be a header, of letters, digits and !#$%&'*+-.^_`|~; or the transportType AMQP
    ✗ action.serviceBusQueueMessage.customMessageProperties["ü"]: this must be a name that can be a header, of letters, digits and !#$%&'*+-.^_`|~; or the transportType AMQP
    ✗ action.serviceBusQueueMessage.customMessageProperties.Authorization: this must be a name that is no header of the request itself; or the transportType AMQP
    ✗ action.serviceBusQueueMessage.customMessageProperties.Host: this must be a name that is no header of the request itself; or the transportType AMQP
    ✗ action.serviceBusQueueMessage.customMessageProperties.content-type: this must be a name that is no header of the request itself; or the transportType AMQP
    ✗ action.serviceBusQueueMessage.customMessageProperties.Punctual-Resent: this must be a property that Punctual does not set itself
    "#);
    assert_snapshot!(properties(odd, r#", "transportType": "AMQP""#), @"✗ action.serviceBusQueueMessage.customMessageProperties.Punctual-Resent: this must be a property that Punctual does not set itself");
    assert_snapshot!(properties("", r#", "brokeredMessageProperties": {"contentType": "text/plain\r\nEvil: 1"}"#), @"✗ action.serviceBusQueueMessage.brokeredMessageProperties.contentType: given other characters, expected printable ASCII, such as text/plain");
    assert!(
        properties("", r#", "brokeredMessageProperties": {"sessionId": "a", "partitionKey": "a"}"#).starts_with("does")
    );
}
