//! When a schedule of EventBridge runs.

use punctual_arm::{Json, Value};
use punctual_model::time::{DateTime, Timestamp, Zone};

use super::source::Schedule;
use crate::draft::Draft;

/// Puts start and recurrence into the job.
pub(super) fn put_into(schedule: &Schedule, draft: &mut Draft) -> Result<(), String> {
    let line = draft.line;
    let expression = schedule.expression.trim();
    let inside = |name: &str| expression.strip_prefix(name).and_then(|rest| rest.strip_suffix(')'));
    let zone = schedule.zone.as_deref().filter(|zone| !zone.is_empty());
    let mut recurrence = if let Some(at) = inside("at(") {
        let zone =
            zone.map_or(Ok(Zone::utc()), Zone::find).map_err(|expected| format!("its zone must be {expected}"))?;
        let written = DateTime::parse(at.trim()).map_err(|expected| format!("its time {at:?} must be {expected}"))?;
        draft.set("startTime", Json::new(line, written.resolve(zone).instant().to_string()));
        return Ok(());
    } else if let Some(rate) = inside("rate(") {
        self::rate(rate, line).ok_or_else(|| format!("rate({rate}) is no number of minutes, hours or days"))?
    } else if let Some(cron) = inside("cron(") {
        self::cron(cron, zone, line)?
    } else {
        return Err(format!("its expression {expression:?} is neither at(…), rate(…) nor cron(…)"));
    };
    if let Some(end) = &schedule.end {
        recurrence.set("endTime", instant(end)?);
    }
    if let Some(start) = &schedule.start {
        draft.set("startTime", instant(start)?);
    }
    draft.set("recurrence", recurrence);
    if let Some(minutes) = schedule.window.filter(|minutes| *minutes > 0) {
        draft.set_in("options", "jitter", format!("PT{minutes}M"));
        draft.near(format!(
            "it started somewhere within {minutes} minutes, here always at the same point of them (jitter)"
        ));
    }
    Ok(())
}

fn rate(text: &str, line: u32) -> Option<Json> {
    let (number, unit) = text.trim().split_once(' ')?;
    let frequency = match unit.trim().trim_end_matches('s') {
        "minute" => "Minute",
        "hour" => "Hour",
        "day" => "Day",
        _ => return None,
    };
    let interval: i64 = number.parse().ok()?;
    Some(Json::object(
        line,
        [("frequency", Some(Json::new(line, frequency))), ("interval", Some(Json::new(line, interval)))],
    ))
}

/// Six fields: those of Quartz, without seconds and with a year.
fn cron(text: &str, zone: Option<&str>, line: u32) -> Result<Json, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [minute, hour, day, month, weekday, year] = fields.as_slice() else {
        return Err(format!("cron({text}) has {} fields, and 6 are needed", fields.len()));
    };
    if *year != "*" {
        return Err(format!("it runs in some years only ({year}): give the job a start and an end instead"));
    }
    let quartz = format!("0 {minute} {hour} {day} {month} {weekday}");
    let members = [
        ("cron", Some(Json::new(line, quartz))),
        ("cronDialect", Some(Json::new(line, "quartz"))),
        ("timeZone", zone.map(|zone| Json::new(line, zone))),
    ];
    Ok(Json::object(line, members))
}

/// An instant as AWS CLI writes it: a text, or seconds.
fn instant(json: &Json) -> Result<Json, String> {
    let seconds = match &json.value {
        Value::Text(text) => return Ok(Json::new(json.line, text.as_str())),
        Value::Integer(seconds) => Some(*seconds),
        #[expect(clippy::cast_possible_truncation, reason = "saturates, and is checked by the next step")]
        Value::Float(seconds) => Some(*seconds as i64),
        _ => None,
    };
    let at = seconds.and_then(Timestamp::from_seconds).ok_or("its start or end is no instant")?;
    Ok(Json::new(json.line, at.to_string()))
}
