//! A cursor over an object: members by name in any case, their paths, and which of them nobody asked for.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use punctual_model::action::Secret;
use punctual_model::time::{DateTime, Span};
use punctual_model::{Expected, Violation};

use super::findings::{Findings, Unknown};
use super::json::{Json, MemberName};
use super::near_miss;
use super::path::Path;
use super::value::Value;

/// An object that is being read. `null` is absent.
pub(super) struct Object<'a> {
    path: Rc<str>,
    members: Vec<Member<'a>>,
    /// The names that somebody asked for, which are the members that the object may have.
    known: RefCell<Vec<&'static str>>,
    findings: &'a Findings,
}

struct Member<'a> {
    name: &'a str,
    json: &'a Json,
    is_read: bool,
}

impl<'a> Object<'a> {
    pub(super) fn new(path: Rc<str>, members: &'a [(MemberName, Json)], findings: &'a Findings) -> Self {
        let member = |(name, json): &'a (MemberName, Json)| Member { name, json, is_read: matches!(json, Json::Null) };
        Self { path, members: members.iter().map(member).collect(), known: RefCell::default(), findings }
    }

    /// The object that is the whole input.
    pub(super) fn root(json: &'a Json, findings: &'a Findings) -> Option<Self> {
        Value { path: Path::root(), json, findings }.object()
    }

    /// Where all that is found goes.
    pub(super) fn findings(&self) -> &'a Findings {
        self.findings
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn path_of(&self, name: &str) -> String {
        below(&self.path, name)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn has(&self, name: &'static str) -> bool {
        self.known.borrow_mut().push(name);
        self.holds(name)
    }

    /// Whether there is such a member, which the object should not have.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.is(name))
    }

