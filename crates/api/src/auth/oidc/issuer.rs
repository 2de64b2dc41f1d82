//! An issuer of tokens, as it is configured.

use punctual_model::time::Timestamp;
use punctual_model::{Expected, Violation};
use serde_json::{Map, Value};

use super::super::Denied;
use super::super::denied::quoted;
use super::address::protection;
use super::algorithm::Algorithm;
use crate::limits;

/// An issuer of tokens that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// The address of the issuer, exactly as it stands in its tokens.
    pub issuer: String,
    /// Who the tokens must be meant for: this server, under the name that the issuer knows it by.
    pub audience: String,
    /// How far its clock may be from ours.
    pub skew_seconds: u32,
    /// How its tokens may be signed.
    pub algorithms: Vec<Algorithm>,
}

/// All issuers that are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issuers(Vec<Issuer>);

impl Issuers {
    /// The list of issuers, or everything that is wrong with it, with paths such as `[0].audience`.
    pub fn new(issuers: Vec<Issuer>) -> Result<Self, Vec<Violation>> {
        let violations = check(&issuers);
        if violations.is_empty() { Ok(Self(issuers)) } else { Err(violations) }
    }

    /// Each of them.
    pub fn as_slice(&self) -> &[Issuer] {
        &self.0
    }
}

fn check(issuers: &[Issuer]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (at, issuer) in issuers.iter().enumerate() {
        let mut wrong = |member: &str, given: &str, expected: Expected| {
            violations.push(expected.at(format!("[{at}].{member}"), given));
        };
        let Issuer { issuer: address, audience, skew_seconds, algorithms } = issuer;
        if let Err(expected) = protection(address) {
            wrong("issuer", &quoted(address), expected);
        } else if address.contains(['?', '#']) {
            wrong("issuer", &quoted(address), Expected::new("an address without a query and a fragment"));
        }
        if issuers[..at].iter().any(|earlier| earlier.issuer == *address) {
            wrong("issuer", &quoted(address), Expected::new("each issuer only once"));
        }
        if audience.is_empty() {
            wrong("audience", "nothing", Expected::new("the name by which the issuer knows this server"));
        }
        if *skew_seconds > limits::OIDC_SKEW_SECONDS_MAX {
            let expected = format!("at most {}", limits::OIDC_SKEW_SECONDS_MAX);
            wrong("skew_seconds", &skew_seconds.to_string(), Expected::new(expected));
        }
        if algorithms.is_empty() {
            let expected = format!("at least one, usually {}", Algorithm::Rs256.name());
            wrong("algorithms", "none", Expected::new(expected));
        }
    }
    violations
}

impl Issuer {
    /// The algorithm that a token names, if it is one of those configured.
    pub(super) fn algorithm(&self, name: &str) -> Result<Algorithm, Denied> {
        let found = self.algorithms.iter().find(|algorithm| algorithm.name() == name);
        found.copied().ok_or_else(|| Denied::Algorithm {
            algorithm: quoted(name),
            issuer: self.issuer.clone(),
            configured: self.algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Checks whom a token is meant for and when it is valid.
    pub(super) fn check_claims(&self, claims: &Map<String, Value>, now: Timestamp) -> Result<(), Denied> {
        let is_for_us = match claims.get("aud") {
            Some(Value::Array(items)) => items.iter().any(|item| *item == self.audience),
            Some(audience) => *audience == self.audience,
            None => false,
        };
        if !is_for_us {
            let audience = match claims.get("aud") {
                Some(Value::String(text)) => quoted(text),
                Some(other) => quoted(&other.to_string()),
                None => "nobody".to_owned(),
            };
            return Err(Denied::Audience { audience, expected: self.audience.clone() });
        }
        let skew = i64::from(self.skew_seconds);
        let expires = seconds(claims, "exp")?.ok_or(Denied::Malformed("it has no time of expiry (exp)"))?;
        if now.seconds() >= expires.saturating_add(skew) {
            return Err(Denied::Expired { at: instant(expires), now });
        }
        match seconds(claims, "nbf")? {
            Some(from) if now.seconds() < from.saturating_sub(skew) => {
                Err(Denied::NotYetValid { from: instant(from), now })
            }
            _ => Ok(()),
        }
    }
}

/// A time in a token: seconds since 1970, of which some issuers write fractions.
fn seconds(claims: &Map<String, Value>, name: &str) -> Result<Option<i64>, Denied> {
    #[expect(clippy::cast_possible_truncation, reason = "a time that far away is held at the last one there is")]
    match claims.get(name) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(number.as_i64().or_else(|| number.as_f64().map(|float| float as i64))),
        Some(_) => Err(Denied::Malformed("its times (exp, nbf) are not numbers")),
    }
}

fn instant(seconds: i64) -> Timestamp {
    let end = if seconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_seconds(seconds).unwrap_or(end)
}
