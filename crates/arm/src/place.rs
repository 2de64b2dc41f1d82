//! Where in a template something stands.

use std::fmt;

use punctual_model::Violation;

/// A member, an item or the whole, with the line that it begins in.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
    line: u32,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    /// The whole text.
    pub const ROOT: Place<'static> = Place { parent: None, step: Step::Root, line: 1 };

    /// The member `name` of what stands here.
    #[must_use]
    pub fn member(&'a self, name: &'a str, line: u32) -> Self {
        Self { parent: Some(self), step: Step::Member(name), line }
    }

    /// An item of the list that stands here.
    #[must_use]
    pub fn item(&'a self, index: usize, line: u32) -> Self {
        Self { parent: Some(self), step: Step::Item(index), line }
    }

    /// The line in which it begins.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The path alone: `resources[0].name`.
    pub fn path(&self) -> String {
        let before = self.parent.map(Self::path).unwrap_or_default();
        match self.step {
            Step::Root => before,
            Step::Member(name) if before.is_empty() => name.to_owned(),
            Step::Member(name) => format!("{before}.{name}"),
            Step::Item(index) => format!("{before}[{index}]"),
        }
    }

    /// The value `given` that stands here should have been `expected`.
    pub fn wrong(&self, given: impl fmt::Display, expected: impl Into<String>) -> Violation {
        Violation::new(self.to_string(), given, expected)
    }

    /// What stands here is wrong in a way that `sentence` explains.
    pub fn sentence(&self, sentence: impl Into<String>) -> Violation {
        Violation::sentence(self.to_string(), sentence)
    }
}

/// `resources[0].name (line 12)`.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        if path.is_empty() { write!(f, "line {}", self.line) } else { write!(f, "{path} (line {})", self.line) }
    }
}
