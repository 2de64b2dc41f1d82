//! What is wrong with something that came from outside.

use std::borrow::Cow;
use std::fmt;

/// One thing that is wrong with an input: where it stands, what was given and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The member, as a reader would write it: `recurrence.schedule.hours[2]`.
    pub path: String,
    /// What was given there, shortened if it is long.
    pub given: String,
    /// What would be right.
    pub expected: String,
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
        Self { path: path.into(), given, expected: expected.into() }
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
        if self.path.is_empty() {
            write!(f, "given {}, expected {}", self.given, self.expected)
        } else {
            write!(f, "{}: given {}, expected {}", self.path, self.given, self.expected)
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
