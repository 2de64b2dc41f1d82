//! Bodies that are no JSON, or JSON of another kind.

use bytes::Bytes;
use insta::assert_snapshot;

use super::Table;

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
        "{/* why */}",
        "// why\n{}",
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

      -> body: Given an empty body, expected a JSON object.
       
      -> body: Given an empty body, expected a JSON object.
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
      -> body: Given line 1, column 1: EOF while parsing an object, expected JSON without comments and trailing commas.
    {}}
      -> body: Given line 1, column 3: trailing characters, expected JSON without comments and trailing commas.
    {} {}
      -> body: Given line 1, column 4: trailing characters, expected JSON without comments and trailing commas.
    {'a': 1}
      -> body: Given line 1, column 2: key must be a string, expected JSON without comments and trailing commas.
    {a: 1}
      -> body: Given line 1, column 2: key must be a string, expected JSON without comments and trailing commas.
    {"a": 1,}
      -> body: Given line 1, column 9: trailing comma, expected JSON without comments and trailing commas.
    [1,]
      -> body: Given line 1, column 4: trailing comma, expected JSON without comments and trailing commas.
    {"a": NaN}
      -> body: Given line 1, column 7: expected value, expected JSON without comments and trailing commas.
    {"a": Infinity}
      -> body: Given line 1, column 7: expected value, expected JSON without comments and trailing commas.
    {"a": 1e999}
      -> body: Given line 1, column 11: number out of range, expected JSON without comments and trailing commas.
    {"a": 01}
      -> body: Given line 1, column 8: invalid number, expected JSON without comments and trailing commas.
    {"a": .5}
      -> body: Given line 1, column 7: expected value, expected JSON without comments and trailing commas.
    {"a": 0x10}
      -> body: Given line 1, column 8: expected `,` or `}`, expected JSON without comments and trailing commas.
    {"a": "
    "}
      -> body: Given line 2, column 0: control character (\u0000-\u001F) found wh…, expected JSON without comments and trailing commas.
    {"a": "\x"}
      -> body: Given line 1, column 9: invalid escape, expected JSON without comments and trailing commas.
    {"a": "\ud800"}
      -> body: Given line 1, column 14: unexpected end of hex escape, expected JSON without comments and trailing commas.
    {/* why */}
      -> body: Given line 1, column 2: key must be a string, expected JSON without comments and trailing commas.
    // why
    {}
      -> body: Given line 1, column 1: expected value, expected JSON without comments and trailing commas.
    {"a": 1, "a": 2}
      -> a: Given it again, expected each member once; names that differ only in case are the same.
    {"a": 1, "A": 2}
      -> A: Given it again, expected each member once; names that differ only in case are the same.
    {"properties": {"action": {}, "ACTION": {}}}
      -> properties.ACTION: Given it again, expected each member once; names that differ only in case are the same.
    <job/>
      -> body: Given line 1, column 1: expected value, expected JSON without comments and trailing commas.
    a=b&c=d
      -> body: Given line 1, column 1: expected value, expected JSON without comments and trailing commas.
    [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
      -> body: Given line 1, column 34: more than 32 levels of nesting, expected JSON without comments and trailing commas.
    {"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":…
      -> body: Given line 1, column 161: more than 32 levels of nesting, expected JSON without comments and trailing commas.
    latin-1
      -> body: Given bytes that are not UTF-8, expected JSON in UTF-8.
    utf-16 with its mark
      -> body: Given bytes that are not UTF-8, expected JSON in UTF-8.
    a lone byte
      -> body: Given bytes that are not UTF-8, expected JSON in UTF-8.
    a mark and nothing
      -> body: Given line 1, column 0: EOF while parsing a value, expected JSON without comments and trailing commas.
    "#);
}

/// A byte order mark before JSON is what some tools write, and harms nobody.
#[tokio::test]
async fn a_mark_before_json_is_taken() {
    let table = Table::new().await;
    let body = "\u{feff}{\"action\": {\"request\": {\"uri\": \"https://example.com\"}}}";
    assert_eq!(table.server.call("PUT", "/v1/jobs/new").body(body).send().await.status(), 201);
}
