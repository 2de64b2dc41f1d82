use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn options() {
    let mut table = Table::new().await;
    for (sent, field) in [
        ("5", "options"),
        (r#"{"timeout": "PT0S"}"#, "options.timeout"),
        (r#"{"timeout": "PT31M"}"#, "options.timeout"),
        (r#"{"timeout": 60}"#, "options.timeout"),
        (r#"{"timeout": "1 minute"}"#, "options.timeout"),
        (r#"{"jitter": "-PT1S"}"#, "options.jitter"),
        (r#"{"jitter": "x"}"#, "options.jitter"),
        (r#"{"overlap": "queue"}"#, "options.overlap"),
        (r#"{"overlap": false}"#, "options.overlap"),
        (r#"{"catchUp": "some"}"#, "options.catchUp"),
        (r#"{"catchUp": "all", "catchUpMax": 0}"#, "options.catchUpMax"),
        (r#"{"catchUp": "all", "catchUpMax": 10001}"#, "options.catchUpMax"),
        (r#"{"catchUp": "all", "catchUpSpacing": "soon"}"#, "options.catchUpSpacing"),
        (r#"{"success": 200}"#, "options.success"),
        (r#"{"success": {"status": ["ok"]}}"#, "options.success.status[0]"),
        (r#"{"success": {"status": [99, 200]}}"#, "options.success.status[0]"),
        (r#"{"success": {"status": ["299-200"]}}"#, "options.success.status[0]"),
        (r#"{"success": {"status": [{}]}}"#, "options.success.status[0]"),
        (r#"{"success": {"bodyContains": 1}}"#, "options.success.bodyContains"),
        (r#"{"placeholders": ["job.name"]}"#, "options.placeholders"),
        (r#"{"placeholder": true}"#, "options.placeholder"),
    ] {
        table.job(&format!(r#"{{"options": {sent}}}"#), field).await;
    }
    assert_snapshot!(table.finish().await, @r#"
    {"options": 5}
      -> properties.options: Given 5, expected an object in braces.
    {"options": {"timeout": "PT0S"}}
      -> properties.options.timeout: Given PT0S, expected 1 second to 30 minutes.
    {"options": {"timeout": "PT31M"}}
      -> properties.options.timeout: Given PT31M, expected 1 second to 30 minutes.
    {"options": {"timeout": 60}}
      -> properties.options.timeout: Given 60, expected a duration such as 30s, PT30S, P1DT12H or 00:00:30, as a text in quotes.
    {"options": {"timeout": "1 minute"}}
      -> properties.options.timeout: Given "1 minute", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"jitter": "-PT1S"}}
      -> properties.options.jitter: Given "-PT1S", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"jitter": "x"}}
      -> properties.options.jitter: Given "x", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"overlap": "queue"}}
      -> properties.options.overlap: Given "queue", expected one of skip, allow.
    {"options": {"overlap": false}}
      -> properties.options.overlap: Given false, expected one of skip, allow.
    {"options": {"catchUp": "some"}}
      -> properties.options.catchUp: Given "some", expected one of latest, all, none.
    {"options": {"catchUp": "all", "catchUpMax": 0}}
      -> properties.options.catchUpMax: Given 0, expected 1 to 10000.
    {"options": {"catchUp": "all", "catchUpMax": 10001}}
      -> properties.options.catchUpMax: Given 10001, expected 1 to 10000.
    {"options": {"catchUp": "all", "catchUpSpacing": "soon"}}
      -> properties.options.catchUpSpacing: Given "soon", expected a duration such as 30s, PT30S, P1DT12H or 00:00:30.
    {"options": {"success": 200}}
      -> properties.options.success: Given 200, expected an object in braces.
    {"options": {"success": {"status": ["ok"]}}}
      -> properties.options.success.status[0]: Given "ok", expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204.
    {"options": {"success": {"status": [99, 200]}}}
      -> properties.options.success.status[0]: Given 99, expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204.
    {"options": {"success": {"status": ["299-200"]}}}
      -> properties.options.success.status[0]: Given "299-200", expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204.
    {"options": {"success": {"status": [{}]}}}
      -> properties.options.success.status[0]: Given an object, expected a status code from 100 to 599, a class such as 2xx or a range such as 200-204.
    {"options": {"success": {"bodyContains": 1}}}
      -> properties.options.success.bodyContains: Given 1, expected a text in quotes.
    {"options": {"placeholders": ["job.name"]}}
      -> properties.options.placeholders: Given a list of 1, expected true or false.
    {"options": {"placeholder": true}}
      -> properties.options.placeholder: There is no such member here: did you mean placeholders?
    "#);
}
