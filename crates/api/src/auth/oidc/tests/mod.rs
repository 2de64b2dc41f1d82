mod configuration;
mod fetching;
mod issuer;
mod keys;
mod signer;
mod tokens;

use std::sync::Arc;

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};
use serde_json::{Value, json};

use self::issuer::FakeIssuer;
use super::{Algorithm, Claims, Denied, Fetch, Issuer, Issuers, Verifier};

const ISSUER: &str = "https://issuer.example/tenant";
const AUDIENCE: &str = "punctual";
/// 2026-01-01T00:00:00Z.
const NOW_SECONDS: i64 = 1_767_225_600;

fn now() -> Timestamp {
    Timestamp::from_seconds(NOW_SECONDS).unwrap()
}

fn after_seconds(seconds: i64) -> Timestamp {
    now().saturating_add(seconds * TICKS_PER_SECOND)
}

fn configured() -> Issuer {
    Issuer {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        skew_seconds: 60,
        algorithms: vec![Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa],
    }
}

fn verifier(issuer: &Arc<FakeIssuer>) -> Verifier {
    let fetch: Arc<dyn Fetch> = Arc::<FakeIssuer>::clone(issuer);
    Verifier::new(&Issuers::new(vec![configured()]).unwrap(), &fetch)
}

/// Claims that are right for ten minutes.
fn claims() -> Value {
    json!({ "iss": ISSUER, "aud": AUDIENCE, "exp": NOW_SECONDS + 600, "nbf": NOW_SECONDS - 5, "sub": "ada" })
}

/// `claims` with some of its members set, or removed by `null`.
fn changed(claims: Value, changes: &Value) -> Value {
    let Value::Object(mut members) = claims else { panic!("an object") };
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            members.remove(name)
        } else {
            members.insert(name.clone(), value.clone())
        };
    }
    Value::Object(members)
}

/// What the log and the caller are told; for a token that is taken, whom it is about.
fn told(result: &Result<Claims, Denied>) -> String {
    match result {
        Ok(claims) => format!("taken: {}", if claims.matches("sub", "ada") { "ada" } else { "somebody" }),
        Err(denied) => format!("{denied}\n  told: {}", denied.description()),
    }
}
