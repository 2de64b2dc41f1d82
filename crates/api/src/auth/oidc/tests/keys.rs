//! Which of an issuer's keys are used for what.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::issuer::FakeIssuer;
use super::signer::Signer;
use super::{changed, claims, now, told, verifier};

/// What becomes of a token when the issuer has these keys.
async fn with_keys(keys: &[Value], token: &str) -> String {
    let issuer = FakeIssuer::with(&[]);
    issuer.publish_keys(keys);
    told(&verifier(&issuer).verify(token, now()).await)
}

fn without(key: &Value, member: &str) -> Value {
    changed(key.clone(), &json!({ member: null }))
}

fn and(key: &Value, changes: &Value) -> Value {
    changed(key.clone(), changes)
}

#[tokio::test]
async fn two_keys_of_one_name_are_both_tried() {
    let (one, two) = (Signer::es256("k"), Signer::es256("k"));
    for signer in [&one, &two] {
        let token = signer.token(&claims());
        assert_eq!(with_keys(&[one.jwk.clone(), two.jwk.clone()], &token).await, "taken: ada");
        assert_eq!(with_keys(&[signer.jwk.clone(), signer.jwk.clone()], &token).await, "taken: ada");
    }
    let third = Signer::es256("k").token(&claims());
    assert_snapshot!(with_keys(&[one.jwk, two.jwk], &third).await, @"
    the signature is not that of https://issuer.example/tenant
      told: the signature of the token is wrong
    ");
}

#[tokio::test]
async fn a_token_that_names_no_key_is_taken_if_there_is_only_one() {
    let (one, two, rsa) = (Signer::es256("1"), Signer::es256("2"), Signer::rs256("3"));
    let unnamed = one.token_with(&json!({ "kid": null }), &claims());
    assert_eq!(with_keys(&[one.jwk.clone(), rsa.jwk.clone()], &unnamed).await, "taken: ada");
    assert_eq!(with_keys(&[without(&one.jwk, "kid")], &unnamed).await, "taken: ada");
    assert_snapshot!(with_keys(&[one.jwk.clone(), two.jwk], &unnamed).await, @"
    the token does not name its key; https://issuer.example/tenant has 2 for ES256
      told: the token does not say which key it is signed with
    ");
    assert_snapshot!(with_keys(&[rsa.jwk], &unnamed).await, @"
    the token does not name its key; https://issuer.example/tenant has 0 for ES256
      told: the token does not say which key it is signed with
    ");
    // A name that no key has is not the name of a key without one.
    assert_snapshot!(with_keys(&[without(&one.jwk, "kid")], &one.token(&claims())).await, @r#"
    the token is signed with the key "1"; https://issuer.example/tenant has none of that name for ES256
      told: the token is signed with an unknown key
    "#);
}

#[tokio::test]
async fn a_key_is_used_for_what_it_is_meant_for() {
    let signer = Signer::rs256("k");
    let token = signer.token(&claims());
    let key = without(&signer.jwk, "use");
    for right in [json!({}), json!({ "alg": "RS256" }), json!({ "key_ops": ["verify"] }), json!({ "use": "sig" })] {
        assert_eq!(with_keys(&[and(&key, &right)], &token).await, "taken: ada", "{right}");
    }
    for wrong in [
        json!({ "use": "enc" }),
        json!({ "use": "other" }),
        json!({ "key_ops": ["encrypt"] }),
        json!({ "key_ops": [] }),
        json!({ "alg": "PS256" }),
        json!({ "alg": "HS256" }),
        json!({ "alg": "other" }),
        json!({ "kty": "EC" }),
        json!({ "kty": null }),
        json!({ "n": null }),
        json!({ "n": "*" }),
        json!({ "kid": 7 }),
        json!({ "kid": "K" }),
    ] {
        let said = with_keys(&[and(&key, &wrong)], &token).await;
        assert!(said.contains("has none of that name for RS256"), "{wrong}: {said}");
    }
}

#[tokio::test]
async fn the_kind_of_the_key_must_fit_the_algorithm() {
    let (rsa, p256, p384, ed) = (Signer::rs256("k"), Signer::es256("k"), Signer::es384("k"), Signer::ed25519("k"));
    for (signer, others) in [(&rsa, [&p256, &p384, &ed]), (&p256, [&rsa, &p384, &ed]), (&ed, [&rsa, &p256, &p384])] {
        let keys = others.map(|other| other.jwk.clone());
        let said = with_keys(&keys, &signer.token(&claims())).await;
        assert!(said.contains("has none of that name for"), "{said}");
    }
    // The key says it is on another curve than it is.
    let key = and(&p384.jwk, &json!({ "crv": "P-256" }));
    let said = with_keys(&[key], &p256.token(&claims())).await;
    assert!(said.starts_with("the signature is not that of"), "{said}");
}

#[tokio::test]
async fn keys_that_cannot_be_used_do_not_hide_those_that_can() {
    let signer = Signer::es256("k");
    let keys = [
        json!(null),
        json!("garbage"),
        json!({}),
        json!({ "kty": "AKP", "kid": "k", "alg": "ML-DSA-44", "pub": "AA" }),
        json!({ "kty": "EC", "crv": "secp256k1", "kid": "k", "x": "AA", "y": "AA" }),
        json!({ "kty": "EC", "crv": "P-256", "kid": "k", "x": "AA", "y": "AA" }),
        signer.jwk.clone(),
    ];
    assert_eq!(with_keys(&keys, &signer.token(&claims())).await, "taken: ada");
}
