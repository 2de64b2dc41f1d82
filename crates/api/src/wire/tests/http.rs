//! Requests.

use insta::assert_snapshot;

use super::{filled, request, with_members};

#[test]
fn a_request_with_everything() {
    assert_snapshot!(request(r#"{"URI": "https://example.com/a?b=%2d%2f%3d", "Method": "put", "body": "hello", "headers": {"Content-Type": "text/plain", "X-Empty": "", "X-Null": null}, "authentication": {"type": "NotSpecified"}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com/a?b=%2d%2f%3d", method: "put", headers: [("Content-Type", "text/plain"), ("X-Empty", "")], body: Some("hello"), authentication: None })"#);
}

#[test]
fn the_method_is_get_or_post() {
    assert_snapshot!(request(r#"{"uri": "https://example.com"}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "body": ""}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "POST", headers: [], body: Some(""), authentication: None })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "body": "x", "method": "get"}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "get", headers: [], body: Some("x"), authentication: None })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "body": null, "method": null}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
}

#[test]
fn unknown_members_are_ignored() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "timeout": 5, "httpAuthentication": {"type": "Basic"}}"#), @"✗ action.request.timeout: move timeout into options");
}

#[test]
fn addresses_that_are_wrong() {
    assert_snapshot!(request(r#"{"uri": null}"#), @"✗ action.request.uri: given nothing, expected the address to call, such as https://example.com/path");
    assert_snapshot!(request(r#"{"uri": ""}"#), @r#"✗ action.request.uri: given "", expected an absolute address such as https://example.com/path"#);
    assert_snapshot!(request(r#"{"uri": 5}"#), @"✗ action.request.uri: given 5, expected a text in quotes");
    assert_snapshot!(request(r#"{"uri": "example.com"}"#), @r#"✗ action.request.uri: given "example.com", expected an absolute address such as https://example.com/path"#);
    assert_snapshot!(request(r#"{"uri": "ftp://example.com"}"#), @r#"✗ action.request.uri: given "ftp://example.com", expected a scheme of http or https"#);
    assert_snapshot!(request(r#"{"uri": "https://"}"#), @r#"✗ action.request.uri: given "https://", expected an absolute address such as https://example.com/path"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com:99999/"}"#), @r#"✗ action.request.uri: given "https://example.com:99999/", expected an absolute address such as https://example.com/path"#);
    assert_snapshot!(request(r#"{"uri": "https://exam ple.com/?key=secret"}"#), @r#"✗ action.request.uri: given "https://exam ple.com/?...", expected no blanks and no control characters; write a blank as %20"#);
    assert_snapshot!(request(r#"{"uri": "https://user:secret@exam ple.com/@x?key=secret"}"#), @r#"✗ action.request.uri: given "https://...@exam ple.com/@x?...", expected no blanks and no control characters; write a blank as %20"#);
    assert_snapshot!(request(&filled(r#"{"uri": "https://example.com/~"}"#, 2100)), @r#"✗ action.request.uri: given "https://example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…, expected at most 2048 characters"#);
}

#[test]
fn methods_that_are_wrong() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "method": ""}"#), @r#"✗ action.request.method: given "", expected a method such as GET, POST, PUT, PATCH or DELETE"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "method": "GET /"}"#), @r#"✗ action.request.method: given "GET /", expected a method such as GET, POST, PUT, PATCH or DELETE"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "method": "connect"}"#), @r#"✗ action.request.method: given "connect", expected a method other than CONNECT, which asks for a tunnel"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "method": ["GET"]}"#), @"✗ action.request.method: given a list of 1, expected a method such as GET, POST, PUT, PATCH or DELETE, as a text in quotes");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "method": "GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG"}"#), @r#"✗ action.request.method: given "GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG", expected a method such as GET, POST, PUT, PATCH or DELETE"#);
}

#[test]
fn headers_that_are_wrong() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "headers": ["a"]}"#), @"✗ action.request.headers: given a list of 1, expected an object in braces");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "headers": {"X-Key": 5}}"#), @"✗ action.request.headers.X-Key: given no text, expected a text in quotes");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "headers": {"X Key": "secret"}}"#), @r#"✗ action.request.headers["X Key"]: this must be a header name of letters, digits and !#$%&'*+-.^_`|~"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "headers": {"X-Key": "secret\r\nHost: x"}}"#), @"✗ action.request.headers.X-Key: this must be a header value without line breaks and control characters");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "headers": {"Host": "x", "Proxy-Authorization": "secret", "traceparent": "x", "Content-Length": "1"}}"#), @"
    ✗ action.request.headers.Host: this must be a header of the request; those of the connection are set by the sender
    ✗ action.request.headers.Proxy-Authorization: this must be a header of the request; those of the connection are set by the sender
    ✗ action.request.headers.traceparent: this must be a header that Punctual does not set itself
    ✗ action.request.headers.Content-Length: this must be a header of the request; those of the connection are set by the sender
    ");
    assert_snapshot!(request(&filled(r#"{"uri": "https://example.com", "headers": {"X-Long": "~"}}"#, 4100)), @"✗ action.request.headers: given 4106 characters, expected at most 4096 in names and values together");
    assert_snapshot!(request(&with_members(r#"{"uri": "https://example.com", "headers": {~}}"#, 51)), @"✗ action.request.headers: given 51 headers, expected at most 50");
}

#[test]
fn bodies_that_are_wrong() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "body": {"a": 1}}"#), @"✗ action.request.body: given an object, expected a text in quotes; JSON goes into it with its own quotes escaped");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "body": 5}"#), @"✗ action.request.body: given 5, expected a text in quotes");
    assert_snapshot!(request(&filled(r#"{"uri": "https://example.com", "body": "~"}"#, 65537)), @"✗ action.request.body: given 65537 characters, expected at most 65536 characters");
}
