//! Cron expressions, read into the same field sets as every other recurrence.
//!
//! Five fields as Debian's cron reads them (minute, hour, day of month, month, weekday), or six with seconds first.
//! Beyond Debian's: `L` for the last day of the month, `5L` for the last Friday, `5#3` for the third.

use super::bits::bits;
use super::month_days::{MonthDays, Pick};
use super::months::MonthSet;
use crate::time::Weekday;
use crate::{Expected, limits};

/// A cron expression. Two are equal if their fields hold the same values, however they are written.
#[derive(Clone, Debug)]
pub struct Cron {
    text: Box<str>,
    pub(super) fields: CronFields,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CronFields {
    pub(super) seconds: u64,
    pub(super) minutes: u64,
    pub(super) hours: u32,
    /// The hour is `*`: every hour that exists, not twenty-four hours by name.
    pub(super) every_hour: bool,
    pub(super) months: MonthSet,
    pub(super) days: Pick,
}

impl Cron {
    /// Reads an expression; says which field is wrong and what it may hold.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        if text.len() > limits::CRON_CHARS_MAX {
            return Err(Expected::new(format!("at most {} characters", limits::CRON_CHARS_MAX)));
        }
        let trimmed = text.trim();
        if trimmed.starts_with("TZ=") || trimmed.starts_with("CRON_TZ=") {
            return Err(Expected::new("an expression without a time zone, which has a member of its own: timeZone"));
        }
        let expression = if trimmed.starts_with('@') { nickname(trimmed)? } else { trimmed };
        let fields = parse_fields(expression)?;
        Ok(Self { text: trimmed.into(), fields })
    }

    /// As it was written.
    pub fn as_written(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Cron {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

impl Eq for Cron {}

fn nickname(text: &str) -> Result<&'static str, Expected> {
    match text.to_ascii_lowercase().as_str() {
        "@yearly" | "@annually" => Ok("0 0 1 1 *"),
        "@monthly" => Ok("0 0 1 * *"),
        "@weekly" => Ok("0 0 * * 0"),
        "@daily" | "@midnight" => Ok("0 0 * * *"),
        "@hourly" => Ok("0 * * * *"),
        _ => Err(Expected::new("@yearly, @monthly, @weekly, @daily or @hourly, or five or six fields")),
    }
}

fn parse_fields(expression: &str) -> Result<CronFields, Expected> {
    let mut fields: Vec<&str> = expression.split_ascii_whitespace().collect();
    if fields.len() == 5 {
        fields.insert(0, "0");
    }
    let [second, minute, hour, day, month, weekday] = fields[..] else {
        return Err(Expected::new(format!(
            "five fields (minute, hour, day of month, month, weekday) or six with seconds first, not {}",
            fields.len()
        )));
    };
    Ok(CronFields {
        seconds: SECOND.set(second)?,
        minutes: MINUTE.set(minute)?,
        hours: u32::try_from(HOUR.set(hour)?).expect("24 bits"),
        every_hour: is_every(hour),
        months: MonthSet::of(&small_bits(MONTH.set(month)?).collect::<Vec<_>>()),
        days: pick(day, weekday)?,
    })
}

/// Day of month and weekday: either one is enough, unless one of them begins with `*`; then both must hold.
fn pick(day: &str, weekday: &str) -> Result<Pick, Expected> {
    let days = month_days(day)?;
    let weekdays = weekdays(weekday)?;
    Ok(match (day.starts_with('*'), weekday.starts_with('*')) {
        (_, true) if is_every(weekday) => Pick::Named(days),
        (true, _) if is_every(day) => Pick::Named(weekdays),
        (true, _) | (_, true) => Pick::Both(days, weekdays),
        (false, false) => Pick::Named(days.or(&weekdays)),
    })
}

fn is_every(field: &str) -> bool {
    matches!(field, "*" | "*/1")
}

fn month_days(field: &str) -> Result<MonthDays, Expected> {
    let mut days = MonthDays::default();
    for item in field.split(',') {
        if item.eq_ignore_ascii_case("l") {
            days.add_day(-1);
        } else {
            for day in small_bits(DAY.item_set(item)?) {
                days.add_day(i8::try_from(day).expect("at most 31"));
            }
        }
    }
    Ok(days)
}

fn weekdays(field: &str) -> Result<MonthDays, Expected> {
    let mut days = MonthDays::default();
    for item in field.split(',') {
        if let Some((weekday, which)) = item.split_once('#') {
            let which =
                number(which).and_then(|which| i8::try_from(which).ok()).filter(|which| (1..=5).contains(which));
            let which = which.ok_or_else(|| WEEKDAY.wrong("a number from 1 to 5 after #"))?;
            days.add_weekday(weekday_named(WEEKDAY.value(weekday)?), Some(which));
        } else if let Some(weekday) = item.strip_suffix(['L', 'l']).filter(|weekday| !weekday.is_empty()) {
            days.add_weekday(weekday_named(WEEKDAY.value(weekday)?), Some(-1));
        } else {
            for weekday in small_bits(WEEKDAY.item_set(item)?) {
                days.add_weekday(weekday_named(weekday), None);
            }
        }
    }
    Ok(days)
}

/// Cron's weekdays start with Sunday, which is 0 and 7.
fn weekday_named(number: u8) -> Weekday {
    Weekday::ALL[usize::from((number + 6) % 7)]
}

fn small_bits(set: u64) -> impl Iterator<Item = u8> {
    bits(set).map(|bit| u8::try_from(bit).expect("a bit of 64"))
}

/// What one of the fields may hold.
struct Field {
    name: &'static str,
    first: u8,
    last: u8,
    /// Three-letter names of the values, from `first` on.
    names: &'static [&'static str],
}