    /// The member, which counts as read from now on.
    pub(super) fn value(&mut self, name: &'static str) -> Option<Value<'a>> {
        self.known.borrow_mut().push(name);
        let member = self.members.iter_mut().find(|member| member.is(name))?;
        member.is_read = true;
        let json = member.json;
        Some(Value { path: Path::member(&self.path, name), json, findings: self.findings })
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<&'a str> {
        self.value(name)?.text()
    }

    /// A text that `check` takes.
    pub(super) fn checked(
        &mut self,
        name: &'static str,
        check: impl Fn(&str) -> Result<(), Expected>,
    ) -> Option<String> {
        self.value(name)?.parsed(|text| check(text).map(|()| text.to_owned()))
    }

    /// A text that `check` takes and no message repeats: it is long, or nobody's business.
    pub(super) fn unseen(
        &mut self,
        name: &'static str,
        check: impl Fn(&str) -> Result<(), Expected>,
    ) -> Option<String> {
        let value = self.value(name)?;
        let text = value.text()?;
        match check(text) {
            Ok(()) => Some(text.to_owned()),
            Err(expected) => value.hidden(&format!("{} characters", text.chars().count()), &expected.to_string()),
        }
    }

    pub(super) fn secret(
        &mut self,
        name: &'static str,
        check: impl Fn(&str) -> Result<(), Expected>,
    ) -> Option<Secret> {
        self.value(name)?.secret(check)
    }

    pub(super) fn integer(&mut self, name: &'static str) -> Option<i64> {
        self.value(name)?.integer()
    }

    pub(super) fn boolean(&mut self, name: &'static str) -> Option<bool> {
        self.value(name)?.boolean()
    }

    pub(super) fn choice<T: Copy>(&mut self, name: &'static str, choices: &[(&str, T)]) -> Option<T> {
        self.value(name)?.choice(choices)
    }

    pub(super) fn span(&mut self, name: &'static str) -> Option<Span> {
        self.value(name)?.span()
    }

    pub(super) fn date_time(&mut self, name: &'static str) -> Option<DateTime> {
        self.value(name)?.date_time()
    }

    pub(super) fn object(&mut self, name: &'static str) -> Option<Object<'a>> {
        self.value(name)?.object()
    }

    pub(super) fn list(&mut self, name: &'static str) -> Option<Vec<Value<'a>>> {
        Some(self.value(name)?.list())
    }

    /// The members of an object whose names the user chose, each of them a text.
    pub(super) fn texts(&mut self, name: &'static str) -> Vec<(String, String)> {
        let Some(object) = self.object(name) else {
            return Vec::new();
        };
        let text = |value: &Value<'a>| match value.json {
            Json::Text(text) => Some(text.clone()),
            // Not repeated, since in headers it may be a key.
            _ => value.hidden("no text", "a text in quotes"),
        };
        let pairs = object.values().filter_map(|(name, value)| Some((name.to_owned(), text(&value)?)));
        pairs.collect()
    }

    fn values(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        self.members.iter().filter(|member| !matches!(member.json, Json::Null)).map(|member| {
            let path = Path::member(&self.path, member.name);
            (member.name, Value { path, json: member.json, findings: self.findings })
        })
    }

    /// Treats the member `from` as if it were called `to`.
    pub(super) fn rename(&mut self, from: &str, to: &'static str) {
        if !self.holds(from) {
            return;
        }
        if self.holds(to) {
            self.report(Violation::sentence(self.path_of(from), format!("keep only {to}, which means the same")));
            return self.skip(&[from]);
        }
        self.warn(from, format!("taken as {to}"));
        if let Some(member) = self.members.iter_mut().find(|member| member.is(from)) {
            member.name = to;
        }
    }

    /// Passes over members that only the server sets.
    pub(super) fn skip(&mut self, names: &[&str]) {
        for member in self.members.iter_mut().filter(|member| names.iter().any(|name| member.is(name))) {
            member.is_read = true;
        }
    }

    /// Reports a member that is not there.
    pub(super) fn require(&self, name: &'static str, expected: &str) {
        if !self.has(name) {
            self.violation(name, "nothing", expected);
        }
    }

    pub(super) fn violation(&self, name: &str, given: impl std::fmt::Display, expected: impl Into<String>) {
        self.findings.violation(Violation::new(self.path_of(name), given, expected));
    }

    /// Reports a violation whose path is the whole one.
    pub(super) fn report(&self, violation: Violation) {
        self.findings.violation(violation);
    }

    pub(super) fn warn(&self, name: &str, text: impl Into<String>) {
        self.findings.warn(self.path_of(name), text);
    }

    /// Takes over what the model says of this object, or of its member `name`.
    pub(super) fn adopt(&self, name: Option<&str>, violations: impl IntoIterator<Item = Violation>) {
        let path = name.map_or_else(|| self.path.to_string(), |name| self.path_of(name));
        self.findings.adopt(&path, violations);
    }

    /// Warns of every member that nobody asked for, or refuses it where that is the rule. A member that decides when the job
    /// runs is refused everywhere: a wrong time is worse than an error.
    pub(super) fn ignore_rest(self) {
        if self.findings.unknown() == Unknown::Refused {
            return self.refuse_rest();
        }
        let known = self.known.borrow();
        for name in self.rest() {
            match near_miss::wrong_time(name, &known) {
                Some(sentence) => self.report(Violation::sentence(self.path_of(name), sentence)),
                None => self.warn(name, "ignored: it means nothing here"),
            }
        }
    }

    /// Refuses every member that nobody asked for: where the time is said, a misspelt name would be a wrong time.
    pub(super) fn refuse_rest(self) {
        self.refuse(near_miss::wrong_time);
    }

    /// Refuses every member that nobody asked for, where none of them could say when a job runs.
    pub(super) fn refuse_others(self) {
        self.refuse(|_, _| None);
    }

    /// Refuses every member that nobody asked for, with what it may have been meant for, else with what `advise` says.
    fn refuse(self, advise: impl Fn(&str, &[&str]) -> Option<String>) {
        if self.rest().next().is_none() {
            return;
        }
        let mut known = self.known.borrow().clone();
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(*name));
        for name in self.others() {
            let meant = near_miss::did_you_mean("member", name, &known).or_else(|| advise(name, &known));
            let sentence = meant.unwrap_or_else(|| near_miss::no_such("member", &known));
            self.report(Violation::sentence(self.path_of(name), sentence));
        }
    }

    /// Whether there are members that nobody asked for so far.
    pub(super) fn has_others(&self) -> bool {
        self.others().next().is_some()
    }

    /// The names of members that nobody asked for. One that somebody asked for and did not read stands beside what was
    /// reported already.
    fn others(&self) -> impl Iterator<Item = &'a str> {
        let known = self.known.borrow().clone();
        self.rest().filter(move |name| !known.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// The names of members that nobody has read.
    fn rest(&self) -> impl Iterator<Item = &'a str> {
        self.members.iter().filter(|member| !member.is_read).map(|member| member.name)
    }
}

impl Member<'_> {
    fn is(&self, name: &str) -> bool {
        !matches!(self.json, Json::Null) && self.name.eq_ignore_ascii_case(name)
    }
}

/// The path of a member: `action.request`, or `headers["a b"]` where the name is no plain word.
pub(crate) fn below(path: &str, name: &str) -> String {
    /// Enough to recognise a name by.
    const NAME_CHARS_MAX: usize = 60;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    let cut = name.char_indices().nth(NAME_CHARS_MAX).map_or(name.len(), |(cut, _)| cut);
    if cut < name.len() || name.is_empty() || !name.chars().all(is_plain) {
        format!("{path}[{:?}]", &name[..cut])
    } else if path.is_empty() {
        name.to_owned()
    } else {
        [path, ".", name].concat()
    }
}
