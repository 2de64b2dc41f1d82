//! Which tokens are taken, and what is said about the others.

use insta::assert_snapshot;
use proptest::prelude::*;
use punctual_model::access::Claimants;
use serde_json::json;

use super::issuer::FakeIssuer;
use super::signer::{Signer, base64url};
use super::{Denied, ISSUER, NOW_SECONDS, after_seconds, changed, claims, now, told, verifier};
use crate::limits;

#[tokio::test]
async fn a_right_token_is_taken_whatever_its_key_is() {
    let signers = [Signer::es256("e"), Signer::rs256("r"), Signer::ed25519("d")];
    let issuer = FakeIssuer::with(&signers.each_ref());
    let verifier = verifier(&issuer);
    for signer in &signers {
        let taken = verifier.verify(&signer.token(&claims()), now()).await.unwrap();
        assert_eq!(taken.issuer(), ISSUER);
        let claimants =
            |value: &str| Claimants { issuer: ISSUER.to_owned(), claim: "sub".to_owned(), value: value.to_owned() };
        assert!(taken.is(&claimants("ada")) && !taken.is(&claimants("bob")));
    }
    assert_eq!(issuer.fetches(), 2);
}

#[tokio::test]
async fn the_other_algorithms_work_where_they_are_configured() {
    let signers = [Signer::es384("e"), Signer::ps256("p")];
    let issuer = FakeIssuer::with(&signers.each_ref());
    let mut configured = super::configured();
    configured.algorithms = super::Algorithm::ALL.to_vec();
    let fetch: std::sync::Arc<dyn super::Fetch> = issuer;
    let verifier = super::Verifier::new(&super::Issuers::new(vec![configured]).unwrap(), &fetch);
    for signer in &signers {
        assert!(verifier.verify(&signer.token(&claims()), now()).await.is_ok());
    }
}

#[tokio::test]
async fn times_count_within_the_skew() {
    let signer = Signer::es256("k");
    let verifier = verifier(&FakeIssuer::with(&[&signer]));
    let from_100_to_200 = json!({ "nbf": NOW_SECONDS + 100, "exp": NOW_SECONDS + 200 });
    let token = signer.token(&changed(claims(), &from_100_to_200));
    for (seconds, is_taken) in [(39, false), (40, true), (100, true), (199, true), (259, true), (260, false)] {
        let result = verifier.verify(&token, after_seconds(seconds)).await;
        assert_eq!(result.is_ok(), is_taken, "{seconds}: {}", told(&result));
    }
    let fractions = json!({ "nbf": 0.5, "exp": f64::from(i32::try_from(NOW_SECONDS).unwrap()) + 0.5 });
    assert!(verifier.verify(&signer.token(&changed(claims(), &fractions)), now()).await.is_ok());
    let for_ever = json!({ "nbf": null, "exp": 1e300 });
    assert!(verifier.verify(&signer.token(&changed(claims(), &for_ever)), now()).await.is_ok());
}

#[tokio::test]
async fn the_audience_may_be_one_of_several() {
    let signer = Signer::es256("k");
    let verifier = verifier(&FakeIssuer::with(&[&signer]));
    for (audience, is_taken) in [
        (json!(["other", "punctual"]), true),
        (json!(["other"]), false),
        (json!([]), false),
        (json!("Punctual"), false),
        (json!("punctual2"), false),
        (json!({ "punctual": "punctual" }), false),
        (json!([["punctual"]]), false),
        (json!(null), false),
    ] {
        let token = signer.token(&changed(claims(), &json!({ "aud": audience })));
        assert_eq!(verifier.verify(&token, now()).await.is_ok(), is_taken, "{audience}");
    }
}

