//! What is wrong with something that came from outside.

use std::borrow::Cow;
use std::fmt;

/// One thing that is wrong with an input, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The member, as a reader would write it: `recurrence.schedule.hours[2]`.
    pub path: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// One value is not what it should be.
    Value {
        /// What was given, shortened if it is long.
        given: String,
        /// What would be right.
        expected: String,
    },
    /// Anything else, as a sentence that says what to do. It begins in lower case and has no full stop, because it can
    /// stand behind a path: "cron and frequency exclude each other: keep one".
    Sentence(String),
}

/// How much of a wrong value an error repeats: enough to recognise it, too little to fill a log.
const GIVEN_CHARS_MAX: usize = 60;

impl Violation {
    /// The value `given` at `path` should have been `expected`.
    pub fn new(path: impl Into<String>, given: impl fmt::Display, expected: impl Into<String>) -> Self {
        let mut given = given.to_string();
        if let Some((cut, _)) = given.char_indices().nth(GIVEN_CHARS_MAX) {
            given.truncate(cut);
            given.push('…');
        }
        Self { path: path.into(), problem: Problem::Value { given, expected: expected.into() } }
    }

    /// The member at `path` is wrong in a way that `sentence` explains; see [`Problem::Sentence`].
    pub fn sentence(path: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { path: path.into(), problem: Problem::Sentence(sentence.into()) }
    }

    /// What would be right, or the sentence that says so.
    pub fn advice(&self) -> &str {
        match &self.problem {
            Problem::Value { expected, .. } => expected,
            Problem::Sentence(sentence) => sentence,
        }
    }

    /// The same violation, seen from the object that holds `member`; without a member, from where it is.
    #[must_use]
    pub fn under(mut self, member: &str) -> Self {
        let has_no_dot = member.is_empty() || self.path.is_empty() || self.path.starts_with('[');
        let dot = if has_no_dot { "" } else { "." };
        self.path = format!("{member}{dot}{}", self.path);
        self
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { write!(f, "{}", self.problem) } else { write!(f, "{}: {}", self.path, self.problem) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { given, expected } => write!(f, "given {given}, expected {expected}"),
            Self::Sentence(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for Violation {}

/// What a text should have been. The parser of a text knows this much; its caller adds where the text stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected(Cow<'static, str>);

impl Expected {
    /// The text should have been `expected`.
    pub fn new(expected: impl Into<Cow<'static, str>>) -> Self {
        Self(expected.into())
    }

    /// The violation this is when `given` stood at `path`.
    pub fn at(self, path: impl Into<String>, given: impl fmt::Display) -> Violation {
        Violation::new(path, given, self.0)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that was taken, but not as it was written, or that will surprise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The member it is about.
    pub path: String,
    /// What was done with it.
    pub text: String,
}

impl Warning {
    /// A warning about the member at `path`.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::Violation;

    #[test]
    fn a_violation_is_a_value_or_a_sentence_at_a_path() {
        let value = Violation::new("[2]", "x".repeat(61), "a number");
        assert_eq!(value.to_string(), format!("[2]: given {}…, expected a number", "x".repeat(60)));
        let sentence = Violation::sentence("", "cron and frequency exclude each other: keep one");
        assert_eq!(sentence.to_string(), "cron and frequency exclude each other: keep one");
        assert_eq!(
            sentence.under("recurrence").to_string(),
            "recurrence: cron and frequency exclude each other: keep one"
        );
        assert_eq!(value.under("hours").path, "hours[2]");
    }
}
