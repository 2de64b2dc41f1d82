//! `$filter`: which jobs or records a list shall hold.
//!
//! The little of OData that the original took, and times beside it: `state eq Disabled`, or
//! `status eq Failed and startTime ge 2026-01-01T00:00:00Z`. Names, operators and values are taken in any case, values with
//! quotes or without. There is neither `or` nor brackets. A member that is asked about twice is refused, since one of the
//! two would be without effect.

use punctual_model::Violation;
use punctual_model::history::StatusKind;
use punctual_model::job::State;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::time::{DateTime, Timestamp, Zone};
use punctual_store::HistoryFilter;

use crate::limits;
use crate::status::Outcome;

/// Which jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// Jobs in this state only.
    pub state: Option<State>,
}

const STATE_FORM: &str = "state eq Enabled (or Disabled, Completed, Faulted)";
const STATUS_FORM: &str = "status eq failed (or succeeded, notRun, givenUp, Completed, Postponed)";
const ACTION_FORM: &str = "actionName eq MainAction (or ErrorAction)";
const TAG_FORM: &str = "executionTag eq (32 hexadecimal digits)";
const START_FORM: &str = "startTime ge (or le) 2026-01-01T00:00:00Z";

impl JobFilter {
    /// Reads the filter of a list of jobs; an empty one lets everything through.
    pub fn parse(text: &str) -> Result<Self, Violation> {
        let mut filter = Self::default();
        for condition in conditions(text, STATE_FORM)? {
            match condition.member.to_ascii_lowercase().as_str() {
                "state" => {
                    let state = condition.choice(&State::ALL.map(|state| (state.name(), state)), STATE_FORM)?;
                    condition.set(&mut filter.state, state)?;
                }
                _ => return Err(condition.wrong(STATE_FORM)),
            }
        }
        Ok(filter)
    }
}

/// Reads the filter of a history; an empty one lets everything through.
pub fn parse_history_filter(text: &str) -> Result<HistoryFilter, Violation> {
    let forms = format!("conditions with and between them: {STATUS_FORM}, {ACTION_FORM}, {TAG_FORM}, {START_FORM}");
    let mut filter = HistoryFilter::default();
    for condition in conditions(text, &forms)? {
        match condition.member.to_ascii_lowercase().as_str() {
            "status" | "state" => {
                let (kind, is_given_up) = condition.status()?;
                condition.set(&mut filter.status, kind)?;
                filter.only_last_attempts = is_given_up;
            }
            "executiontag" => condition.set(&mut filter.occurrence, condition.occurrence()?)?,
            "actionname" => condition.set(&mut filter.phase, condition.phase()?)?,
            "starttime" => match condition.operator.to_ascii_lowercase().as_str() {
                "ge" => condition.set(&mut filter.started_from, condition.instant()?)?,
                "le" => condition.set(&mut filter.started_until, condition.instant()?)?,
                _ => return Err(condition.wrong(START_FORM)),
            },
            _ => return Err(condition.wrong(&forms)),
        }
    }
    Ok(filter)
}

/// `member operator value`.
struct Condition<'a> {
    member: &'a str,
    operator: &'a str,
    value: &'a str,
}

impl Condition<'_> {
    /// The status, and whether only the last attempts are meant.
    fn status(&self) -> Result<(StatusKind, bool), Violation> {
        // The words of the original, and ours.
        let names = [plain_name, StatusKind::name].map(|name| StatusKind::ALL.map(|kind| (name(kind), (kind, false))));
        let given_up = (Outcome::GivenUp.name(), (StatusKind::Failed, true));
        self.choice(&[names.concat(), vec![given_up]].concat(), STATUS_FORM)
    }

    fn occurrence(&self) -> Result<OccurrenceId, Violation> {
        let is_equality = self.operator.eq_ignore_ascii_case("eq");
        OccurrenceId::parse(self.value).filter(|_| is_equality).ok_or_else(|| self.wrong(TAG_FORM))
    }

    fn phase(&self) -> Result<Phase, Violation> {
        self.choice(&[Phase::Main, Phase::Error].map(|phase| (phase.action_name(), phase)), ACTION_FORM)
    }

    fn choice<T: Copy>(&self, choices: &[(&str, T)], form: &str) -> Result<T, Violation> {
        let is_equality = self.operator.eq_ignore_ascii_case("eq");
        let chosen = choices.iter().find(|(name, _)| is_equality && name.eq_ignore_ascii_case(self.value));
        chosen.map(|(_, choice)| *choice).ok_or_else(|| self.wrong(form))
    }

    /// Without an offset it is UTC, as everywhere in the API.
    fn instant(&self) -> Result<Timestamp, Violation> {
        let written = DateTime::parse(self.value).map_err(|expected| {
            let Self { member, operator, .. } = self;
            self.wrong(&format!("{member} {operator} {expected}"))
        })?;
        Ok(written.resolve(Zone::utc()).instant())
    }

    fn set<T>(&self, place: &mut Option<T>, value: T) -> Result<(), Violation> {
        match place.replace(value) {
            None => Ok(()),
            Some(_) => Err(self.wrong("only one such condition")),
        }
    }

    fn wrong(&self, expected: &str) -> Violation {
        let Self { member, operator, value } = self;
        let quote = if value.is_empty() || value.contains(char::is_whitespace) { "'" } else { "" };
        violation(format!("{member} {operator} {quote}{value}{quote}"), expected)
    }
}

fn plain_name(kind: StatusKind) -> &'static str {
    Outcome::of_kind(kind).name()
}

fn violation(given: impl std::fmt::Display, expected: &str) -> Violation {
    Violation::new("$filter", given, expected)
}

fn conditions<'a>(text: &'a str, forms: &str) -> Result<Vec<Condition<'a>>, Violation> {
    let length = text.chars().count();
    if length > limits::FILTER_CHARS_MAX {
        let expected = format!("at most {} characters", limits::FILTER_CHARS_MAX);
        return Err(violation(format!("{length} characters"), &expected));
    }
    let words = words(text)?;
    if words.is_empty() {
        return Ok(Vec::new());
    }
    // Three words each, and an `and` between: with one more at the end, all are groups of four.
    let groups = words.iter().copied().chain(["and"]).collect::<Vec<_>>();
    let (groups, rest) = groups.as_chunks::<4>();
    let condition = |[member, operator, value, and]: &[&'a str; 4]| {
        let is_joined = and.eq_ignore_ascii_case("and");
        is_joined.then_some(Condition { member, operator, value }).ok_or_else(|| violation(text.trim(), forms))
    };
    if rest.is_empty() { groups.iter().map(condition).collect() } else { Err(violation(text.trim(), forms)) }
}

/// The words of a filter, and the texts in quotes without them; no value that could be right has a quote inside.
fn words(text: &str) -> Result<Vec<&str>, Violation> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => {
                quoted.split_once('\'').ok_or_else(|| violation(rest, "a second ' at the end of the value"))?
            }
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            return Err(violation(rest, "a space after the '"));
        }
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

#[cfg(test)]
mod tests;
