//! One field of a cron expression: which values it may hold, and the set that a text means.

use super::Sentence;

/// What one of the fields may hold.
pub(super) struct Field {
    pub(super) name: &'static str,
    /// What one step of the field is.
    pub(super) unit: &'static str,
    pub(super) first: u8,
    pub(super) last: u8,
    /// How many different values there are: both 0 and 7 are Sunday.
    pub(super) size: u8,
    /// Three-letter names of the values.
    names: &'static [&'static str],
}

pub(super) const SECOND: Field = Field::numbers("second", "second", 0, 59);
pub(super) const MINUTE: Field = Field::numbers("minute", "minute", 0, 59);
pub(super) const HOUR: Field = Field::numbers("hour", "hour", 0, 23);
pub(super) const DAY: Field = Field::numbers("day of month", "day", 1, 31);
pub(super) const MONTH: Field = Field { names: &MONTH_NAMES, ..Field::numbers("month", "month", 1, 12) };
pub(super) const WEEKDAY: Field = Field { names: &WEEKDAY_NAMES, size: 7, ..Field::numbers("weekday", "day", 0, 7) };
pub(super) const QUARTZ_WEEKDAY: Field = Field { names: &WEEKDAY_NAMES, ..Field::numbers("weekday", "day", 1, 7) };
const MONTH_NAMES: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAY_NAMES: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Field {
    const fn numbers(name: &'static str, unit: &'static str, first: u8, last: u8) -> Self {
        Self { name, unit, first, last, size: last - first + 1, names: &[] }
    }

    /// The values of a comma-separated list as bits.
    pub(super) fn set(&self, field: &str) -> Result<u64, Sentence> {
        field.split(',').try_fold(0, |set, item| Ok(set | self.item_set(item)?))
    }

    /// The values of one item: `*`, `7`, `1-5`, each with `/n` or without. A range that goes down wraps: `22-6`.
    pub(super) fn item_set(&self, item: &str) -> Result<u64, Sentence> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(self.step(step)?)),
            None => (item, None),
        };
        let end = self.first + self.size - 1;
        let (first, last) = if range == "*" {
            (self.first, end)
        } else if let Some((first, last)) = range.split_once('-') {
            let (first, last) = (self.value(first)?, self.value(last)?);
            (first, if first > last { last + self.size } else { last })
        } else {
            let value = self.value(range)?;
            // Sunday as 7 starts a week like Sunday as 0.
            if step.is_some() { (if value > end { self.first } else { value }, end) } else { (value, value) }
        };
        let folded = |value: u8| if value > self.last { value - self.size } else { value };
        Ok((first..=last).step_by(step.unwrap_or(1).into()).fold(0, |set, value| set | 1 << folded(value)))
    }

    fn step(&self, text: &str) -> Result<u8, Sentence> {
        let step = number(text).filter(|step| (1..=self.size).contains(step));
        step.ok_or_else(|| {
            let advice = if number(text).is_some_and(|step| step > self.size) {
                self.longer_interval(text)
            } else {
                String::new()
            };
            self.takes(&format!("a step from 1 to {} after /, not {text:?}{advice}", self.size))
        })
    }

    /// Says how to ask for an interval that is no fraction of the field.
    pub(super) fn longer_interval(&self, number: &str) -> String {
        let frequency = match self.unit {
            "minute" => "Minute",
            "hour" => "Hour",
            "day" => "Day",
            "month" => "Month",
            _ => return String::new(),
        };
        format!("; every {number} {}s is frequency {frequency} with interval {number}, without cron", self.unit)
    }

    /// A number or a name.
    pub(super) fn value(&self, text: &str) -> Result<u8, Sentence> {
        let named = self.names.iter().position(|name| text.eq_ignore_ascii_case(name));
        let value = match named {
            Some(at) => u8::try_from(at).ok().map(|at| at + self.first),
            None => number(text).filter(|value| (self.first..=self.last).contains(value)),
        };
        value.ok_or_else(|| self.takes(&self.hint(text)))
    }

    /// What to write instead, with other dialects of cron in mind.
    fn hint(&self, text: &str) -> String {
        match text {
            "" => "a value before and after each comma and hyphen, without blanks".to_owned(),
            "?" => "* for any value; ? stands alone for the day of month or the weekday, the fourth and sixth of six fields, \
                    which begin with seconds"
                .to_owned(),
            "L" | "l" => "L only as a day of the month, or after a weekday: 5L".to_owned(),
            "W" | "w" => "W only after a day of the month: 15W, or LW".to_owned(),
            text => format!("{}, not {text:?}", self.values()),
        }
    }

    fn values(&self) -> String {
        let (first, last) = (self.first, self.last);
        match self.names {
            [] => format!("{first} to {last}"),
            [name, ..] => format!("{first} to {last} or a name such as {name}"),
        }
    }

    /// The sentence that says what the field takes.
    pub(super) fn takes(&self, expected: &str) -> Sentence {
        format!("the {} field takes {expected}", self.name)
    }
}

/// One or two digits: no sign, no blanks.
pub(super) fn number(text: &str) -> Option<u8> {
    let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}
