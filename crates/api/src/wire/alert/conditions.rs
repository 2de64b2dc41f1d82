//! `when`: a list of names, or of objects that give a name its parameters; or one object of them all.

use punctual_model::Violation;
use punctual_model::alert::{Conditions, Slow, Trouble};
use punctual_model::limits::ALERT_ATTEMPTS_MAX;
use punctual_model::time::Span;

use super::super::json::Json;
use super::super::near_miss;
use super::super::object::Object;
use super::super::value::Value;

/// A word in `when`: a trouble, or that its end is told, too.
type Word = Option<Trouble>;

const RECOVERED: &str = "recovered";

/// What a word means that stands alone.
const LATE_SECONDS: u32 = 60;
const SLOW_TIMES: u32 = 3;
const SILENT_SECONDS: u32 = 5 * 60;
const STALE_SECONDS: u32 = 26 * 60 * 60;
const EXPIRING_SECONDS: u32 = 30 * 24 * 60 * 60;

/// Reads the conditions of an alert; none if something is wrong with them, which was reported then.
pub(super) fn read(value: Value<'_>) -> Option<Conditions> {
    let mut reading = Reading::default();
    if let Json::Object(_) = value.json {
        reading.add_members(value.object()?);
    } else {
        for item in value.list() {
            match item.json {
                Json::Object(_) => reading.add_members(item.object()?),
                _ => reading.add_name(&item),
            }
        }
    }
    (!reading.is_wrong).then_some(reading.conditions)
}

/// The words that were read so far.
#[derive(Default)]
struct Reading {
    conditions: Conditions,
    words: Vec<Word>,
    is_wrong: bool,
}

impl Reading {
    fn add_name(&mut self, value: &Value<'_>) {
        let known = words();
        let names = known.map(|(name, _)| name);
        let word = match value.json {
            Json::Text(text) if !names.iter().any(|name| name.eq_ignore_ascii_case(text.trim())) => {
                let sentence = near_miss::did_you_mean("condition", text, &names);
                let sentence = sentence.unwrap_or_else(|| near_miss::no_such("condition", &names));
                value.findings.violation(Violation::sentence(&value.path, sentence));
                None
            }
            _ => value.choice(&known),
        };
        match word {
            Some(word) => self.add(word, value, None),
            None => self.is_wrong = true,
        }
    }

    /// Adds the members of an object, each of them a word with its parameters.
    fn add_members(&mut self, mut object: Object<'_>) {
        if object.is_empty() {
            object.report(Violation::sentence(object.path(), "name a condition in it, such as failing"));
            self.is_wrong = true;
        }
        for (name, word) in words() {
            let Some(value) = object.value(name) else { continue };
            match value.json {
                Json::Boolean(false) => {}
                Json::Boolean(true) => self.add(word, &value, None),
                Json::Object(_) => {
                    let parameters = value.clone().object();
                    self.add(word, &value, parameters);
                }
                _ => {
                    let _: Option<()> = value.wrong("true, or an object with its parameters");
                    self.is_wrong = true;
                }
            }
        }
        self.is_wrong |= object.has_others();
        object.refuse_others();
    }

    fn add(&mut self, word: Word, value: &Value<'_>, parameters: Option<Object<'_>>) {
        if self.words.contains(&word) {
            let sentence = format!("{} stands twice: keep one", name(word));
            value.findings.violation(Violation::sentence(&value.path, sentence));
            self.is_wrong = true;
        }
        self.words.push(word);
        add_default(&mut self.conditions, word);
        let is_read = parameters.is_none_or(|parameters| read_parameters(&mut self.conditions, word, parameters));
        self.is_wrong |= !is_read;
    }
}

