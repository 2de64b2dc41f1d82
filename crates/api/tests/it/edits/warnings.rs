//! Lenient is never silent.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{daily, with};
use crate::server::{Server, collection};

async fn warned(server: &Server, job: Value) -> String {
    let path = format!("{}/jobs/j?api-version=2016-03-01", collection("default"));
    let answer = server.put(&path, job).await;
    assert!(answer.status() < 300, "{answer}");
    let warning = answer.header("warning");
    assert!(warning.is_ascii() && warning.len() <= 1024, "{warning}");
    warning
}

#[tokio::test]
async fn whatever_was_bent_is_named() {
    let server = Server::start().await;
    assert_eq!(warned(&server, daily()).await, "");
    let bent = json!({ "properties": {
        "startTime": "2026-11-20", "colour": "r\u{f6}t",
        "action": { "request": { "uri": "http://example.com", "authentication": { "username": "ada", "password": "x" }, "retryPolicy": { "retryType": "none" } } },
        "recurrence": { "frequency": "weekly", "interval": "2", "schedule": { "hour": 5, "days": ["monday"] } } } });
    assert_snapshot!(warned(&server, bent).await, @r#"299 punctual "properties.recurrence.frequency: taken as Week; properties.recurrence.interval: the text '2' was taken as the number 2; properties.recurrence.schedule.hour: taken as hours; properties.recurrence.schedule.days: taken as weekDays; properties.recurrence.schedule.hours: not a list; taken as a list of one; properties.action.request.retryPolicy: taken as properties.action.retryPolicy; properties.action.request.authentication.type: missing; taken as Basic; properties.action.request.authentication: the uri is not https: the credentials travel unencrypted; properties.colour: ignored: it means nothing here""#);
}

#[tokio::test]
async fn an_end_in_the_past_is_named() {
    let server = Server::start().await;
    let job = with(daily(), "/properties/recurrence/endTime", "2026-11-01T00:00:00Z".into());
    assert_snapshot!(warned(&server, job).await, @r#"299 punctual "properties.recurrence.endTime: no occurrence is left up to 2026-11-01T00:00:00Z""#);
}

#[tokio::test]
async fn retries_that_outlast_the_interval_are_named() {
    let server = Server::start().await;
    let minutely = with(daily(), "/properties/recurrence/frequency", "minute".into());
    // The default policy is nobody's choice: until something fails nothing is said of it.
    assert_eq!(warned(&server, minutely.clone()).await, "");
    let minutely = with(minutely, "/properties/action/retryPolicy", json!({ "retryInterval": "30s", "retryCount": 4 }));
    assert_snapshot!(warned(&server, minutely).await, @r#"299 punctual "properties.action.retryPolicy: retrying takes up to 120 seconds; an occurrence that fails each time keeps 2 from running""#);
}

#[tokio::test]
async fn a_put_that_drops_an_extension_says_what_changes() {
    let server = Server::start().await;
    let zoned = with(daily(), "/properties/recurrence/timeZone", "America/New_York".into());
    warned(&server, with(zoned, "/properties/options", json!({ "catchUp": "all" }))).await;
    assert_snapshot!(warned(&server, daily()).await, @r#"299 punctual "properties.recurrence.timeZone, properties.options.catchUp: dropped, since the new definition has none""#);
}

#[tokio::test]
async fn a_signature_that_will_be_refused_is_named() {
    let server = Server::start().await;
    let queue = |token: &str| json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "message": "m", "sasToken": token } });
    let job = |action: Value| json!({ "properties": { "startTime": "2030-01-01", "action": action } });
    assert_eq!(warned(&server, job(queue("?sv=1&se=2030-01-01&sp=a&sig=SECRET"))).await, "");
    assert_snapshot!(warned(&server, job(queue("?sv=1&se=2026-11-15T12%3A00%3A00Z&sp=r&sig=SECRET"))).await, @r#"299 punctual "properties.action.queueMessage.sasToken: the service will refuse it: its permissions (sp) lack a, which allows to add messages; it expired at 2026-11-15T12:00:00Z""#);
    let mut action = queue("?sv=1&sp=a&sig=SECRET");
    action["errorAction"] = queue("sv=1&ss=b&srt=c&sp=a&sig=SECRET");
    assert_snapshot!(warned(&server, job(action)).await, @r#"299 punctual "properties.action.errorAction.queueMessage.sasToken: the service will refuse it: its services (ss) lack q, the queues; its resource types (srt) lack o, to which messages belong""#);
    // It ends by itself, and whoever edits the job then hears of it.
    warned(&server, job(queue("?sv=1&se=2026-11-16&sp=a&sig=SECRET"))).await;
    server.set_clock("2026-11-17T00:00:00Z");
    let patch = json!({ "properties": { "action": { "queueMessage": { "message": "n" } } } });
    let answer = server.call("PATCH", "/v1/jobs/j").json(&patch).send().await;
    assert_snapshot!(answer.header("warning"), @r#"299 punctual "properties.action.queueMessage.sasToken: the service will refuse it: it expired at 2026-11-16T00:00:00Z""#);
}

#[tokio::test]
async fn many_are_cut() {
    let server = Server::start().await;
    let mut job = daily();
    for number in 0..40 {
        job["properties"][format!("member{number}")] = 1.into();
    }
    let warning = warned(&server, job).await;
    assert!(warning.starts_with("299 punctual \"") && warning.ends_with("; and more\""), "{warning}");
    assert_eq!(warning.matches("ignored").count(), 10);
}

#[tokio::test]
async fn collections_warn_too() {
    let server = Server::start().await;
    let answer = server
        .put(
            &format!("{}?api-version=2016-03-01", collection("c")),
            json!({ "kind": "x", "properties": { "sku": { "name": "free", "tier": 1 } } }),
        )
        .await;
    assert_snapshot!(answer.header("warning"), @r#"299 punctual "kind: ignored: it means nothing here; properties.sku.tier: ignored: it means nothing here""#);
}

#[tokio::test]
async fn a_cron_expression_that_is_not_what_it_looks_like_is_named_when_it_is_new() {
    let server = Server::start().await;
    let job = |cron: &str| json!({ "action": { "request": { "uri": "https://example.com" }, "retryPolicy": { "retryType": "none" } }, "recurrence": { "cron": cron } });
    assert_snapshot!(warned(&server, job("0 */5 31 * fri")).await, @r#"299 punctual "recurrence.cron: */5 in the hour field is not every 5 hours: after 20 comes 0, 4 hours later; every 5 hours is frequency Hour with interval 5, without cron; recurrence.cron: months without a 31st are skipped; L is the last day of every month; recurrence.cron: day of month and weekday are both named: a day on which either one holds is enough""#);
    assert_eq!(warned(&server, job("0 */5 31 * fri")).await, "");
    assert_snapshot!(warned(&server, job("*/45 0 * * *")).await, @r#"299 punctual "recurrence.cron: */45 in the minute field is not every 45 minutes: after 45 comes 0, 15 minutes later; every 45 minutes is frequency Minute with interval 45, without cron""#);
}

#[tokio::test]
async fn a_type_that_promises_more_than_the_address_is_named() {
    let server = Server::start().await;
    assert_snapshot!(warned(&server, with(daily(), "/properties/action/type", "Https".into())).await, @r#"299 punctual "properties.action.request.uri: the type is Https and the address http: the call is not encrypted""#);
}

/// A .NET client could not read `90s`.
#[tokio::test]
async fn short_durations_are_never_answered_as_they_came_in() {
    let server = Server::start().await;
    let policy = json!({ "retryType": "Fixed", "retryInterval": "90s", "retryCount": 2 });
    let job = with(daily(), "/properties/action/retryPolicy", policy);
    let job = with(job, "/properties/options", json!({ "timeout": "5m" }));
    let path = format!("{}/jobs/j?api-version=2016-03-01", collection("default"));
    let made = server.put(&path, job).await;
    assert_eq!(made.at("/properties/action/retryPolicy/retryInterval"), "PT1M30S");
    assert_eq!(made.at("/properties/options/timeout"), "PT5M");
}