const SECOND: Field = Field { name: "second", first: 0, last: 59, names: &[] };
const MINUTE: Field = Field { name: "minute", first: 0, last: 59, names: &[] };
const HOUR: Field = Field { name: "hour", first: 0, last: 23, names: &[] };
const DAY: Field = Field { name: "day of month", first: 1, last: 31, names: &[] };
const MONTH: Field = Field { name: "month", first: 1, last: 12, names: &MONTH_NAMES };
const WEEKDAY: Field = Field { name: "weekday", first: 0, last: 7, names: &WEEKDAY_NAMES };
const MONTH_NAMES: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAY_NAMES: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Field {
    /// The values of a comma-separated list as bits.
    fn set(&self, field: &str) -> Result<u64, Expected> {
        field.split(',').try_fold(0, |set, item| Ok(set | self.item_set(item)?))
    }

    /// The values of one item: `*`, `7`, `1-5`, each of the two ranges with `/n`.
    fn item_set(&self, item: &str) -> Result<u64, Expected> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(self.step(step)?)),
            None => (item, None),
        };
        let (first, last) = if range == "*" {
            (self.first, self.last)
        } else if let Some((first, last)) = range.split_once('-') {
            let first = self.value(first)?;
            (first, self.range_end(first, last)?)
        } else {
            let value = self.value(range)?;
            if step.is_some() {
                return Err(self.wrong(&format!(
                    "a range before the step, such as {value}-{}/{}",
                    self.last,
                    &item[range.len() + 1..]
                )));
            }
            (value, value)
        };
        if first > last {
            return Err(self.wrong(&format!("a range that goes up, not {range}")));
        }
        Ok((first..=last).step_by(step.unwrap_or(1)).fold(0, |set, value| set | 1 << value))
    }

    fn step(&self, text: &str) -> Result<usize, Expected> {
        let longest = usize::from(self.last - self.first) + 1;
        number(text)
            .map(usize::from)
            .filter(|step| (1..=longest).contains(step))
            .ok_or_else(|| self.wrong(&format!("a step from 1 to {longest} after /")))
    }

    /// A range may end on Sunday by name although Sunday comes first: `fri-sun`.
    fn range_end(&self, first: u8, text: &str) -> Result<u8, Expected> {
        let end = self.value(text)?;
        let is_sunday_by_name = self.last == 7 && end == 0 && number(text).is_none();
        Ok(if is_sunday_by_name && first > 0 { 7 } else { end })
    }

    fn value(&self, text: &str) -> Result<u8, Expected> {
        let named = self.names.iter().position(|name| text.eq_ignore_ascii_case(name));
        let value = match named {
            Some(at) => u8::try_from(at).ok().map(|at| at + self.first),
            None => number(text).filter(|value| (self.first..=self.last).contains(value)),
        };
        value.ok_or_else(|| self.wrong(&self.hint(text)))
    }

    /// What to write instead, with other dialects of cron in mind.
    fn hint(&self, text: &str) -> String {
        match text {
            "" => "a value before and after each comma and hyphen, without blanks".to_owned(),
            "?" => "* for any value, not \"?\"".to_owned(),
            "L" | "l" => "L alone as a day of the month, or after a weekday: 5L".to_owned(),
            text if text.ends_with(['W', 'w']) => {
                format!("a day by its number; {text:?} (nearest weekday) is not known here")
            }
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

    fn wrong(&self, expected: &str) -> Expected {
        Expected::new(format!("in the {} field {expected}", self.name))
    }
}

/// One or two digits: no sign, no blanks.
fn number(text: &str) -> Option<u8> {
    let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}
