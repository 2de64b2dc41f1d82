//! In which zone instants are shown.

use std::fs;
use std::path::Path;

use clap::{Args, ValueEnum};
use punctual_model::time::{DateTime, TICKS_PER_MINUTE, Timestamp, Zone};
use serde_json::Value;

use super::remote::variable;

/// In which zone instants are shown.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Times {
    /// The zone that times are shown in
    #[arg(long, value_enum, default_value = "job", value_name = "ZONE")]
    times: WhoseZone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhoseZone {
    /// The time zone of the job, or UTC where it has none
    Job,
    /// The time zone of this machine
    Local,
    /// UTC
    Utc,
}

impl Times {
    /// The zone in which the instants of a job are shown.
    pub(crate) fn zone(self, job: &Value) -> Zone {
        match self.times {
            WhoseZone::Job => zone_of(job),
            WhoseZone::Local => local_zone(),
            WhoseZone::Utc => Zone::utc(),
        }
    }

    /// An instant of an answer, or a mark where there is none.
    pub(crate) fn show(self, instant: &Value, job: &Value) -> String {
        match instant.as_str() {
            Some(text) => parse(text).map_or_else(|| text.to_owned(), |at| written(at, self.zone(job))),
            None => "-".to_owned(),
        }
    }
}

/// The time zone of a job, as its recurrence has it.
pub(crate) fn zone_of(job: &Value) -> Zone {
    let name = job["recurrence"]["timeZone"].as_str();
    name.and_then(|name| Zone::find(name).ok()).unwrap_or_else(Zone::utc)
}

/// An instant as the API writes it.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    DateTime::parse(text).ok().map(|written| written.resolve(Zone::utc()).instant())
}

/// An instant to the second, with the time and the offset of that zone.
pub(crate) fn written(at: Timestamp, zone: Zone) -> String {
    let wall = zone.wall(at);
    let (date, (hour, minute, second)) = (wall.date(), wall.time());
    let (year, month, day) = (date.year, date.month.number(), date.day);
    let time = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if zone.name() == Zone::utc().name() {
        return format!("{time}Z");
    }
    let minutes = (wall.ticks() - at.ticks()) / TICKS_PER_MINUTE;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{time}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

/// The time zone of this machine, as `TZ` or its files have it; UTC where neither does.
pub(crate) fn local_zone() -> Zone {
    let of_variable = variable("TZ").map(|name| name.trim_start_matches(':').to_owned());
    let of_link = || {
        let link = fs::read_link("/etc/localtime").ok()?;
        link.to_str()?.split_once("zoneinfo/").map(|(_, name)| name.to_owned())
    };
    let of_file = || fs::read_to_string(Path::new("/etc/timezone")).ok().map(|text| text.trim().to_owned());
    let name = of_variable.or_else(of_link).or_else(of_file);
    name.and_then(|name| Zone::find(&name).ok()).unwrap_or_else(Zone::utc)
}

#[cfg(test)]
mod tests {
    use punctual_model::time::{Timestamp, Zone};

    use super::{parse, written};

    #[test]
    fn instants_are_written_with_their_offset() {
        let at = Timestamp::from_seconds(1_774_000_000).unwrap();
        let texts = ["UTC", "Europe/Prague", "America/St_Johns"].map(|zone| written(at, Zone::find(zone).unwrap()));
        assert_eq!(texts, ["2026-03-20T09:46:40Z", "2026-03-20T10:46:40+01:00", "2026-03-20T07:16:40-02:30"]);
        assert_eq!(texts.map(|text| parse(&text)), [Some(at); 3]);
    }
}
