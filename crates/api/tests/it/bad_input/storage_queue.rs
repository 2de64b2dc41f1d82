use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn storage_queues() {
    let mut table = Table::new().await;
    let right = r#""storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "message": "m""#;
    let but = |from: &str, to: &str| format!(r#"{{"queueMessage": {{{}}}}}"#, right.replace(from, to));
    for (from, to, field) in [
        (right, "", "queueMessage.storageAccount"),
        (r#""acct""#, r#""a""#, "queueMessage.storageAccount"),
        (r#""acct""#, r#""my-account""#, "queueMessage.storageAccount"),
        (r#""acct""#, r#""acct.evil.example/""#, "queueMessage.storageAccount"),
        (r#""acct""#, "7", "queueMessage.storageAccount"),
        (r#""tasks""#, r#""ab""#, "queueMessage.queueName"),
        (r#""tasks""#, r#""Tasks""#, "queueMessage.queueName"),
        (r#""tasks""#, r#""a--b""#, "queueMessage.queueName"),
        (r#""tasks""#, r#""../x""#, "queueMessage.queueName"),
        (r#""?sv=1&sig=x""#, r#""""#, "queueMessage.sasToken"),
        (r#""?sv=1&sig=x""#, r#""a b""#, "queueMessage.sasToken"),
        (r#""?sv=1&sig=x""#, "null", "queueMessage.sasToken"),
        (r#""m""#, "null", "queueMessage.message"),
        (r#""m""#, r#"{"a": 1}"#, "queueMessage.message"),
        (r#""m""#, r#""m", "format": "yaml""#, "queueMessage.format"),
        (r#""m""#, r#""m", "timeToLive": "soon""#, "queueMessage.timeToLive"),
        (r#""m""#, r#""m", "timeToLive": "PT0S""#, "queueMessage.timeToLive"),
        (r#""m""#, r#""m", "visibilityDelay": "P8D""#, "queueMessage.visibilityDelay"),
        (r#""m""#, r#""m", "visibilityDelay": "PT2H", "timeToLive": "PT1H""#, "queueMessage.visibilityDelay"),
    ] {
        table.action(&but(from, to), field).await;
    }
    let rows = table.finish().await;
    assert_snapshot!(rows.replace("properties.action.queueMessage", "…"), @r#"
    {"queueMessage": {}}
      -> ….storageAccount: Given nothing, expected the name of the storage account.
      -> ….queueName: Given nothing, expected the name of the queue.
      -> ….message: Given nothing, expected the text to put on the queue.
    {"queueMessage": {"storageAccount": "a", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "message": "m"}}
      -> ….storageAccount: Given "a", expected a storage account name: 3 to 24 letters and digits.
    {"queueMessage": {"storageAccount": "my-account", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "…
      -> ….storageAccount: Given "my-account", expected a storage account name: 3 to 24 letters and digits.
    {"queueMessage": {"storageAccount": "acct.evil.example/", "queueName": "tasks", "sasToken": "?sv=1&s…
      -> ….storageAccount: Given "acct.evil.example/", expected a storage account name: 3 to 24 letters and digits.
    {"queueMessage": {"storageAccount": 7, "queueName": "tasks", "sasToken": "?sv=1&sig=x", "message": "m"}}
      -> ….storageAccount: Given 7, expected a storage account name: 3 to 24 letters and digits, as a text in quotes.
    {"queueMessage": {"storageAccount": "acct", "queueName": "ab", "sasToken": "?sv=1&sig=x", "message": "m"}}
      -> ….queueName: Given "ab", expected a queue name: 3 to 63 lower-case letters, digits and single hyphens between them.
    {"queueMessage": {"storageAccount": "acct", "queueName": "Tasks", "sasToken": "?sv=1&sig=x", "message": "m"}}
      -> ….queueName: Given "Tasks", expected a queue name: 3 to 63 lower-case letters, digits and single hyphens between them.
    {"queueMessage": {"storageAccount": "acct", "queueName": "a--b", "sasToken": "?sv=1&sig=x", "message": "m"}}
      -> ….queueName: Given "a--b", expected a queue name: 3 to 63 lower-case letters, digits and single hyphens between them.
    {"queueMessage": {"storageAccount": "acct", "queueName": "../x", "sasToken": "?sv=1&sig=x", "message": "m"}}
      -> ….queueName: Given "../x", expected a queue name: 3 to 63 lower-case letters, digits and single hyphens between them.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "", "message": "m"}}
      -> ….sasToken: Given 0 characters, expected a shared access signature: the query of an address such as ?sv=...&sig=..., in ASCII.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "a b", "message": "m"}}
      -> ….sasToken: Given 3 characters, expected a shared access signature: the query of an address such as ?sv=...&sig=..., in ASCII.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": null, "message": "m"}}
      -> ….sasToken: Missing, and no stored sasToken has this storageAccount and queueName: send the sasToken.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "message": null}}
      -> ….message: Given nothing, expected the text to put on the queue.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "messag…
      -> ….message: Given an object, expected a text in quotes.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "messag…
      -> ….format: Given "yaml", expected one of envelope, raw, base64.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "messag…
      -> ….timeToLive: Given "soon", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "messag…
      -> ….timeToLive: Given PT0S, expected at least 1 second.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "messag…
      -> ….visibilityDelay: Given P8D, expected at most 7 days.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "messag…
      -> ….visibilityDelay: Given PT2H, expected less than timeToLive.
    "#);
}

/// The message may have 65,536 bytes on the queue: as it is, in base64, or inside the envelope that names the job.
#[tokio::test]
async fn messages_that_are_too_large_for_a_queue() {
    let mut table = Table::new().await;
    let queue = |bytes: usize, format: &str| {
        format!(
            r#"{{"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "format": "{format}", "message": "{}"}}"#,
            "ü".repeat(bytes / 2)
        )
    };
    for (format, bytes) in [("raw", 65_538), ("base64", 49_154), ("envelope", 49_152)] {
        table.action(&format!(r#"{{"queueMessage": {}}}"#, queue(bytes, format)), "queueMessage.message").await;
        let error = format!(
            r#"{{"request": {{"uri": "https://example.com"}}, "errorAction": {{"queueMessage": {}}}}}"#,
            queue(bytes, format)
        );
        table.action(&error, "errorAction.queueMessage.message").await;
    }
    let rows = table.finish().await;
    assert_snapshot!(rows.replace("properties.action.", "…"), @r#"
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "format…
      -> …queueMessage.message: Given 65538 bytes in the format raw, expected at most 65536, which is what a storage queue takes.
    {"request": {"uri": "https://example.com"}, "errorAction": {"queueMessage": {"storageAccount": "acct…
      -> …errorAction.queueMessage.message: Given 65538 bytes in the format raw, expected at most 65536, which is what a storage queue takes.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "format…
      -> …queueMessage.message: Given 65540 bytes in the format base64, expected at most 65536, which is what a storage queue takes.
    {"request": {"uri": "https://example.com"}, "errorAction": {"queueMessage": {"storageAccount": "acct…
      -> …errorAction.queueMessage.message: Given 65540 bytes in the format base64, expected at most 65536, which is what a storage queue takes.
    {"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sv=1&sig=x", "format…
      -> …queueMessage.message: Given 66260 bytes in the format envelope, expected at most 65536, which is what a storage queue takes.
    {"request": {"uri": "https://example.com"}, "errorAction": {"queueMessage": {"storageAccount": "acct…
      -> …errorAction.queueMessage.message: Given 66260 bytes in the format envelope, expected at most 65536, which is what a storage queue takes.
    "#);
}
