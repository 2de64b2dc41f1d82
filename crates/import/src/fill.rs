//! Texts of which something is missing.
//!
//! While a command line is taken apart, what is missing in it is one character of a range that means nothing: so it can be
//! split, joined and escaped like any other. In the end a text with such a character is a hole.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use punctual_arm::{Hole, HolePart, Json, Value};
use punctual_model::action::mask_address;

/// The characters that stand for something missing: a range of Unicode for private use.
const FIRST: u32 = 0xf_0000;
const LAST: u32 = 0xf_fffd;

/// What fills holes, and which holes there are.
#[derive(Debug)]
pub(crate) struct Fills<'a> {
    given: &'a BTreeMap<String, String>,
    used: RefCell<BTreeSet<String>>,
    parts: RefCell<Vec<HolePart>>,
}

impl<'a> Fills<'a> {
    pub(crate) fn new(given: &'a BTreeMap<String, String>) -> Self {
        Self { given, used: RefCell::default(), parts: RefCell::default() }
    }

    /// What fills the hole of that name; else a character that stands for it.
    pub(crate) fn text(&self, name: &str, what: &str, line: u32) -> String {
        if let Some((known, text)) = self.given.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            self.used.borrow_mut().insert(known.clone());
            return text.clone();
        }
        let mut parts = self.parts.borrow_mut();
        let at = parts.iter().position(|part| part.name == name).unwrap_or_else(|| {
            parts.push(HolePart { name: name.to_owned(), what: what.to_owned(), line });
            parts.len() - 1
        });
        let code = u32::try_from(at).map_or(LAST, |at| (FIRST + at).min(LAST));
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
    }

    /// The text, or the hole that it is.
    pub(crate) fn json(&self, line: u32, text: &str) -> Json {
        let parts = self.parts.borrow();
        let holes: Vec<_> = text
            .chars()
            .filter_map(|c| parts.get(usize::try_from((c as u32).checked_sub(FIRST)?).ok()?))
            .map(|part| Hole::answer(part.name.clone(), part.what.clone(), part.line))
            .collect();
        match Hole::made_of(&holes) {
            Some(hole) => Json { line, value: Value::Hole(hole) },
            None => Json::new(line, text),
        }
    }

    /// An address as a report shows it: without secrets, and with the names of what is missing.
    pub(crate) fn shown(&self, address: &str) -> String {
        let parts = self.parts.borrow();
        let mut shown = String::new();
        for c in mask_address(address, "...").chars() {
            let at = (c as u32).checked_sub(FIRST).and_then(|at| usize::try_from(at).ok());
            match at.and_then(|at| parts.get(at)) {
                Some(part) => shown.extend(["<", &part.name, ">"]),
                None => shown.push(c),
            }
        }
        shown
    }

    /// A hole, or what fills it.
    pub(crate) fn hole(&self, name: &str, what: &str, line: u32) -> Json {
        let text = self.text(name, what, line);
        self.json(line, &text)
    }

    /// Notes that fills of these names were used elsewhere.
    pub(crate) fn mark_used_all_but(&self, unused: &[String]) {
        let used = self.given.keys().filter(|name| !unused.contains(name)).cloned();
        self.used.borrow_mut().extend(used);
    }

    /// Names of fills that nothing asked for.
    pub(crate) fn unused(&self) -> Vec<String> {
        let used = self.used.borrow();
        self.given.keys().filter(|name| !used.contains(*name)).cloned().collect()
    }
}

/// Whether something is missing in the text.
pub(crate) fn has_hole(text: &str) -> bool {
    text.chars().any(|c| (FIRST..=LAST).contains(&(c as u32)))
}

/// A text from outside, without the characters that stand for something missing.
pub(crate) fn without_marks(text: &str) -> String {
    text.chars().map(|c| if (FIRST..=LAST).contains(&(c as u32)) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
