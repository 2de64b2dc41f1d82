//! What reading an input brought to light.

use std::cell::RefCell;

use punctual_model::{Violation, Warning, limits};

use crate::input::Parsed;

/// All that was found so far. Every reader of a part of the input adds to the same findings.
///
/// A reader may leave out what it reported as wrong: with a violation nothing it returns will be used.
#[derive(Default)]
pub(super) struct Findings {
    unknown: Unknown,
    violations: RefCell<Vec<Violation>>,
    warnings: RefCell<Vec<Warning>>,
}

/// What is done about members that mean nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// They are ignored with a warning, as the original ignored them; but not those that decide when a job runs.
    #[default]
    Warned,
    /// They are refused: on the short path there is no old client that could send them.
    Refused,
}

impl Findings {
    pub(super) fn new(unknown: Unknown) -> Self {
        Self { unknown, ..Self::default() }
    }

    pub(super) fn unknown(&self) -> Unknown {
        self.unknown
    }

    pub(super) fn violation(&self, violation: Violation) {
        let mut violations = self.violations.borrow_mut();
        if violations.len() < limits::FINDINGS_MAX {
            violations.push(violation);
        }
    }

    pub(super) fn warn(&self, path: impl Into<String>, text: impl Into<String>) {
        let mut warnings = self.warnings.borrow_mut();
        if warnings.len() < limits::FINDINGS_MAX {
            warnings.push(Warning::new(path, text));
        }
    }

    /// Takes over what the model says of the part at `path`, except about members that could not be read at all: to
    /// the model those are missing, which they are not.
    pub(super) fn adopt(&self, path: &str, violations: impl IntoIterator<Item = Violation>) {
        let known: Vec<String> = self.violations.borrow().iter().map(|violation| violation.path.clone()).collect();
        let seen_from_the_root = violations.into_iter().map(|violation| violation.under(path));
        for violation in seen_from_the_root.filter(|violation| !known.contains(&violation.path)) {
            self.violation(violation);
        }
    }

    /// The value with its warnings, if nothing was wrong.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<Parsed<T>, Vec<Violation>> {
        let violations = self.violations.into_inner();
        match value {
            Some(value) if violations.is_empty() => Ok(Parsed { value, warnings: self.warnings.into_inner() }),
            _ => {
                debug_assert!(!violations.is_empty(), "whatever leaves a part out says why");
                Err(violations)
            }
        }
    }
}
