//! Dates.

use punctual_model::Violation;
use punctual_model::time::{DateTime, TICKS_PER_SECOND, Timestamp, Zone};

use super::{Answer, Call};
use crate::date_format;
use crate::json::Value;

pub(super) const NAMES: &[&str] = &["utcnow", "datetimeadd", "datetimefromepoch", "datetimetoepoch"];

/// How `utcNow()` writes an instant where nothing is said.
const FORMAT_DEFAULT: &str = "yyyyMMddTHHmmssZ";
/// How `dateTimeAdd()` does.
const ADDED_FORMAT_DEFAULT: &str = "yyyy-MM-ddTHH:mm:ssZ";

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    match name {
        "utcnow" => {
            let format = if call.arguments.is_empty() { FORMAT_DEFAULT } else { call.text(0)? };
            call.made(written(call.evaluator.now, format, call)?)
        }
        "datetimeadd" => {
            let base = instant(call.text(0)?, call)?;
            let format = if call.arguments.len() > 2 { call.text(2)? } else { ADDED_FORMAT_DEFAULT };
            let later = date_format::add(base, call.text(1)?);
            let later = later.ok_or_else(|| call.wrong("a text", "a duration of ISO 8601 such as P3D or -PT9H"))?;
            call.made(written(later, format, call)?)
        }
        "datetimefromepoch" => {
            let seconds = call.integer(0)?;
            let at = Timestamp::from_seconds(seconds).ok_or_else(|| call.wrong(seconds, "seconds of our age"))?;
            call.made(written(at, ADDED_FORMAT_DEFAULT, call)?)
        }
        "datetimetoepoch" => {
            Ok(Some(Value::Integer(instant(call.text(0)?, call)?.ticks().div_euclid(TICKS_PER_SECOND))))
        }
        _ => Ok(None),
    }
}

fn instant(text: &str, call: &Call<'_>) -> Result<Timestamp, Violation> {
    let known = DateTime::parse(text).ok().map(|written| written.resolve(Zone::utc()).instant());
    let known = known.or_else(|| date_format::read_compact(text));
    known.ok_or_else(|| call.wrong(format!("{text:?}"), "a date-time such as 2026-01-31T08:00:00Z"))
}

fn written(at: Timestamp, format: &str, call: &Call<'_>) -> Result<String, Violation> {
    date_format::write(at, format).ok_or_else(|| {
        let expected = "a format of yyyy, MM, dd, HH, mm, ss, f and literal characters, or one of d, o, r, s, u";
        call.wrong(format!("{format:?}"), expected)
    })
}
