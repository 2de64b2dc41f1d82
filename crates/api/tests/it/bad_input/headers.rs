use insta::assert_snapshot;
use serde_json::json;

use super::Table;

#[tokio::test]
async fn headers() {
    let mut table = Table::new().await;
    for headers in [
        r#""X-A: b""#,
        r#"["X-A", "b"]"#,
        r#"{"": "x"}"#,
        r#"{"X A": "x"}"#,
        r#"{"X:A": "x"}"#,
        r#"{"X-\u00dc": "x"}"#,
        r#"{"X-A\r\nX-B": "x"}"#,
        r#"{"X-A": "b\r\nX-C: d"}"#,
        r#"{"X-A": "b\n"}"#,
        r#"{"X-A": "\u0000"}"#,
        r#"{"X-A": 1}"#,
        r#"{"X-A": {"b": "c"}}"#,
        r#"{"Host": "example.org"}"#,
        r#"{"content-length": "3"}"#,
        r#"{"Transfer-Encoding": "chunked"}"#,
        r#"{"Connection": "close"}"#,
        r#"{"Upgrade": "h2c"}"#,
        r#"{"TE": "trailers"}"#,
        r#"{"Keep-Alive": "5"}"#,
        r#"{"Proxy-Authorization": "x"}"#,
        r#"{"Proxy-Anything": "x"}"#,
        r#"{"Trailer": "x"}"#,
        r#"{"x-ms-execution-tag": "mine"}"#,
        r#"{"x-ms-scheduler-jobid": "mine"}"#,
        r#"{"x-punctual-resent": "true"}"#,
        r#"{"traceparent": "00-0-0-0"}"#,
    ] {
        table.request(&format!(r#"{{"uri": "https://example.com", "headers": {headers}}}"#), "request.headers").await;
    }
    let many: serde_json::Map<_, _> = (0..51).map(|n| (format!("X-{n}"), json!("x"))).collect();
    let body = json!({ "action": { "request": { "uri": "https://example.com", "headers": many } } });
    table.put("/v1/jobs/j", &body, "action.request.headers", "51 headers").await;
    let body =
        json!({ "action": { "request": { "uri": "https://example.com", "headers": { "X-A": "x".repeat(4094) } } } });
    table.put("/v1/jobs/j", &body, "action.request.headers", "headers of 4097 characters").await;
    let rows = table.finish().await;
    assert_snapshot!(rows.replace(r#""uri": "https://example.com", "#, ""), @r#"
    {"headers": "X-A: b"}
      -> properties.action.request.headers: Given a text, expected an object in braces.
    {"headers": ["X-A", "b"]}
      -> properties.action.request.headers: Given a list of 2, expected an object in braces.
    {"headers": {"": "x"}}
      -> properties.action.request.headers[""]: This must be a header name of letters, digits and !#$%&'*+-.^_`|~.
    {"headers": {"X A": "x"}}
      -> properties.action.request.headers["X A"]: This must be a header name of letters, digits and !#$%&'*+-.^_`|~.
    {"headers": {"X:A": "x"}}
      -> properties.action.request.headers["X:A"]: This must be a header name of letters, digits and !#$%&'*+-.^_`|~.
    {"headers": {"X-\u00dc": "x"}}
      -> properties.action.request.headers["X-Ü"]: This must be a header name of letters, digits and !#$%&'*+-.^_`|~.
    {"headers": {"X-A\r\nX-B": "x"}}
      -> properties.action.request.headers["X-A\r\nX-B"]: This must be a header name of letters, digits and !#$%&'*+-.^_`|~.
    {"headers": {"X-A": "b\r\nX-C: d"}}
      -> properties.action.request.headers.X-A: This must be a header value without line breaks and control characters.
    {"headers": {"X-A": "b\n"}}
      -> properties.action.request.headers.X-A: This must be a header value without line breaks and control characters.
    {"headers": {"X-A": "\u0000"}}
      -> properties.action.request.headers.X-A: This must be a header value without line breaks and control characters.
    {"headers": {"X-A": 1}}
      -> properties.action.request.headers.X-A: Given no text, expected a text in quotes.
    {"headers": {"X-A": {"b": "c"}}}
      -> properties.action.request.headers.X-A: Given no text, expected a text in quotes.
    {"headers": {"Host": "example.org"}}
      -> properties.action.request.headers.Host: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"content-length": "3"}}
      -> properties.action.request.headers.content-length: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"Transfer-Encoding": "chunked"}}
      -> properties.action.request.headers.Transfer-Encoding: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"Connection": "close"}}
      -> properties.action.request.headers.Connection: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"Upgrade": "h2c"}}
      -> properties.action.request.headers.Upgrade: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"TE": "trailers"}}
      -> properties.action.request.headers.TE: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"Keep-Alive": "5"}}
      -> properties.action.request.headers.Keep-Alive: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"Proxy-Authorization": "x"}}
      -> properties.action.request.headers.Proxy-Authorization: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"Proxy-Anything": "x"}}
      -> properties.action.request.headers.Proxy-Anything: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"Trailer": "x"}}
      -> properties.action.request.headers.Trailer: This must be a header of the request; those of the connection are set by the sender.
    {"headers": {"x-ms-execution-tag": "mine"}}
      -> properties.action.request.headers.x-ms-execution-tag: This must be a header that Punctual does not set itself.
    {"headers": {"x-ms-scheduler-jobid": "mine"}}
      -> properties.action.request.headers.x-ms-scheduler-jobid: This must be a header that Punctual does not set itself.
    {"headers": {"x-punctual-resent": "true"}}
      -> properties.action.request.headers.x-punctual-resent: This must be a header that Punctual does not set itself.
    {"headers": {"traceparent": "00-0-0-0"}}
      -> properties.action.request.headers.traceparent: This must be a header that Punctual does not set itself.
    51 headers
      -> action.request.headers: Given 51 headers, expected at most 50.
    headers of 4097 characters
      -> action.request.headers: Given 4097 characters, expected at most 4096 in names and values together.
    "#);
}
