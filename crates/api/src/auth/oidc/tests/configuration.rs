//! Which issuers may be configured.

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::json;

use super::issuer::FakeIssuer;
use super::signer::Signer;
use super::{Algorithm, Fetch, Issuer, Issuers, Verifier, changed, claims, configured, now};

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let issuer = |address: &str| Issuer { issuer: address.to_owned(), ..configured() };
    let issuers = vec![
        configured(),
        configured(),
        issuer("http://issuer.example"),
        issuer("https://issuer.example/?tenant=1"),
        issuer("https://issuer.example/#x"),
        issuer(""),
        Issuer {
            audience: String::new(),
            skew_seconds: 301,
            algorithms: Vec::new(),
            ..issuer("http://127.0.0.1:8080/realms/test")
        },
    ];
    let violations = Issuers::new(issuers).unwrap_err();
    let lines: Vec<_> = violations.into_iter().map(|violation| violation.under("issuers").to_string()).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    issuers[1].issuer: given "https://issuer.example/tenant", expected each issuer only once
    issuers[2].issuer: given "http://issuer.example", expected an address with https, or with http on this machine itself
    issuers[3].issuer: given "https://issuer.example/?tenant=1", expected an address without a query and a fragment
    issuers[4].issuer: given "https://issuer.example/#x", expected an address without a query and a fragment
    issuers[5].issuer: given "", expected an address with https, or with http on this machine itself
    issuers[6].audience: given nothing, expected the name by which the issuer knows this server
    issuers[6].skew_seconds: given 301, expected at most 300
    issuers[6].algorithms: given none, expected at least one, usually RS256
    "#);
}

#[test]
fn algorithms_are_known_by_their_names_and_none_needs_a_shared_secret() {
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::parse(algorithm.name()), Ok(algorithm));
    }
    for wrong in ["none", "HS256", "HS384", "HS512", "rs256", "ES512", ""] {
        assert!(Algorithm::parse(wrong).is_err(), "{wrong}");
    }
    assert_snapshot!(Algorithm::parse("HS256").unwrap_err().at("algorithms[0]", "HS256"), @"algorithms[0]: given HS256, expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA");
}

#[tokio::test]
async fn each_issuer_has_its_own_keys_and_audience() {
    let signer = Signer::es256("k");
    let other = "http://localhost:8080/";
    let fake = FakeIssuer::with(&[&signer]);
    // An address with a slash at its end has one before the rest, too, and no two.
    let about = "http://localhost:8080/.well-known/openid-configuration";
    fake.answer_json(about, &json!({ "issuer": other, "jwks_uri": "http://localhost:8080/keys" }));
    let theirs = Signer::es256("k");
    fake.answer_json("http://localhost:8080/keys", &json!({ "keys": [theirs.jwk.clone()] }));
    let fetch: Arc<dyn Fetch> = fake;
    let second = Issuer { issuer: other.to_owned(), audience: "second".to_owned(), ..configured() };
    let verifier = Verifier::new(&Issuers::new(vec![configured(), second]).unwrap(), &fetch);
    let of_second = changed(claims(), &json!({ "iss": other, "aud": "second" }));
    let is_taken = async |token: String| verifier.verify(&token, now()).await.is_ok();
    assert!(is_taken(signer.token(&claims())).await);
    assert!(is_taken(theirs.token(&of_second)).await);
    assert!(!is_taken(signer.token(&of_second)).await);
    assert!(!is_taken(theirs.token(&claims())).await);
    assert!(!is_taken(theirs.token(&changed(claims(), &json!({ "iss": other })))).await);
}
