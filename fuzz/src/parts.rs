//! Recurrences and instants, made of bytes.
//!
//! Most of what comes out is valid, or it would be refused before it gets anywhere; a few numbers just outside of what
//! is allowed see to it that refusing works, too.

use punctual_model::recurrence::{CronDialect, Frequency, Parts, ScheduleParts};
use punctual_model::time::{DateTime, TICKS_PER_SECOND, Timestamp, Weekday};

use crate::Bytes;

/// Half hours, gaps at midnight, a skipped day, a second summer time within summer time, and rules listed to 2087.
const ZONES: [&str; 14] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Europe/Dublin",
    "Antarctica/Troll",
    "America/St_Johns",
    "Africa/Monrovia",
    "Asia/Tehran",
    "Central Europe Standard Time",
];

/// The members of a recurrence.
pub fn recurrence_parts(bytes: &mut Bytes<'_>) -> Parts {
    let is_cron = bytes.below(4) == 0;
    Parts {
        time_zone: bytes.maybe(|bytes| bytes.one_of(&ZONES).to_owned()),
        end_time: bytes.maybe(end_time).flatten(),
        count: bytes.maybe(|bytes| bytes.below(256) as i64),
        cron: is_cron.then(|| cron(bytes)),
        cron_dialect: if is_cron { bytes.maybe(|bytes| bytes.one_of(&CronDialect::ALL)) } else { None },
        frequency: (!is_cron).then(|| bytes.one_of(&Frequency::ALL)),
        interval: if is_cron { None } else { bytes.maybe(|bytes| interval(bytes)) },
        schedule: if is_cron { None } else { bytes.maybe(schedule) },
    }
}

/// An instant, mostly of the years that matter and sometimes any at all.
pub fn instant(bytes: &mut Bytes<'_>) -> Timestamp {
    let now = 1_800_000_000;
    match bytes.below(8) {
        0 => Timestamp::EPOCH.saturating_add(bytes.number()),
        1 => Timestamp::MAX.saturating_add(-i64::from(bytes.byte()) << bytes.below(48)),
        2 => Timestamp::MIN.saturating_add(i64::from(bytes.byte()) << bytes.below(48)),
        3 => Timestamp::EPOCH.saturating_add((now * TICKS_PER_SECOND).wrapping_add(bytes.number() >> 8)),
        _ => {
            let seconds = now + (bytes.number() >> 34);
            Timestamp::from_seconds(seconds).expect("within forty years of now")
        }
    }
}

fn end_time(bytes: &mut Bytes<'_>) -> Option<DateTime> {
    DateTime::parse(&instant(bytes).to_string()).ok()
}

fn interval(bytes: &mut Bytes<'_>) -> i64 {
    match bytes.below(4) {
        0 => i64::from(bytes.byte()) << bytes.below(4),
        _ => 1 + bytes.below(20) as i64,
    }
}

fn schedule(bytes: &mut Bytes<'_>) -> ScheduleParts {
    ScheduleParts {
        minutes: bytes.list(4, |bytes| bytes.below(61) as i64 - i64::from(bytes.below(64) == 0)),
        hours: bytes.list(4, |bytes| bytes.below(24) as i64),
        week_days: bytes.list(3, |bytes| bytes.one_of(&Weekday::ALL)),
        month_days: bytes.list(4, |bytes| bytes.below(63) as i64 - 31),
        monthly_occurrences: bytes
            .list(3, |bytes| (bytes.one_of(&Weekday::ALL), bytes.maybe(|bytes| bytes.below(11) as i64 - 5))),
        months: bytes.list(4, |bytes| bytes.below(13) as i64),
    }
}

/// Five or six fields. The target `cron` reads text that is not even that.
fn cron(bytes: &mut Bytes<'_>) -> String {
    let has_seconds = bytes.below(4) == 0;
    let limits = [(0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 7)];
    let fields = limits.iter().skip(usize::from(!has_seconds));
    fields.map(|(first, last)| cron_field(bytes, *first, *last)).collect::<Vec<_>>().join(" ")
}

fn cron_field(bytes: &mut Bytes<'_>, first: usize, last: usize) -> String {
    let value = |bytes: &mut Bytes<'_>| first + bytes.below(last - first + 1);
    match bytes.below(8) {
        0..=2 => "*".to_owned(),
        3 => format!("*/{}", 1 + bytes.below(last)),
        4 => format!("{}-{last}/{}", value(bytes), 1 + bytes.below(last)),
        5 if last == 31 => "L".to_owned(),
        5 if last == 7 => format!("{}#{}", value(bytes), 1 + bytes.below(5)),
        6 if last == 7 => format!("{}L", value(bytes)),
        5 => format!("{},{}", value(bytes), value(bytes)),
        _ => value(bytes).to_string(),
    }
}
