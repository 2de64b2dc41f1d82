//! When an issuer is asked for its keys, and what becomes of its answers.

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::json;

use super::issuer::{FakeIssuer, KEYS_URL, about_url};
use super::signer::Signer;
use super::{Denied, ISSUER, NOW_SECONDS, after_seconds, changed, claims, now, told, verifier};
use crate::limits;

/// Lets every other task go as far as it can.
async fn let_others_run() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

fn long_claims() -> serde_json::Value {
    changed(claims(), &json!({ "exp": NOW_SECONDS + 86_400 }))
}

#[tokio::test]
async fn a_new_key_is_found_once_it_is_used() {
    let (old, new) = (Signer::es256("old"), Signer::es256("new"));
    let issuer = FakeIssuer::with(&[&old]);
    let verifier = verifier(&issuer);
    assert!(verifier.verify(&old.token(&claims()), now()).await.is_ok());
    issuer.publish(&[&old, &new]);
    let token = new.token(&claims());
    // Within 30 seconds of the last time the issuer is not asked again.
    assert!(matches!(verifier.verify(&token, after_seconds(29)).await, Err(Denied::UnknownKey { .. })));
    assert_eq!(issuer.fetches(), 2);
    assert!(verifier.verify(&token, after_seconds(30)).await.is_ok());
    assert!(verifier.verify(&old.token(&claims()), after_seconds(31)).await.is_ok());
    assert_eq!(issuer.fetches(), 4);
}

#[tokio::test]
async fn a_withdrawn_key_is_not_taken_for_longer_than_an_hour() {
    let (old, new) = (Signer::es256("old"), Signer::es256("new"));
    let issuer = FakeIssuer::with(&[&old]);
    let verifier = verifier(&issuer);
    let token = old.token(&long_claims());
    assert!(verifier.verify(&token, now()).await.is_ok());
    issuer.publish(&[&new]);
    assert!(verifier.verify(&token, after_seconds(3599)).await.is_ok());
    assert_eq!(issuer.fetches(), 2);
    assert!(matches!(verifier.verify(&token, after_seconds(3600)).await, Err(Denied::UnknownKey { .. })));
    assert_eq!(issuer.fetches(), 4);
}

#[tokio::test]
async fn a_hundred_requests_at_once_ask_once() {
    let (known, unknown) = (Signer::es256("known"), Signer::es256("unknown"));
    let issuer = FakeIssuer::with(&[&known]);
    let verifier = Arc::new(verifier(&issuer));
    assert!(verifier.verify(&known.token(&claims()), now()).await.is_ok());
    assert_eq!(issuer.fetches(), 2);

    let closed = issuer.gate.acquire().await.unwrap();
    let token: Arc<str> = unknown.token(&claims()).into();
    let requests: Vec<_> = (0..100)
        .map(|at| {
            let (verifier, token) = (Arc::clone(&verifier), Arc::clone(&token));
            // They read the clock in another order than they come in.
            let moment = after_seconds(40).saturating_add((at * 37 + 50) % 100);
            tokio::spawn(async move { verifier.verify(&token, moment).await })
        })
        .collect();
    let_others_run().await;
    assert_eq!(issuer.fetches(), 3, "one of them has asked, and has no answer yet");
    assert!(requests.iter().all(|request| !request.is_finished()));
    // Whoever has a known key does not notice.
    assert!(verifier.verify(&known.token(&claims()), after_seconds(41)).await.is_ok());

    issuer.publish(&[&known, &unknown]);
    drop(closed);
    for request in requests {
        assert!(request.await.unwrap().is_ok());
    }
    assert_eq!(issuer.fetches(), 4);
}

#[tokio::test]
async fn an_answer_comes_even_if_nobody_waits_for_it() {
    let signer = Signer::es256("k");
    let issuer = FakeIssuer::with(&[&signer]);
    let verifier = Arc::new(verifier(&issuer));
    let closed = issuer.gate.acquire().await.unwrap();
    let token = signer.token(&claims());
    let impatient = tokio::spawn({
        let (verifier, token) = (Arc::clone(&verifier), token.clone());
        async move { verifier.verify(&token, now()).await }
    });
    let_others_run().await;
    impatient.abort();
    assert!(impatient.await.unwrap_err().is_cancelled());
    drop(closed);
    assert!(verifier.verify(&token, after_seconds(1)).await.is_ok());
    assert_eq!(issuer.fetches(), 2);
}

#[tokio::test]
async fn a_failing_issuer_is_left_alone_and_its_old_keys_are_kept() {
    let signer = Signer::es256("k");
    let issuer = FakeIssuer::with(&[&signer]);
    let verifier = verifier(&issuer);
    let token = signer.token(&long_claims());
    assert!(verifier.verify(&token, now()).await.is_ok());
    issuer.answer(&about_url(), Err("connection refused".to_owned()));
    for (seconds, fetches) in [(3600, 3), (3601, 3), (3629, 3), (3630, 4), (3659, 4)] {
        assert!(verifier.verify(&token, after_seconds(seconds)).await.is_ok(), "{seconds}");
        assert_eq!(issuer.fetches(), fetches, "{seconds}");
    }
    issuer.answer_json(&about_url(), &json!({ "issuer": ISSUER, "jwks_uri": KEYS_URL }));
    assert!(verifier.verify(&token, after_seconds(3660)).await.is_ok());
    assert_eq!(issuer.fetches(), 6);
}

