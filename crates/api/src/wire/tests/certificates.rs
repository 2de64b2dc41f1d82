//! Client certificates in the credentials of a request.

use insta::assert_snapshot;
use punctual_model::time::Timestamp;

use super::super::{Json, merge_job};
use super::{check, pfx, request};

/// A request with these members of the credentials, of which `FILE` stands for a file and `secret` opens it.
fn certificate(members: &str) -> String {
    with_file("aes128", members)
}

fn with_file(name: &str, members: &str) -> String {
    let members = members.replace("FILE", &pfx(name));
    let shown = request(&format!(
        r#"{{"uri": "https://example.com", "authentication": {{"type": "ClientCertificate", {members}}}}}"#
    ));
    shown.replace(r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: "#, "")
}

#[test]
fn a_file_is_opened() {
    assert_snapshot!(certificate(r#""pfx": "FILE", "password": "secret""#), @r#"Some(ClientCertificate { pfx: Some(Secret(…)), password: Some(Secret(…)), thumbprint: Some("1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484"), info: Some(CertificateInfo { valid_from: 2026-11-15T11:50:51Z, expires: 2126-10-22T11:50:51Z, subject: "CN=P-256.example" }) }) })"#);
    assert_snapshot!(with_file("empty_password", r#""pfx": "FILE""#), @r#"Some(ClientCertificate { pfx: Some(Secret(…)), password: None, thumbprint: Some("1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484"), info: Some(CertificateInfo { valid_from: 2026-11-15T11:50:51Z, expires: 2126-10-22T11:50:51Z, subject: "CN=P-256.example" }) }) })"#);
    assert_snapshot!(with_file("empty_password", r#""pfx": "FILE", "password": """#), @r#"Some(ClientCertificate { pfx: Some(Secret(…)), password: Some(Secret(…)), thumbprint: Some("1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484"), info: Some(CertificateInfo { valid_from: 2026-11-15T11:50:51Z, expires: 2126-10-22T11:50:51Z, subject: "CN=P-256.example" }) }) })"#);
    assert_snapshot!(with_file("chain", r#""pfx": " FILE\r\n", "password": "secret""#), @r#"Some(ClientCertificate { pfx: Some(Secret(…)), password: Some(Secret(…)), thumbprint: Some("B1E7F158D681287E682B23D5BCF2A215640DF83B"), info: Some(CertificateInfo { valid_from: 2026-11-15T11:50:51Z, expires: 2125-06-09T11:50:51Z, subject: "CN=\\ Straße\\, Tür 5\\ ,O=Bäcker+OU=\\#1 \\\"Süd\\\"\\; \\<Nord\\>,C=DE,DC=com,DC=example" }) }) })"#);
}

#[test]
fn what_does_not_open_is_refused() {
    assert_snapshot!(certificate(r#""pfx": "FILE", "password": "hunter2""#), @"✗ action.request.authentication.password: given a password that does not open the PFX file, expected the one it was exported with; if it is, the file is damaged");
    assert_snapshot!(certificate(r#""pfx": "FILE""#), @"✗ action.request.authentication.password: given nothing, expected the password of the PFX file");
    assert_snapshot!(certificate(r#""pfx": "FILE", "password": 5"#), @"✗ action.request.authentication.password: given no text, expected a text in quotes");
    assert_snapshot!(with_file("rc4", r#""pfx": "FILE", "password": "secret""#), @"✗ action.request.authentication.pfx: given a PFX file protected with RC4, expected one exported with AES or 3DES, and a password");
    assert_snapshot!(with_file("slow", r#""pfx": "FILE", "password": "secret""#), @"✗ action.request.authentication.pfx: given a PFX file that takes more than 2000000 rounds to open, expected one exported with fewer iterations, such as 10000");
    assert_snapshot!(with_file("no_key", r#""pfx": "FILE", "password": "secret""#), @"✗ action.request.authentication.pfx: given a PFX file without a private key, expected one exported with the private key");
    assert_snapshot!(with_file("no_certificate", r#""pfx": "FILE", "password": "secret""#), @"✗ action.request.authentication.pfx: given a PFX file without the certificate of its private key, expected one exported with the certificate");
    assert_snapshot!(with_file("small_rsa", r#""pfx": "FILE", "password": "secret""#), @"✗ action.request.authentication.pfx: given a PFX file with a private key of another kind, expected RSA of 2048 to 8192 bits, ECDSA on P-256, P-384 or P-521, or Ed25519");
    assert_snapshot!(certificate(r#""pfx": "TWFu", "password": "secret""#), @"✗ action.request.authentication.pfx: given something that is not a PFX file, or a damaged one, expected a PFX (PKCS #12) file; PEM files are made into one by `openssl pkcs12 -export`");
    assert_snapshot!(certificate(r#""pfx": "TWF=", "password": "secret""#), @"✗ action.request.authentication.pfx: given a text that is not base64, expected the bytes of a PFX file in base64");
    assert_snapshot!(certificate(r#""pfx": "-----BEGIN CERTIFICATE-----", "password": "secret""#), @"✗ action.request.authentication.pfx: given 27 characters, expected a PFX file in base64 of at most 65536 characters");
    assert_snapshot!(certificate(r#""pfx": """#), @"✗ action.request.authentication.pfx: given 0 characters, expected a PFX file in base64 of at most 65536 characters");
}

#[test]
fn without_a_file_the_stored_one_is_named() {
    assert_snapshot!(certificate(r#""certificateThumbprint": "6e ab", "certificateExpiration": "2030-01-01T00:00:00Z", "certificateExpirationDate": 1, "certificateSubjectName": "CN=a""#), @r#"Some(ClientCertificate { pfx: None, password: None, thumbprint: Some("6EAB"), info: None }) })"#);
    assert_snapshot!(certificate(r#""password": null, "pfx": null"#), @"Some(ClientCertificate { pfx: None, password: None, thumbprint: None, info: None }) })");
    assert_snapshot!(certificate(r#""password": "secret""#), @"
    Some(ClientCertificate { pfx: None, password: Some(Secret(…)), thumbprint: None, info: None }) })
    ! action.request.authentication.password: ignored: it belongs to a pfx, and none was sent
    ");
}

#[test]
fn what_is_said_beside_a_file_is_compared_with_it() {
    let identity = punctual_pfx::read(&pfx("aes128"), "secret").unwrap();
    let expiration = Timestamp::from_seconds(identity.expires_unix_seconds).unwrap().to_string();
    let same = r#""pfx": "FILE", "password": "secret", "certificateThumbprint": "THUMBPRINT", "certificateSubjectName":
        "CN=P-256.example", "certificateExpiration": "EXPIRATION", "certificateExpirationDate": "EXPIRATION""#;
    let same = same.replace("THUMBPRINT", &identity.thumbprint.to_lowercase()).replace("EXPIRATION", &expiration);
    assert_snapshot!(certificate(&same), @r#"Some(ClientCertificate { pfx: Some(Secret(…)), password: Some(Secret(…)), thumbprint: Some("1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484"), info: Some(CertificateInfo { valid_from: 2026-11-15T11:50:51Z, expires: 2126-10-22T11:50:51Z, subject: "CN=P-256.example" }) }) })"#);
    let other = r#""pfx": "FILE", "password": "secret", "certificateThumbprint": "AB", "certificateExpiration": "soon",
        "certificateExpirationDate": 1, "certificateSubjectName": "CN=b""#;
    assert_snapshot!(certificate(other), @r#"
    Some(ClientCertificate { pfx: Some(Secret(…)), password: Some(Secret(…)), thumbprint: Some("1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484"), info: Some(CertificateInfo { valid_from: 2026-11-15T11:50:51Z, expires: 2126-10-22T11:50:51Z, subject: "CN=P-256.example" }) }) })
    ! action.request.authentication.certificateThumbprint: ignored: the certificate in the pfx has another one
    ! action.request.authentication.certificateSubjectName: ignored: the certificate in the pfx has another one
    ! action.request.authentication.certificateExpiration: ignored: the certificate in the pfx has another one
    ! action.request.authentication.certificateExpirationDate: ignored: the certificate in the pfx has another one
    "#);
}

#[test]
fn one_for_an_address_without_tls_is_refused() {
    let file = pfx("aes128");
    let authentication = format!(r#"{{"type": "ClientCertificate", "pfx": "{file}", "password": "secret"}}"#);
    assert_snapshot!(request(&format!(r#"{{"uri": "http://example.com", "authentication": {authentication}}}"#)), @"✗ action.request.uri: given an http address, expected an https one: a client certificate is shown while TLS is agreed upon");
}

/// What describes the old certificate is not held against the new one.
#[test]
fn a_patch_with_another_file() {
    let stored = r#"{"properties": {"action": {"request": {"uri": "https://example.com", "authentication": {"pfx": "AAAA", "password": "secret",
        "certificateThumbprint": "AB", "certificateExpiration": "2030-01-01T00:00:00Z", "certificateSubjectName": "CN=old", "type": "ClientCertificate"}}}}}"#;
    let patch =
        r#"{"properties": {"action": {"request": {"authentication": {"type": "ClientCertificate", "pfx": "FILE"}}}}}"#;
    let patch = patch.replace("FILE", &pfx("aes128"));
    let merged = merge_job(Json::parse(stored).unwrap(), Json::parse(&patch).unwrap());
    assert_snapshot!(check(&serde_json::to_string(&merged).unwrap()), @r#"does Http(HttpAction { kind: Https, uri: "https://example.com", method: "GET", headers: [], body: None, authentication: Some(ClientCertificate { pfx: Some(Secret(…)), password: Some(Secret(…)), thumbprint: Some("1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484"), info: Some(CertificateInfo { valid_from: 2026-11-15T11:50:51Z, expires: 2126-10-22T11:50:51Z, subject: "CN=P-256.example" }) }) })"#);
}