/// Adds a word that stands alone.
fn add_default(conditions: &mut Conditions, word: Word) {
    match word {
        None => conditions.recovered = true,
        Some(Trouble::Failing) => conditions.failing = Some(1),
        Some(Trouble::GivenUp) => conditions.given_up = true,
        Some(Trouble::Ended) => conditions.ended = true,
        Some(Trouble::Late) => conditions.late = Some(Span::from_seconds(LATE_SECONDS)),
        Some(Trouble::Slow) => conditions.slow = Some(Slow::Times(SLOW_TIMES)),
        Some(Trouble::Silent) => conditions.silent = Some(Span::from_seconds(SILENT_SECONDS)),
        Some(Trouble::Stale) => conditions.stale = Some(Span::from_seconds(STALE_SECONDS)),
        Some(Trouble::Expiring) => conditions.expiring = Some(Span::from_seconds(EXPIRING_SECONDS)),
        Some(Trouble::Operator) => conditions.operator = true,
    }
}

/// Reads the parameters of a word, and says whether they are right. One that is not given stays what the word alone means.
fn read_parameters(conditions: &mut Conditions, word: Word, mut parameters: Object<'_>) -> bool {
    let is_right = match word {
        Some(Trouble::Failing) => read_attempts(&mut parameters, &mut conditions.failing),
        Some(Trouble::Late) => read_span(&mut parameters, "after", &mut conditions.late),
        Some(Trouble::Silent) => read_span(&mut parameters, "after", &mut conditions.silent),
        Some(Trouble::Stale) => read_span(&mut parameters, "after", &mut conditions.stale),
        Some(Trouble::Expiring) => read_span(&mut parameters, "within", &mut conditions.expiring),
        Some(Trouble::Slow) => read_slow(&mut parameters, &mut conditions.slow),
        None | Some(Trouble::GivenUp | Trouble::Ended | Trouble::Operator) => {
            if !parameters.is_empty() {
                let sentence = format!("{} has no parameters: write its name alone", name(word));
                parameters.report(Violation::sentence(parameters.path(), sentence));
                return false;
            }
            true
        }
    };
    let has_others = parameters.has_others();
    parameters.refuse_others();
    is_right && !has_others
}

fn read_attempts(parameters: &mut Object<'_>, attempts: &mut Option<u32>) -> bool {
    if !parameters.has("attempts") {
        return true;
    }
    let Some(number) = parameters.integer("attempts") else { return false };
    *attempts = u32::try_from(number).ok();
    if attempts.is_none() {
        parameters.violation("attempts", number, format!("1 to {ALERT_ATTEMPTS_MAX} attempts"));
    }
    attempts.is_some()
}

fn read_span(parameters: &mut Object<'_>, member: &'static str, span: &mut Option<Span>) -> bool {
    if !parameters.has(member) {
        return true;
    }
    let read = parameters.span(member);
    let is_read = read.is_some();
    *span = read.or(span.take());
    is_read
}

fn read_slow(parameters: &mut Object<'_>, slow: &mut Option<Slow>) -> bool {
    match (parameters.has("after"), parameters.has("times")) {
        (false, false) => true,
        (true, true) => {
            let sentence = "after and times exclude each other: keep one";
            parameters.report(Violation::sentence(parameters.path(), sentence));
            parameters.skip(&["after", "times"]);
            false
        }
        (true, false) => {
            let read = parameters.span("after");
            *slow = read.map(Slow::Longer);
            slow.is_some()
        }
        (false, true) => {
            let Some(times) = parameters.integer("times") else { return false };
            *slow = u32::try_from(times).ok().map(Slow::Times);
            if slow.is_none() {
                parameters.violation("times", times, "2 to 100 times the median");
            }
            slow.is_some()
        }
    }
}

/// All words, with what they mean.
fn words() -> [(&'static str, Word); Trouble::ALL.len() + 1] {
    let mut words = [(RECOVERED, None); Trouble::ALL.len() + 1];
    for (word, trouble) in words.iter_mut().zip(Trouble::ALL) {
        *word = (trouble.name(), Some(trouble));
    }
    words
}

fn name(word: Word) -> &'static str {
    word.map_or(RECOVERED, Trouble::name)
}
