//! Bodies that are no JSON, or JSON of another kind.

use bytes::Bytes;
use insta::assert_snapshot;

use super::{Table, parsed};

#[tokio::test]
async fn bodies() {
    let mut table = Table::new().await;
    let deep = format!("{}{}", "[".repeat(33), "]".repeat(33));
    let bottomless = "{\"a\":".repeat(100_000);
    let texts = [
        "",
        "   ",
        "null",
        "true",
        "7",
        "\"job\"",
        "[]",
        "[{}]",
        "{",
        "{}}",
        "{} {}",
        "{'a': 1}",
        "{a: 1}",
        "{\"a\": 1,}",
        "[1,]",
        "{\"a\": NaN}",
        "{\"a\": Infinity}",
        "{\"a\": 1e999}",
        "{\"a\": 01}",
        "{\"a\": .5}",
        "{\"a\": 0x10}",
        "{\"a\": \"\n\"}",
        "{\"a\": \"\\x\"}",
        "{\"a\": \"\\ud800\"}",
        "{\"a\": 1, \"a\": 2}",
        "{\"a\": 1, \"A\": 2}",
        "{\"properties\": {\"action\": {}, \"ACTION\": {}}}",
        "<job/>",
        "a=b&c=d",
        &deep,
        &bottomless,
    ];
    for text in texts {
        let body = Bytes::copy_from_slice(text.as_bytes());
        let answer = table.server.call("PUT", "/v1/jobs/j").body(body.clone()).send().await;
        table.add(text, "", &answer);
        let patched = table.server.call("PATCH", "/v1/jobs/j").body(body).send().await;
        assert_eq!(patched.status(), 400, "PATCH {text}: {patched}");
    }
    let bytes: [(&str, &'static [u8]); 4] = [
        ("latin-1", b"{\"a\": \"\xe9\"}"),
        ("utf-16 with its mark", b"\xff\xfe{\0}\0"),
        ("a lone byte", b"\x80"),
        ("a mark and nothing", b"\xef\xbb\xbf"),
    ];
    for (name, body) in bytes {
        let answer = table.server.call("PUT", "/v1/jobs/j").body(body).send().await;
        table.add(name, "body", &answer);
    }
    assert_snapshot!(table.finish().await, @r#"

      -> body: The body is empty: send a JSON object.
       
      -> body: The body is empty: send a JSON object.
    null
      -> body: Given null, expected an object in braces.
    true
      -> body: Given true, expected an object in braces.
    7
      -> body: Given 7, expected an object in braces.
    "job"
      -> body: Given a text, expected an object in braces.
    []
      -> body: Given a list of 0, expected an object in braces.
    [{}]
      -> body: Given a list of 1, expected an object in braces.
    {
      -> body: The JSON ends in the middle of an object (line 1, column 1).
    {}}
      -> body: No JSON from line 1, column 3 on: trailing characters.
    {} {}
      -> body: No JSON from line 1, column 4 on: trailing characters.
    {'a': 1}
      -> body: No JSON from line 1, column 2 on: key must be a string.
    {a: 1}
      -> body: No JSON from line 1, column 2 on: key must be a string.
    {"a": 1,}
      -> a: There is no such member here, only properties, action, startTime, recurrence, options, state, errorAction, retryPolicy.
      -> action: Given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    [1,]
      -> body: Given a list of 1, expected an object in braces.
    {"a": NaN}
      -> body: No JSON from line 1, column 7 on: expected value.
    {"a": Infinity}
      -> body: No JSON from line 1, column 7 on: expected value.
    {"a": 1e999}
      -> body: No JSON from line 1, column 11 on: number out of range.
    {"a": 01}
      -> body: No JSON from line 1, column 8 on: invalid number.
    {"a": .5}
      -> body: No JSON from line 1, column 7 on: expected value.
    {"a": 0x10}
      -> body: No JSON from line 1, column 8 on: expected `,` or `}`.
    {"a": "
    "}
      -> body: No JSON from line 2, column 0 on: control character (\u0000-\u001F) found while parsing a string.
    {"a": "\x"}
      -> body: No JSON from line 1, column 9 on: invalid escape.
    {"a": "\ud800"}
      -> body: No JSON from line 1, column 14 on: unexpected end of hex escape.
    {"a": 1, "a": 2}
      -> a: This member stands twice, since names that differ only in case are the same: keep one.
    {"a": 1, "A": 2}
      -> A: This member stands twice, since names that differ only in case are the same: keep one.
    {"properties": {"action": {}, "ACTION": {}}}
      -> properties.ACTION: This member stands twice, since names that differ only in case are the same: keep one.
    <job/>
      -> body: No JSON from line 1, column 1 on: expected value.
    a=b&c=d
      -> body: No JSON from line 1, column 1 on: expected value.
    [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
      -> body: More than 32 levels of nesting (line 1, column 34).
    {"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":…
      -> body: More than 32 levels of nesting (line 1, column 161).
    latin-1
      -> body: The body is not UTF-8: send JSON in UTF-8.
    utf-16 with its mark
      -> body: The body is not UTF-8: send JSON in UTF-8.
    a lone byte
      -> body: The body is not UTF-8: send JSON in UTF-8.
    a mark and nothing
      -> body: The JSON ends where a value should stand (line 1, column 0).
    "#);
}

/// A byte order mark before JSON is what some tools write, and harms nobody.
#[tokio::test]
async fn a_mark_before_json_is_taken() {
    let table = Table::new().await;
    let body = "\u{feff}{\"action\": {\"request\": {\"uri\": \"https://example.com\"}}}";
    assert_eq!(table.server.call("PUT", "/v1/jobs/new").body(body).send().await.status(), 201);
}

#[tokio::test]
async fn reruns() {
    let mut table = Table::new().await;
    for (sent, field) in [
        ("{}", "since"),
        ("[]", ""),
        (r#"{"since": null}"#, "since"),
        (r#"{"since": "yesterday"}"#, "since"),
        (r#"{"since": 7}"#, "since"),
        (r#"{"since": "2026-11-02", "until": "2026-11-01"}"#, "until"),
        (r#"{"since": "2026-11-02", "until": ""}"#, "until"),
        (r#"{"since": "2026-11-02", "collection": ""}"#, "collection"),
        (r#"{"since": "2026-11-02", "collection": "a/b"}"#, "collection"),
        (r#"{"since": "2026-11-02", "collection": "/subscriptions/s"}"#, "collection"),
        (r#"{"since": "2026-11-02", "collection": ["c"]}"#, "collection"),
        (r#"{"since": "2026-11-02", "job": "j"}"#, "collection"),
        (r#"{"since": "2026-11-02", "collection": "c", "job": "a/b"}"#, "job"),
        (r#"{"since": "2026-11-02", "jobs": ["j"]}"#, "jobs"),
    ] {
        let answer = table.server.call("POST", "/v1/rerun").json(&parsed(sent)).send().await;
        table.add(sent, field, &answer);
    }
    for place in ["x", "", "YQ", "YS9iL2MvZC9l", "YS8vYg"] {
        let call = table.server.call("POST", &format!("/v1/rerun?continue={place}"));
        let answer = call.json(&parsed(r#"{"since": "2026-11-02"}"#)).send().await;
        table.add(&format!("continue={place}"), "continue", &answer);
    }
    assert_snapshot!(table.finish().await, @r#"
    {}
      -> since: Given nothing, expected the instant since which it failed, such as 2026-01-01T00:00:00Z.
    []
      -> body: Given a list of 0, expected an object in braces.
    {"since": null}
      -> since: Given nothing, expected the instant since which it failed, such as 2026-01-01T00:00:00Z.
    {"since": "yesterday"}
      -> since: Given "yesterday", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"since": 7}
      -> since: Given 7, expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00, as a text in quotes.
    {"since": "2026-11-02", "until": "2026-11-01"}
      -> until: Given 2026-11-01T00:00:00Z, expected an instant not before since, 2026-11-02T00:00:00Z.
    {"since": "2026-11-02", "until": ""}
      -> until: Given "", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    {"since": "2026-11-02", "collection": ""}
      -> collection: Given "", expected the name of a collection, or its path /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    {"since": "2026-11-02", "collection": "a/b"}
      -> collection: Given "a/b", expected the name of a collection, or its path /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    {"since": "2026-11-02", "collection": "/subscriptions/s"}
      -> collection: Given "/subscriptions/s", expected the name of a collection, or its path /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C.
    {"since": "2026-11-02", "collection": ["c"]}
      -> collection: Given a list of 1, expected the name of a collection, or its path /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C, as a text in quotes.
    {"since": "2026-11-02", "job": "j"}
      -> collection: Given nothing, expected the collection that the job is in.
    {"since": "2026-11-02", "collection": "c", "job": "a/b"}
      -> job: Given "a/b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    {"since": "2026-11-02", "jobs": ["j"]}
      -> jobs: There is no such member here: did you mean job?
    continue=x
      -> continue: This is no place to go on at: send what the last answer said.
    continue=
      -> continue: This is no place to go on at: send what the last answer said.
    continue=YQ
      -> continue: This is no place to go on at: send what the last answer said.
    continue=YS9iL2MvZC9l
      -> continue: This is no place to go on at: send what the last answer said.
    continue=YS8vYg
      -> continue: This is no place to go on at: send what the last answer said.
    "#);
}
