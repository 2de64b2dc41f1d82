//! What an issuer says about somebody.

use std::fmt;

use punctual_model::access::Claimants;
use serde_json::{Map, Value};

/// What an issuer says about somebody, once its signature and everything else was found right.
///
/// Claims are no larger than the token was. A name that stands twice has the last of its values, as RFC 7519 wants it.
#[derive(Clone, PartialEq)]
pub struct Claims(Map<String, Value>);

impl Claims {
    pub(super) fn new(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// The issuer.
    pub fn issuer(&self) -> &str {
        self.0.get("iss").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whom it is about, as the issuer calls them.
    pub fn subject(&self) -> &str {
        self.0.get("sub").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether whom these claims are about is one of those.
    pub fn is(&self, claimants: &Claimants) -> bool {
        // What another issuer says with the same words means nothing here.
        self.issuer() == claimants.issuer && self.matches(&claimants.claim, &claimants.value)
    }

    /// Whether the claim is this text, or a list that holds it. A name with dots may be that of a claim, or the way to
    /// one inside of others.
    pub fn matches(&self, claim: &str, value: &str) -> bool {
        match find(&self.0, claim) {
            Some(Value::String(text)) => text == value,
            Some(Value::Array(items)) => items.iter().any(|item| item == value),
            _ => false,
        }
    }
}

/// The value at the end of a dotted path. Names may have dots themselves (`https://example.com/roles`), so the longest
/// name comes first, then every way to split the path.
fn find<'a>(object: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    object.get(path).or_else(|| {
        let mut splits = path.match_indices('.');
        splits.find_map(|(at, dot)| find(object.get(&path[..at])?.as_object()?, &path[at + dot.len()..]))
    })
}

/// Without what is said: it is about a person.
impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Claims({} of {:?})", self.0.len(), self.issuer())
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::access::Claimants;
    use serde_json::{Value, json};

    use super::Claims;

    fn claims() -> Claims {
        let members = json!({
            "iss": "https://issuer.example",
            "sub": "ada",
            "groups": ["ops", "dev", 7],
            "https://example.com/roles": ["admin"],
            "realm_access": { "roles": ["runner"], "more": { "deep": "down" } },
            "resource_access": { "my.client": { "roles": ["reader"] } },
            "email_verified": true,
            "number": 7,
            "nothing": null,
        });
        let Value::Object(members) = members else { unreachable!() };
        Claims::new(members)
    }

    #[test]
    fn a_claim_is_a_text_or_a_list_anywhere() {
        let claims = claims();
        let right = [
            ("sub", "ada"),
            ("groups", "ops"),
            ("groups", "dev"),
            ("https://example.com/roles", "admin"),
            ("realm_access.roles", "runner"),
            ("realm_access.more.deep", "down"),
            ("resource_access.my.client.roles", "reader"),
        ];
        for (claim, value) in right {
            assert!(claims.matches(claim, value), "{claim} = {value}");
        }
    }

    #[test]
    fn nothing_else_matches() {
        let claims = claims();
        let wrong = [
            ("sub", "Ada"),
            ("sub", "ad"),
            ("Sub", "ada"),
            ("groups", "op"),
            ("groups", "7"),
            ("groups", ""),
            ("number", "7"),
            ("email_verified", "true"),
            ("nothing", "null"),
            ("nothing", ""),
            ("realm_access", "roles"),
            ("realm_access.", "runner"),
            (".realm_access.roles", "runner"),
            ("realm_access..roles", "runner"),
            ("roles", "runner"),
            ("sub.x", "ada"),
            ("", ""),
            ("absent", ""),
        ];
        for (claim, value) in wrong {
            assert!(!claims.matches(claim, value), "{claim} = {value}");
        }
    }

    #[test]
    fn an_assignment_counts_for_its_issuer_only() {
        let claimants =
            |issuer: &str| Claimants { issuer: issuer.to_owned(), claim: "sub".to_owned(), value: "ada".to_owned() };
        assert!(claims().is(&claimants("https://issuer.example")));
        assert!(!claims().is(&claimants("https://other.example")));
        assert!(!claims().is(&claimants("https://issuer.example/")));
    }

    #[test]
    fn a_person_is_not_shown() {
        assert_eq!(format!("{:?}", claims()), "Claims(9 of \"https://issuer.example\")");
    }
}
