//! What people say about a job for each other: labels and a note. Nothing of it decides when or how the job runs.

use std::collections::BTreeMap;

use crate::{Violation, limits};

/// What people say about a job for each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Why the job is as it is.
    pub note: Option<String>,
    /// Words to find the job by.
    pub labels: Labels,
}

/// Labels of a job: keys with values, in the order of the keys. Upper and lower case differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(BTreeMap<String, String>);

impl Annotations {
    /// The annotations of a job that is switched on: a note that said why it was off says nothing any more.
    #[must_use]
    pub fn without_note(&self) -> Self {
        Self { note: None, labels: self.labels.clone() }
    }

    /// Refuses a note that is too long.
    pub fn check_note(note: &str) -> Result<(), Violation> {
        let length = note.chars().count();
        if length <= limits::NOTE_CHARS_MAX {
            return Ok(());
        }
        let expected = format!("at most {} characters", limits::NOTE_CHARS_MAX);
        Err(Violation::new("note", format!("{length} characters"), expected))
    }
}

impl Labels {
    /// Takes labels that keep the limits; else says all that is wrong, with paths under `labels`.
    pub fn new(labels: BTreeMap<String, String>) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        if labels.len() > limits::LABELS_MAX {
            let expected = format!("at most {}", limits::LABELS_MAX);
            violations.push(Violation::new("labels", format!("{} labels", labels.len()), expected));
        }
        for (key, value) in &labels {
            violations.extend(check_key(key).into_iter().chain(check_value(key, value)));
        }
        if violations.is_empty() { Ok(Self(labels)) } else { Err(violations) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a label.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Keys and values, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

fn check_key(key: &str) -> Option<Violation> {
    let is_right = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let is_valid = (1..=limits::LABEL_CHARS_MAX).contains(&key.len()) && key.chars().all(is_right);
    let expected = format!("a key of 1 to {} letters of ASCII, digits, or . _ - /", limits::LABEL_CHARS_MAX);
    (!is_valid).then(|| Violation::new("labels", format!("{key:?}"), expected))
}

fn check_value(key: &str, value: &str) -> Option<Violation> {
    let is_valid = value.chars().count() <= limits::LABEL_CHARS_MAX && !value.chars().any(char::is_control);
    let expected =
        format!("a value of at most {} characters, none of them a control character", limits::LABEL_CHARS_MAX);
    (!is_valid).then(|| Violation::new(format!("labels.{key}"), format!("{value:?}"), expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[(&str, &str)]) -> Result<Labels, Vec<String>> {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Labels::new(labels).map_err(|violations| violations.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn they_are_in_the_order_of_their_keys() {
        let right = labels(&[("team", "billing"), ("Team", ""), ("example.com/cost-centre_2", "Größe 7")]);
        let right = right.expect("labels that keep the limits");
        let listed: Vec<_> = right.iter().collect();
        assert_eq!(listed, [("Team", ""), ("example.com/cost-centre_2", "Größe 7"), ("team", "billing")]);
        assert_eq!((right.get("team"), right.get("TEAM")), (Some("billing"), None));
        assert!(Labels::default().is_empty() && !right.is_empty());
    }

    #[test]
    fn the_longest_are_taken_and_longer_ones_are_not() {
        let (longest, longer) = ("k".repeat(63), "k".repeat(64));
        assert!(labels(&[(&longest, &"ü".repeat(63))]).is_ok());
        assert_eq!(labels(&[(&longer, "")]).map_err(|violations| violations.len()), Err(1));
        assert_eq!(labels(&[("k", &"ü".repeat(64))]).map_err(|violations| violations.len()), Err(1));
    }

    #[test]
    fn all_that_is_wrong_is_named() {
        let wrong = labels(&[("", "x"), ("a b", "x"), ("ü", "x"), ("right", "two\nlines")]);
        let key = "a key of 1 to 63 letters of ASCII, digits, or . _ - /";
        let value = "a value of at most 63 characters, none of them a control character";
        let expected = [
            format!("labels: given \"\", expected {key}"),
            format!("labels: given \"a b\", expected {key}"),
            format!("labels.right: given \"two\\nlines\", expected {value}"),
            format!("labels: given \"ü\", expected {key}"),
        ];
        assert_eq!(wrong, Err(expected.to_vec()));
    }

    #[test]
    fn there_are_16_at_most() {
        let many = |number| (0..number).map(|number| (format!("k{number}"), String::new())).collect();
        assert!(Labels::new(many(16)).is_ok());
        let violations = Labels::new(many(17)).map_err(|violations| violations[0].to_string());
        assert_eq!(violations, Err("labels: given 17 labels, expected at most 16".to_owned()));
    }
}
