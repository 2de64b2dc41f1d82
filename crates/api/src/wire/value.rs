//! A value somewhere in the input: each method takes it for what it should be, or reports that it is not.

use punctual_model::action::{MASK, Secret};
use punctual_model::time::{DateTime, Span};
use punctual_model::{Expected, Violation, limits};

use super::findings::Findings;
use super::json::Json;
use super::object::Object;
use super::path::Path;

/// A value, where it stands, and where to report what is wrong with it.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) path: Path<'a>,
    pub(super) json: &'a Json,
    pub(super) findings: &'a Findings,
}

impl<'a> Value<'a> {
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.json {
            Json::Text(text) => Some(text),
            _ => self.wrong("a text in quotes"),
        }
    }

    /// A text that no message repeats. A mask stands for the stored secret, whatever `check` says.
    pub(super) fn secret(&self, check: impl Fn(&str) -> Result<(), Expected>) -> Option<Secret> {
        let Json::Text(text) = self.json else {
            return self.hidden("no text", "a text in quotes");
        };
        match check(text) {
            _ if text == MASK => Some(Secret::new(MASK)),
            Ok(()) => Some(Secret::new(text.as_str())),
            Err(expected) => self.hidden(&format!("{} characters", text.chars().count()), &expected.to_string()),
        }
    }

    pub(super) fn boolean(&self) -> Option<bool> {
        match self.json {
            Json::Boolean(boolean) => Some(*boolean),
            _ => self.wrong("true or false"),
        }
    }

    pub(super) fn integer(&self) -> Option<i64> {
        let integer = match self.json {
            Json::Number(number) => number.as_integer(),
            Json::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let Some(integer) = integer else {
            return self.wrong("a whole number");
        };
        let Ok(integer) = i64::try_from(integer) else {
            return self.wrong("a whole number of at most 18 digits");
        };
        if matches!(self.json, Json::Text(_)) {
            self.warn(format!("the text {} was taken as the number {integer}", self.json));
        }
        Some(integer)
    }

    /// One of the names, in any case.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Option<T> {
        let chosen = match self.json {
            Json::Text(text) => choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim())),
            _ => None,
        };
        let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        chosen.map(|(_, choice)| *choice).or_else(|| self.wrong(&format!("one of {}", names())))
    }

    pub(super) fn span(&self) -> Option<Span> {
        self.parsed(Span::parse)
    }

    pub(super) fn date_time(&self) -> Option<DateTime> {
        self.parsed(DateTime::parse)
    }

    /// A text that `parse` can read.
    pub(super) fn parsed<T>(&self, parse: impl Fn(&str) -> Result<T, Expected>) -> Option<T> {
        match (self.json, parse("")) {
            (Json::Text(text), _) => parse(text).map_or_else(|expected| self.wrong(&expected.to_string()), Some),
            // What is said about an empty text says what kind of text it should be.
            (_, Err(expected)) => self.wrong(&format!("{expected}, as a text in quotes")),
            (_, Ok(_)) => self.wrong("a text in quotes"),
        }
    }

    pub(super) fn object(self) -> Option<Object<'a>> {
        match self.json {
            Json::Object(members) => Some(Object::new(String::from(&self.path).into(), members, self.findings)),
            // Not repeated: who writes credentials as a text writes a secret.
            Json::Text(_) => self.hidden("a text", "an object in braces"),
            _ => self.wrong("an object in braces"),
        }
    }

    /// The values of a list; a value without a list around it is taken as the only one.
    pub(super) fn list(self) -> Vec<Self> {
        self.list_up_to(limits::SCHEDULE_ITEMS_MAX)
    }

    /// The same of a list that may have this number of values.
    pub(super) fn list_up_to(self, max: usize) -> Vec<Self> {
        let path = String::from(&self.path).into();
        let item = |(at, json)| Self { path: Path::item(&path, at), json, findings: self.findings };
        if let Json::List(items) = self.json {
            if items.len() > max {
                let expected = format!("at most {max} values");
                self.findings.violation(Violation::new(&self.path, format!("{} values", items.len()), expected));
                return Vec::new();
            }
            return items.iter().enumerate().map(item).collect();
        }
        self.warn("not a list; taken as a list of one");
        vec![item((0, self.json))]
    }

    pub(super) fn warn(&self, text: impl Into<String>) {
        self.findings.warn(&self.path, text);
    }

    /// Reports that this should have been something else; `None`, so that it can end a reader.
    pub(super) fn wrong<T>(&self, expected: &str) -> Option<T> {
        self.findings.violation(Violation::new(&self.path, self.json, expected));
        None
    }

    /// Reports a wrong value without repeating it.
    pub(super) fn hidden<T>(&self, given: &str, expected: &str) -> Option<T> {
        self.findings.violation(Violation::new(&self.path, given, expected));
        None
    }
}
