//! The query of an address, in all spellings that clients send: `$top` or `%24top`, blanks as `%20` or `+`.

use percent_encoding::percent_decode_str;
use punctual_model::Violation;

use crate::fault::Fault;
use crate::route::Target;
use crate::wire::{below, did_you_mean, no_such};

/// Parameters that change nothing where they mean nothing: clients of the original add them to every path.
const EVERYWHERE: [&str; 1] = ["api-version"];

/// The same on a path that is only read.
const WHERE_READ: [&str; 1] = ["$top"];

/// The same on such a path that the original had, too.
const WHERE_FILTERED: [&str; 1] = ["$filter"];

/// Those of paths that subscription and group complete.
const IN_GROUP: [&str; 2] = ["subscription", "group"];

/// The parameters of a query, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query. What is not UTF-8 is replaced: nothing we know has such characters.
    pub(crate) fn parse(query: &str) -> Self {
        let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(n, v)| (decode(n), decode(v))).collect(),
        )
    }

    /// The value of a parameter. Names are compared without case.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The query with one more parameter.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// All values of a parameter that may come several times.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// A parameter that is true or false; false if it is not there.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, Fault> {
        match self.get(name) {
            None => Ok(false),
            Some(value) if value.eq_ignore_ascii_case("true") => Ok(true),
            Some(value) if value.eq_ignore_ascii_case("false") => Ok(false),
            Some(other) => Err(Violation::new(name, format!("{other:?}"), "true or false").into()),
        }
    }

    /// The value of a parameter that is a whole number of a range.
    pub(crate) fn number(&self, name: &str, min: u32, max: u32) -> Result<Option<u32>, Fault> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number = text.trim().parse().ok().filter(|number| (min..=max).contains(number));
        number.map(Some).ok_or_else(|| {
            let expected = format!("a whole number from {min} to {max}");
            Fault::Invalid(vec![Violation::new(name, format!("{text:?}"), expected)])
        })
    }

    /// Refuses every parameter that is not one of these, or of those that may stand on such a path of ours, and one that is
    /// given twice.
    pub(crate) fn check_known(&self, target: &Target, is_read: bool) -> Result<(), Fault> {
        let (known, is_in_group) = (target.parameters(), target.is_in_group());
        let read = WHERE_READ.iter().filter(|_| is_read);
        // A filter that is ignored where somebody looks for failures shows what was not asked for.
        let read = read.chain(WHERE_FILTERED.iter().filter(|_| is_read && !is_own_list(target)));
        let in_group = IN_GROUP.iter().filter(|_| is_in_group);
        let known: Vec<_> = known.iter().chain(&EVERYWHERE).chain(in_group).chain(read).copied().collect();
        let is_first = |(at, (name, _)): &(usize, &(String, String))| {
            self.0[..*at].iter().all(|(other, _)| !other.eq_ignore_ascii_case(name))
        };
        if let Some((_, (name, _))) = self.0.iter().enumerate().find(|it| !is_first(it)) {
            return Err(Violation::sentence(below("", name), "this parameter is given twice".to_owned()).into());
        }
        let violation = |(name, _): &(String, String)| {
            let meant = did_you_mean("parameter", name, &known);
            let sentence = meant.unwrap_or_else(|| no_such("parameter", &known));
            Violation::sentence(below("", name), sentence)
        };
        let violations: Vec<_> = self.without(&known).map(violation).collect();
        if violations.is_empty() { Ok(()) } else { Err(Fault::Invalid(violations)) }
    }

    /// The parameters without some.
    pub(crate) fn without<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a (String, String)> {
        self.0.iter().filter(|(known, _)| !names.iter().any(|name| known.eq_ignore_ascii_case(name)))
    }
}

/// Whether it is a list that the original did not have, with parameters of its own instead of a filter.
const fn is_own_list(target: &Target) -> bool {
    matches!(target, Target::Failures | Target::Due | Target::AllHistory | Target::Alerts(_))
}