#[tokio::test]
async fn every_reason_has_its_words() {
    let signer = Signer::es256("k");
    let stranger = Signer::es256("k");
    let verifier = verifier(&FakeIssuer::with(&[&signer]));
    let with = |changes| signer.token(&changed(claims(), &changes));
    let right = signer.token(&claims());
    let (message, signature) = right.rsplit_once('.').unwrap();
    let other_claims = base64url(changed(claims(), &json!({ "sub": "root" })).to_string());
    let header = right.split('.').next().unwrap();
    let tokens = [
        right.clone(),
        with(json!({ "exp": NOW_SECONDS - 60 })),
        with(json!({ "exp": -1e300 })),
        with(json!({ "exp": null })),
        with(json!({ "exp": "tomorrow" })),
        with(json!({ "nbf": NOW_SECONDS + 61 })),
        with(json!({ "aud": ["somebody", "else"] })),
        with(json!({ "aud": "else" })),
        with(json!({ "aud": null })),
        with(json!({ "iss": "https://evil.example\r\nSet-Cookie: x" })),
        with(json!({ "iss": format!("{ISSUER}/") })),
        with(json!({ "iss": [ISSUER] })),
        stranger.token(&claims()),
        signer.token_with(&json!({ "kid": "other" }), &claims()),
        signer.token_with(&json!({ "kid": 7 }), &claims()),
        signer.token_with(&json!({ "alg": null }), &claims()),
        signer.token_with(&json!({ "crit": ["b64"], "b64": false }), &claims()),
        format!("{header}.{other_claims}.{signature}"),
        format!("{message}."),
        message.to_owned(),
        format!("{right}.{signature}"),
        "garbage".to_owned(),
        "..".to_owned(),
        format!("{header}.{}.x", base64url("[]")),
        "x".repeat(limits::BEARER_BYTES_MAX + 1),
    ];
    let mut text = String::new();
    for token in &tokens {
        let result = verifier.verify(token, now()).await;
        text += &told(&result);
        text.push('\n');
        if let Err(denied) = result {
            let is_right = |c: char| matches!(c, ' ' | '!' | '#'..='[' | ']'..='~');
            assert!(denied.description().chars().all(is_right), "{denied:?}");
        }
    }
    assert_snapshot!(text, @r#"
    taken: ada
    the token expired at 2025-12-31T23:59:00Z, and now is 2026-01-01T00:00:00Z
      told: the token has expired
    the token expired at 0001-01-01T00:00:00Z, and now is 2026-01-01T00:00:00Z
      told: the token has expired
    the token cannot be read: it has no time of expiry (exp)
      told: the token cannot be read
    the token cannot be read: its times (exp, nbf) are not numbers
      told: the token cannot be read
    the token is valid from 2026-01-01T00:01:01Z on, and now is 2026-01-01T00:00:00Z
      told: the token is not valid yet
    the token is meant for "[\"somebody\",\"else\"]", not for "punctual"
      told: the token is meant for somebody else
    the token is meant for "else", not for "punctual"
      told: the token is meant for somebody else
    the token is meant for nobody, not for "punctual"
      told: the token is meant for somebody else
    the token is from the issuer "https://evil.example\r\nSet-Cookie: x", which is not configured
      told: the issuer of the token is not trusted here
    the token is from the issuer "https://issuer.example/tenant/", which is not configured
      told: the issuer of the token is not trusted here
    the token cannot be read: it does not say who issued it (iss)
      told: the token cannot be read
    the signature is not that of https://issuer.example/tenant
      told: the signature of the token is wrong
    the token is signed with the key "other"; https://issuer.example/tenant has none of that name for ES256
      told: the token is signed with an unknown key
    the token cannot be read: its header has something other than texts (alg, kid)
      told: the token cannot be read
    the token cannot be read: it does not say how it is signed (alg)
      told: the token cannot be read
    the token cannot be read: it demands extensions (crit)
      told: the token cannot be read
    the signature is not that of https://issuer.example/tenant
      told: the signature of the token is wrong
    the signature is not that of https://issuer.example/tenant
      told: the signature of the token is wrong
    the token cannot be read: it is neither one of ours nor three parts with dots between them
      told: the token cannot be read
    the token cannot be read: its second part is not a JSON object in base64url
      told: the token cannot be read
    the token cannot be read: it is neither one of ours nor three parts with dots between them
      told: the token cannot be read
    the token cannot be read: its first part is not a JSON object in base64url
      told: the token cannot be read
    the token cannot be read: its second part is not a JSON object in base64url
      told: the token cannot be read
    the token has 16385 bytes, more than 16384
      told: the token is too long
    "#);
    let expired = verifier.verify(&with(json!({ "exp": 0 })), now()).await.unwrap_err();
    assert_snapshot!(expired.challenge(), @r#"Bearer error="invalid_token", error_description="the token has expired""#);
    assert_snapshot!(Denied::NotBearer.challenge(), @"Bearer");
}

#[tokio::test]
async fn what_is_not_signed_with_a_private_key_is_not_signed() {
    let rsa = Signer::rs256("r");
    let shared = Signer::hs256("shared", b"a secret that an issuer published by mistake");
    let verifier = verifier(&FakeIssuer::with(&[&rsa, &shared]));
    let public_key = rsa.jwk["n"].as_str().unwrap();
    // The public key in place of a secret, in each form in which it is at hand.
    let forgers = [
        Signer::hs256("r", public_key.as_bytes()),
        Signer::hs256("r", rsa.jwk.to_string().as_bytes()),
        Signer::hs256("r", b""),
        shared,
    ];
    let mut text = String::new();
    for forger in &forgers {
        text += &told(&verifier.verify(&forger.token(&claims()), now()).await);
        text.push('\n');
        let disguised = forger.token_with(&json!({ "alg": "RS256" }), &claims());
        text += &told(&verifier.verify(&disguised, now()).await);
        text.push('\n');
    }
    for none in ["none", "None", "NONE", "nOnE", "", "rs256"] {
        let token = rsa.token_with(&json!({ "alg": none }), &claims());
        let unsigned = token.rsplit_once('.').unwrap().0.to_owned() + ".";
        for token in [token, unsigned] {
            let result = verifier.verify(&token, now()).await;
            assert!(matches!(result, Err(Denied::Algorithm { .. })), "{none}: {}", told(&result));
        }
    }
    assert_snapshot!(text, @r#"
    the token is signed with "HS256"; configured for https://issuer.example/tenant is RS256, ES256, EdDSA
      told: the token is signed with an algorithm that is not taken
    the signature is not that of https://issuer.example/tenant
      told: the signature of the token is wrong
    the token is signed with "HS256"; configured for https://issuer.example/tenant is RS256, ES256, EdDSA
      told: the token is signed with an algorithm that is not taken
    the signature is not that of https://issuer.example/tenant
      told: the signature of the token is wrong
    the token is signed with "HS256"; configured for https://issuer.example/tenant is RS256, ES256, EdDSA
      told: the token is signed with an algorithm that is not taken
    the signature is not that of https://issuer.example/tenant
      told: the signature of the token is wrong
    the token is signed with "HS256"; configured for https://issuer.example/tenant is RS256, ES256, EdDSA
      told: the token is signed with an algorithm that is not taken
    the token is signed with the key "shared"; https://issuer.example/tenant has none of that name for RS256
      told: the token is signed with an unknown key
    "#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_token_with_any_change_is_refused(at in any::<prop::sample::Index>(), replacement in "[-_.A-Za-z0-9é =]") {
        let signer = Signer::es256("k");
        let verifier = verifier(&FakeIssuer::with(&[&signer]));
        let right = signer.token(&claims());
        let at = at.index(right.len());
        let changed = format!("{}{replacement}{}", &right[..at], &right[at + 1..]);
        prop_assume!(changed != right);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        prop_assert!(runtime.block_on(verifier.verify(&changed, now())).is_err());
        prop_assert!(runtime.block_on(verifier.verify(&right[..at], now())).is_err());
    }

    #[test]
    fn any_text_is_refused(text in any::<String>()) {
        let verifier = verifier(&FakeIssuer::with(&[]));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        prop_assert!(runtime.block_on(verifier.verify(&text, now())).is_err());
    }
}
