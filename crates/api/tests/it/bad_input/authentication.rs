use insta::assert_snapshot;
use serde_json::json;

use super::Table;

#[tokio::test]
async fn authentication() {
    let mut table = Table::new().await;
    for (sent, field) in [
        (r#""Basic""#, "authentication"),
        ("[]", "authentication"),
        ("{}", "authentication.type"),
        (r#"{"type": "Digest"}"#, "authentication.type"),
        (r#"{"type": 1}"#, "authentication.type"),
        (r#"{"type": "Basic"}"#, "authentication.username"),
        (r#"{"type": "Basic", "username": "bob"}"#, "authentication.password"),
        (r#"{"type": "Basic", "username": "a:b", "password": "x"}"#, "authentication.username"),
        (r#"{"type": "Basic", "username": "", "password": "x"}"#, "authentication.username"),
        (r#"{"type": "Basic", "username": 1, "password": "x"}"#, "authentication.username"),
        (r#"{"type": "Basic", "username": "ada", "password": 1}"#, "authentication.password"),
        (r#"{"type": "ClientCertificate"}"#, "authentication.pfx"),
        (r#"{"type": "ClientCertificate", "pfx": "no base64!", "password": "x"}"#, "authentication.pfx"),
        (r#"{"type": "ClientCertificate", "pfx": "", "password": "x"}"#, "authentication.pfx"),
        (r#"{"type": "ClientCertificate", "password": "x"}"#, "authentication.pfx"),
        (r#"{"type": "ClientCertificate", "certificateThumbprint": "AB", "password": "x"}"#, "authentication.pfx"),
        (r#"{"type": "ActiveDirectoryOAuth"}"#, "authentication.tenant"),
        (
            r#"{"type": "ActiveDirectoryOAuth", "tenant": "a/b", "audience": "x", "clientId": "y", "secret": "z"}"#,
            "authentication.tenant",
        ),
        (
            r#"{"type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "", "clientId": " ", "secret": "z"}"#,
            "authentication.clientId",
        ),
        (
            r#"{"type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "x", "clientId": "y"}"#,
            "authentication.secret",
        ),
        (
            r#"{"type": "ActiveDirectoryOAuth", "tenant": "contoso.com", "audience": "x", "clientId": "y", "secret": ""}"#,
            "authentication.secret",
        ),
    ] {
        table.request(&format!(r#"{{"uri": "https://example.com", "authentication": {sent}}}"#), field).await;
    }
    let long = json!({ "type": "Basic", "username": "ada", "password": "x".repeat(4097) });
    let body = json!({ "action": { "request": { "uri": "https://example.com", "authentication": long } } });
    table.put("/v1/jobs/j", &body, "authentication.password", "a password of 4097 characters").await;
    let rows = table.finish().await;
    assert_snapshot!(rows.replace(r#""uri": "https://example.com", "#, ""), @r#"
    {"authentication": "Basic"}
      -> properties.action.request.authentication: Given a text, expected an object in braces.
    {"authentication": []}
      -> properties.action.request.authentication: Given a list of 0, expected an object in braces.
    {"authentication": {}}
      -> properties.action.request.authentication.type: Given nothing, expected one of ClientCertificate, ActiveDirectoryOAuth, Basic.
    {"authentication": {"type": "Digest"}}
      -> properties.action.request.authentication.type: Given "Digest", expected one of NotSpecified, ClientCertificate, ActiveDirectoryOAuth, Basic.
    {"authentication": {"type": 1}}
      -> properties.action.request.authentication.type: Given 1, expected one of NotSpecified, ClientCertificate, ActiveDirectoryOAuth, Basic.
    {"authentication": {"type": "Basic"}}
      -> properties.action.request.authentication.username: Given nothing, expected the name of the user.
    {"authentication": {"type": "Basic", "username": "bob"}}
      -> properties.action.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.
    {"authentication": {"type": "Basic", "username": "a:b", "password": "x"}}
      -> properties.action.request.authentication.username: Given "a:b", expected a user name: 1 to 4096 characters, no colon and no control characters.
    {"authentication": {"type": "Basic", "username": "", "password": "x"}}
      -> properties.action.request.authentication.username: Given "", expected a user name: 1 to 4096 characters, no colon and no control characters.
    {"authentication": {"type": "Basic", "username": 1, "password": "x"}}
      -> properties.action.request.authentication.username: Given 1, expected a user name: 1 to 4096 characters, no colon and no control characters, as a text in quotes.
    {"authentication": {"type": "Basic", "username": "ada", "password": 1}}
      -> properties.action.request.authentication.password: Given no text, expected a text in quotes.
    {"authentication": {"type": "ClientCertificate"}}
      -> properties.action.request.authentication.pfx: Missing, and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx.
    {"authentication": {"type": "ClientCertificate", "pfx": "no base64!", …
      -> properties.action.request.authentication.pfx: Given 10 characters, expected a PFX file in base64 of at most 65536 characters.
    {"authentication": {"type": "ClientCertificate", "pfx": "", "password": "x"}}
      -> properties.action.request.authentication.pfx: Given 0 characters, expected a PFX file in base64 of at most 65536 characters.
    {"authentication": {"type": "ClientCertificate", "password": "x"}}
      -> properties.action.request.authentication.pfx: Missing, and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx.
    {"authentication": {"type": "ClientCertificate", "certificateThumbprin…
      -> properties.action.request.authentication.pfx: Missing, and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx.
    {"authentication": {"type": "ActiveDirectoryOAuth"}}
      -> properties.action.request.authentication.tenant: Given nothing, expected the directory that issues the token, such as contoso.onmicrosoft.com.
      -> properties.action.request.authentication.audience: Given nothing, expected whom the token is for, such as https://management.core.windows.net/.
      -> properties.action.request.authentication.clientId: Given nothing, expected who asks for the token.
    {"authentication": {"type": "ActiveDirectoryOAuth", "tenant": "a/b", "…
      -> properties.action.request.authentication.tenant: Given "a/b", expected a directory: its id, or a domain such as contoso.onmicrosoft.com.
    {"authentication": {"type": "ActiveDirectoryOAuth", "tenant": "contoso…
      -> properties.action.request.authentication.audience: Given "", expected a text that is not empty.
      -> properties.action.request.authentication.clientId: Given " ", expected a text that is not empty.
    {"authentication": {"type": "ActiveDirectoryOAuth", "tenant": "contoso…
      -> properties.action.request.authentication.secret: Missing, and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret.
    {"authentication": {"type": "ActiveDirectoryOAuth", "tenant": "contoso…
      -> properties.action.request.authentication.secret: Given 0 characters, expected a text that is not empty.
    a password of 4097 characters
      -> action.request.authentication.password: Given 4097 characters, expected at most 4096 characters.
    "#);
}
