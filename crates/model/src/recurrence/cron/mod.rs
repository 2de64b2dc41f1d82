//! Cron expressions, read into the same field sets as every other recurrence.
//!
//! Five fields as Debian's cron reads them (minute, hour, day of month, month, weekday), or six with seconds first; or six
//! or seven as Quartz reads them. Beyond Debian's, in both: `?`, `5/15` (from 5 to the end), ranges that wrap (`22-6`),
//! `L`, `L-3`, `15W`, `LW` for days of the month, `5L` and `5#3` for weekdays.

mod days;
mod dialect;
mod field;
mod oddities;

use super::bits::bits;
use super::month_days::Pick;
use super::months::MonthSet;
use crate::{Violation, limits};
pub use dialect::CronDialect;
use field::{HOUR, MINUTE, MONTH, SECOND};

/// A cron expression. Two are equal if their fields hold the same values, however they are written.
#[derive(Clone, Debug)]
pub struct Cron {
    text: Box<str>,
    dialect: CronDialect,
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

/// What is wrong with an expression, as a sentence for [`Violation::sentence`].
type Sentence = String;

impl Cron {
    /// Reads an expression; says which field is wrong and what it may hold. The path of the violation is `cron`.
    pub fn parse(text: &str, dialect: CronDialect) -> Result<Self, Violation> {
        let trimmed = text.trim();
        let fields = parse_fields(trimmed, dialect).map_err(|sentence| Violation::sentence("cron", sentence))?;
        Ok(Self { text: trimmed.into(), dialect, fields })
    }

    /// The expression as it was written.
    pub fn as_written(&self) -> &str {
        &self.text
    }

    /// Whose rules the expression follows.
    pub fn dialect(&self) -> CronDialect {
        self.dialect
    }

    /// What the expression means although it looks like something else, one sentence each.
    pub fn oddities(&self) -> Vec<String> {
        split(&self.text, self.dialect).map(|fields| oddities::of(fields, self)).unwrap_or_default()
    }
}

impl PartialEq for Cron {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

impl Eq for Cron {}

fn parse_fields(text: &str, dialect: CronDialect) -> Result<CronFields, Sentence> {
    let [second, minute, hour, day, month, weekday] = split(text, dialect)?;
    Ok(CronFields {
        seconds: SECOND.set(second)?,
        minutes: MINUTE.set(minute)?,
        hours: u32::try_from(HOUR.set(hour)?).expect("24 bits"),
        every_hour: matches!(hour, "*" | "*/1" | "0/1"),
        months: MonthSet::of(&small_bits(MONTH.set(month)?).collect::<Vec<_>>()),
        days: days::pick(day, weekday, dialect)?,
    })
}

/// The six fields of an expression, seconds first.
fn split(text: &str, dialect: CronDialect) -> Result<[&str; 6], Sentence> {
    if text.len() > limits::CRON_CHARS_MAX {
        return Err(format!("an expression has at most {} characters, not {}", limits::CRON_CHARS_MAX, text.len()));
    }
    if text.starts_with("TZ=") || text.starts_with("CRON_TZ=") {
        return Err("the time zone has a member of its own: timeZone".to_owned());
    }
    if text.starts_with('@') {
        return nickname(text);
    }
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    dialect.six_of(&fields)
}

fn nickname(text: &str) -> Result<[&'static str; 6], Sentence> {
    match text.to_ascii_lowercase().as_str() {
        "@yearly" | "@annually" => Ok(["0", "0", "0", "1", "1", "*"]),
        "@monthly" => Ok(["0", "0", "0", "1", "*", "*"]),
        "@weekly" => Ok(["0", "0", "0", "*", "*", "sun"]),
        "@daily" | "@midnight" => Ok(["0", "0", "0", "*", "*", "*"]),
        "@hourly" => Ok(["0", "0", "*", "*", "*", "*"]),
        "@reboot" => Err("@reboot means the start of a machine, and a job here belongs to no machine: \
             name the times, or start the job with run"
            .to_owned()),
        other if other.starts_with("@every") => {
            Err("an interval has members of its own: frequency and interval, without cron".to_owned())
        }
        _ => Err(format!(
            "{text:?} is not known: use @yearly, @monthly, @weekly, @daily or @hourly, or five or six fields"
        )),
    }
}

fn small_bits(set: u64) -> impl Iterator<Item = u8> {
    bits(set).map(|bit| u8::try_from(bit).expect("a bit of 64"))
}
