//! The credentials of a request.

use insta::assert_snapshot;

use super::request;

#[test]
fn by_type() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "basic", "username": "user", "password": "secret"}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(Basic { username: "user", password: Some(Secret(…)) }) })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "Basic", "username": "user"}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(Basic { username: "user", password: None }) })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "ActiveDirectoryOAuth", "tenant": "microsoft.onmicrosoft.com", "audience": "https://management.core.windows.net/", "clientId": "dc23e663-9be6-4a32-8b8a-c46e36f0c137", "secret": "secret"}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(OAuth { tenant: "microsoft.onmicrosoft.com", audience: "https://management.core.windows.net/", client_id: "dc23e663-9be6-4a32-8b8a-c46e36f0c137", secret: Some(Secret(…)) }) })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "NotSpecified"}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": null}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: None })"#);
}

#[test]
fn what_was_read_may_be_written_back() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "ClientCertificate", "certificateThumbprint": "6e ab", "certificateExpiration": "2030-01-01T00:00:00Z", "certificateExpirationDate": 1, "certificateSubjectName": "CN=a"}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(ClientCertificate { pfx: None, password: None, thumbprint: Some("6EAB"), info: None }) })"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "ClientCertificate", "password": null, "pfx": null}}"#), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(ClientCertificate { pfx: None, password: None, thumbprint: None, info: None }) })"#);
}

#[test]
fn a_missing_type_is_inferred() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"username": "user", "password": ""}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(Basic { username: "user", password: Some(Secret(…)) }) })
    ! action.request.authentication.type: missing; taken as Basic
    "#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"certificateThumbprint": "6EAB"}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(ClientCertificate { pfx: None, password: None, thumbprint: Some("6EAB"), info: None }) })
    ! action.request.authentication.type: missing; taken as ClientCertificate
    "#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"secret": "s", "tenant": "t", "audience": "a", "clientId": "c"}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(OAuth { tenant: "t", audience: "a", client_id: "c", secret: Some(Secret(…)) }) })
    ! action.request.authentication.type: missing; taken as ActiveDirectoryOAuth
    "#);
}

#[test]
fn members_of_another_type_are_ignored() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "Basic", "username": "user", "password": "p", "pfx": "TWFu"}}"#), @r#"
    does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(Basic { username: "user", password: Some(Secret(…)) }) })
    ! action.request.authentication.pfx: ignored: it means nothing here
    "#);
}

#[test]
fn credentials_travel_unencrypted_over_http() {
    assert_snapshot!(request(r#"{"uri": "http://example.com", "authentication": {"type": "Basic", "username": "user"}}"#), @r#"
    does Http(HttpAction { kind: Http, uri: "http://example.com", method: "GET", headers: [], body: None, authentication: Some(Basic { username: "user", password: None }) })
    ! action.request.authentication: the uri is not https: the credentials travel unencrypted
    "#);
}

#[test]
fn mistakes_never_repeat_a_secret() {
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {}}"#), @"✗ action.request.authentication.type: given nothing, expected one of ClientCertificate, ActiveDirectoryOAuth, Basic");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"password": "secret"}}"#), @"✗ action.request.authentication.type: given nothing, expected one of ClientCertificate, ActiveDirectoryOAuth, Basic");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "Digest"}}"#), @r#"✗ action.request.authentication.type: given "Digest", expected one of NotSpecified, ClientCertificate, ActiveDirectoryOAuth, Basic"#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "Basic"}}"#), @"✗ action.request.authentication.username: given nothing, expected the name of the user");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "Basic", "username": "a:b", "password": 12345}}"#), @r#"
    ✗ action.request.authentication.username: given "a:b", expected a user name: 1 to 4096 characters, no colon and no control characters
    ✗ action.request.authentication.password: given no text, expected a text in quotes
    "#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "Basic", "username": "a", "password": "secret\n"}}"#), @"✗ action.request.authentication.password: given 7 characters, expected no line breaks and no control characters");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "ActiveDirectoryOAuth"}}"#), @"
    ✗ action.request.authentication.tenant: given nothing, expected the directory that issues the token, such as contoso.onmicrosoft.com
    ✗ action.request.authentication.audience: given nothing, expected whom the token is for, such as https://management.core.windows.net/
    ✗ action.request.authentication.clientId: given nothing, expected who asks for the token
    ");
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": {"type": "ActiveDirectoryOAuth", "tenant": "../x", "audience": " ", "clientId": 5, "secret": {"a": "secret"}}}"#), @r#"
    ✗ action.request.authentication.tenant: given "../x", expected a directory: its id, or a domain such as contoso.onmicrosoft.com
    ✗ action.request.authentication.audience: given " ", expected a text that is not empty
    ✗ action.request.authentication.clientId: given 5, expected a text that is not empty, as a text in quotes
    ✗ action.request.authentication.secret: given no text, expected a text in quotes
    "#);
    assert_snapshot!(request(r#"{"uri": "https://example.com", "authentication": "Basic"}"#), @"✗ action.request.authentication: given a text, expected an object in braces");
}