#[tokio::test]
async fn an_issuer_that_never_answered_is_asked_again_after_a_while() {
    let signer = Signer::es256("k");
    let issuer = FakeIssuer::with(&[&signer]);
    issuer.answer(KEYS_URL, Err("503 Service Unavailable".to_owned()));
    let verifier = verifier(&issuer);
    let token = signer.token(&claims());
    let first = told(&verifier.verify(&token, now()).await);
    assert_eq!(told(&verifier.verify(&token, after_seconds(29)).await), first);
    assert_eq!(issuer.fetches(), 2);
    assert_snapshot!(first, @r#"
    the keys of https://issuer.example/tenant are not known: "https://keys.example/jwks": 503 Service Unavailable
      told: the keys of the issuer cannot be fetched at the moment
    "#);
    issuer.publish(&[&signer]);
    assert!(verifier.verify(&token, after_seconds(30)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_issuer_that_hangs_is_given_up() {
    let signer = Signer::es256("k");
    let issuer = FakeIssuer::with(&[&signer]);
    let verifier = verifier(&issuer);
    let _closed = issuer.gate.acquire().await.unwrap();
    assert_snapshot!(told(&verifier.verify(&signer.token(&claims()), now()).await), @"
    the keys of https://issuer.example/tenant are not known: no answer within 10s
      told: the keys of the issuer cannot be fetched at the moment
    ");
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_keep_keys_for_ever() {
    let (old, new) = (Signer::es256("old"), Signer::es256("new"));
    let issuer = FakeIssuer::with(&[&old]);
    let verifier = verifier(&issuer);
    let for_ever = changed(claims(), &json!({ "exp": 9_999_999_999_i64 }));
    assert!(verifier.verify(&old.token(&for_ever), after_seconds(86_400 * 365)).await.is_ok());
    issuer.publish(&[&new]);
    assert!(verifier.verify(&old.token(&for_ever), now()).await.is_err());
}

#[tokio::test]
async fn a_document_that_is_wrong_is_not_believed() {
    let signer = Signer::es256("k");
    let (about, keys) = (about_url(), KEYS_URL.to_owned());
    let many = json!({ "keys": vec![signer.jwk.clone(); limits::OIDC_KEYS_MAX + 1] });
    let with_keys_at = |url: &str| json!({ "issuer": ISSUER, "jwks_uri": url }).to_string().into_bytes();
    let documents = [
        (&about, b"<html>".to_vec()),
        (&about, b"[]".to_vec()),
        (&about, json!({ "issuer": "https://other.example", "jwks_uri": KEYS_URL }).to_string().into_bytes()),
        (&about, json!({ "issuer": ISSUER }).to_string().into_bytes()),
        (&about, with_keys_at("http://keys.example/jwks")),
        (&about, with_keys_at("http://localhost/jwks")),
        (&about, with_keys_at("file:///etc/passwd")),
        (&about, with_keys_at("https://nowhere.example/jwks")),
        (&about, vec![b' '; limits::OIDC_DOCUMENT_BYTES_MAX + 1]),
        (&keys, vec![b' '; limits::OIDC_DOCUMENT_BYTES_MAX + 1]),
        (&keys, many.to_string().into_bytes()),
        (&keys, b"{}".to_vec()),
        (&keys, b"{\"keys\":{}}".to_vec()),
        (&keys, b"\xff".to_vec()),
        (&keys, "[".repeat(100_000).into_bytes()),
    ];
    let mut lines = Vec::new();
    for (url, document) in documents {
        let issuer = FakeIssuer::with(&[&signer]);
        issuer.answer(url, Ok(document));
        let denied = verifier(&issuer).verify(&signer.token(&claims()), now()).await.unwrap_err();
        lines.push(denied.to_string());
    }
    assert_snapshot!(lines.join("\n"), @r#"
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": not JSON: expected value at line 1 column 1
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": it is about the issuer ""
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": it is about the issuer "https://other.example"
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": its jwks_uri is "", not https
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": its jwks_uri is "http://keys.example/jwks", not https
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": its jwks_uri is "http://localhost/jwks", not https
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": its jwks_uri is "file:///etc/passwd", not https
    the keys of https://issuer.example/tenant are not known: "https://nowhere.example/jwks": 404 Not Found
    the keys of https://issuer.example/tenant are not known: "https://issuer.example/tenant/.well-known/openid-configuration": more than 524288 bytes
    the keys of https://issuer.example/tenant are not known: "https://keys.example/jwks": more than 524288 bytes
    the keys of https://issuer.example/tenant are not known: "https://keys.example/jwks": the document has 65 keys, more than 64
    the keys of https://issuer.example/tenant are not known: "https://keys.example/jwks": the document has no list «keys»
    the keys of https://issuer.example/tenant are not known: "https://keys.example/jwks": the document has no list «keys»
    the keys of https://issuer.example/tenant are not known: "https://keys.example/jwks": not JSON: expected value at line 1 column 1
    the keys of https://issuer.example/tenant are not known: "https://keys.example/jwks": not JSON: recursion limit exceeded at line 1 column 128
    "#);
}

#[tokio::test]
async fn as_many_keys_as_are_allowed_are_taken() {
    let signer = Signer::es256("k");
    let issuer = FakeIssuer::with(&[]);
    let other = changed(signer.jwk.clone(), &json!({ "kid": "other" }));
    let mut keys = vec![other; limits::OIDC_KEYS_MAX - 1];
    keys.push(signer.jwk.clone());
    issuer.publish_keys(&keys);
    assert!(verifier(&issuer).verify(&signer.token(&claims()), now()).await.is_ok());
}
