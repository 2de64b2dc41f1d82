//! When a line of a crontab runs.

use punctual_arm::Json;

use crate::cron_field::{is_every_minute_of_an_hour, values};
use crate::draft::Draft;
use crate::shell::Prefixes;

/// Puts the recurrence into the job.
pub(super) fn put_into(time: &str, prefixes: &Prefixes, zone: Option<&str>, draft: &mut Draft) -> Result<(), String> {
    let line = draft.line;
    let fields: Vec<&str> = time.split_whitespace().collect();
    if is_every_minute_of_an_hour(&fields) {
        draft.near(format!(
            "it runs in every minute of the hour {}, 60 times, as in cron; if once was meant: 0 {}",
            fields[1],
            fields[1..].join(" ")
        ));
    }
    let mut recurrence = if prefixes.is_last_day {
        last_day(&fields, line)?
    } else {
        let cron = match prefixes.sleep_seconds.filter(|seconds| *seconds > 0) {
            Some(_) if time.starts_with('@') => {
                return Err("it sleeps after a nickname: write the time as five fields".to_owned());
            }
            Some(seconds) => format!("{seconds} {}", fields.join(" ")),
            None => fields.join(" "),
        };
        Json::object(line, [("cron", Some(Json::new(line, cron)))])
    };
    if let Some(zone) = zone.filter(|zone| !zone.is_empty()) {
        recurrence.set("timeZone", Json::new(line, zone));
    }
    draft.set("recurrence", recurrence);
    Ok(())
}

/// The idiom "28 to 31, if tomorrow is the first": the last day of a month.
fn last_day(fields: &[&str], line: u32) -> Result<Json, String> {
    let [minutes, hours, days, months, weekdays] = fields else {
        return Err("it runs if tomorrow is the first, and its time is no five fields".to_owned());
    };
    let days = values(days, 1, 31).filter(|days| (28..=31).all(|day| days.contains(&day)));
    let lists = (values(minutes, 0, 59), values(hours, 0, 23), values(months, 1, 12), days);
    let (Some(minutes), Some(hours), Some(months), Some(_)) = lists else {
        return Err("it runs if tomorrow is the first, but not on all of the days 28 to 31".to_owned());
    };
    if *weekdays != "*" {
        return Err("it runs if tomorrow is the first, on some weekdays only".to_owned());
    }
    let list = |numbers: Vec<i64>| {
        Some(Json::new(line, numbers.into_iter().map(|number| Json::new(line, number)).collect::<Vec<_>>()))
    };
    let schedule = Json::object(
        line,
        [
            ("minutes", list(minutes)),
            ("hours", list(hours)),
            ("monthDays", list(vec![-1])),
            ("months", if months.len() == 12 { None } else { list(months) }),
        ],
    );
    Ok(Json::object(line, [("frequency", Some(Json::new(line, "Month"))), ("schedule", Some(schedule))]))
}
