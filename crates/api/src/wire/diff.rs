//! What differs between two values of JSON.

use super::json::Json;

/// A member that differs.
#[derive(Debug, PartialEq)]
pub(super) struct Difference<'a> {
    /// The names that lead to it, with dots between them.
    pub(super) path: String,
    /// What it was; none if it was not there.
    pub(super) before: Option<&'a Json>,
    /// What it is; none if it is not there.
    pub(super) after: Option<&'a Json>,
}

/// A value, and the value of the same form that is shown instead.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    /// What is compared.
    pub(super) compared: &'a Json,
    /// What is shown: the same, or masked.
    pub(super) shown: &'a Json,
}

/// The members that differ, in the order in which they stand. Lists are compared as wholes.
pub(super) fn differences<'a>(before: Pair<'a>, after: Pair<'a>) -> Vec<Difference<'a>> {
    let mut found = Vec::new();
    compare(String::new(), Some(before), Some(after), &mut found);
    found
}

fn compare<'a>(path: String, before: Option<Pair<'a>>, after: Option<Pair<'a>>, found: &mut Vec<Difference<'a>>) {
    match (before.map(|it| it.compared), after.map(|it| it.compared)) {
        (Some(Json::Object(old)), Some(Json::Object(new))) => {
            let gone = old.iter().filter(|(name, _)| new.iter().all(|(other, _)| other != name));
            for (name, _) in new.iter().chain(gone) {
                let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                compare(path, before.and_then(|it| it.member(name)), after.and_then(|it| it.member(name)), found);
            }
        }
        (old, new) if old == new => {}
        _ => found.push(Difference { path, before: before.map(|it| it.shown), after: after.map(|it| it.shown) }),
    }
}

impl<'a> Pair<'a> {
    /// A value that is shown as it is.
    #[cfg(test)]
    fn open(value: &'a Json) -> Self {
        Self { compared: value, shown: value }
    }

    fn member(self, name: &str) -> Option<Self> {
        let member = |json: &'a Json| match json {
            Json::Object(members) => members.iter().find(|(other, _)| other == name).map(|(_, value)| value),
            _ => None,
        };
        let compared = member(self.compared)?;
        // What is masked as a whole is shown as a whole.
        Some(Self { compared, shown: member(self.shown).unwrap_or(self.shown) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn found(before: &str, after: &str) -> Vec<String> {
        let (before, after) = (json(before), json(after));
        let found = differences(Pair::open(&before), Pair::open(&after));
        let text = |json: Option<&Json>| json.map_or("-".to_owned(), |json| serde_json::to_string(json).unwrap());
        found.iter().map(|it| format!("{}: {} {}", it.path, text(it.before), text(it.after))).collect()
    }

    #[test]
    fn members_that_came_went_or_became_others() {
        let none: [&str; 0] = [];
        assert_eq!(found(r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 1}}"#), none);
        assert_eq!(
            found(r#"{"a": {"b": 1, "c": [1, 2]}, "d": "x"}"#, r#"{"a": {"b": 2, "c": [1]}, "e": {"f": null}}"#),
            ["a.b: 1 2", "a.c: [1,2] [1]", r#"e: - {"f":null}"#, r#"d: "x" -"#]
        );
    }

    #[test]
    fn what_is_masked_is_compared_and_not_shown() {
        let (one, other, shown) = (json(r#"{"a": "secret"}"#), json(r#"{"a": "other"}"#), json(r#"{"a": "***"}"#));
        let masked = |compared| Pair { compared, shown: &shown };
        let found = differences(masked(&one), masked(&other));
        let mask = json(r#""***""#);
        assert_eq!(found, [Difference { path: "a".to_owned(), before: Some(&mask), after: Some(&mask) }]);
    }
}
