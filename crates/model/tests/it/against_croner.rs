//! The model and the `croner` crate read the same expressions alike, where their rules are the same.
//!
//! They are not the same in these places, which are left out here:
//!
//! - A time that does not exist runs when the gap ends in croner (02:30 at 03:00), and later by the gap here (03:30);
//!   what exists twice differs, too. So nothing within a day of a change of the clock is compared.
//! - A day field that begins with a star but is more than one (`*/2`) counts as a star here, as in Debian's cron, so
//!   that both day fields must hold. Croner takes it as a list, and one of the two is enough.
//! - Sunday as 7: croner takes `7L` and `7#2` for no day at all, and `sun-sun` for the whole week.
//! - Croner reads no ranges that wrap. These, steps without a range, `L-3` and `W` are compared with the oracle only.
//! - Croner sees zones through chrono-tz, whose database may be older than ours: the zones compared are settled ones,
//!   and the years lie in the past.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::parser::{CronParser, Seconds};
use jiff::Timestamp as Instant;
use proptest::prelude::*;
use proptest::sample::select;
use punctual_model::recurrence::CronDialect;
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, Timestamp, Zone};

use crate::arbitrary;
use crate::crontab::Crontab;
use crate::definition::Definition;

const CASES: u32 = 5_000;
const ZONES: [&str; 5] = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Tokyo"];
/// 2000-01-01 and 2022-01-01.
const SECONDS: std::ops::Range<i64> = 946_684_800..1_640_995_200;

fn config() -> ProptestConfig {
    ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn in_utc(cron in arbitrary::shared_cron(), second in SECONDS) {
        compare(&cron, "UTC", second)?;
    }

    #[test]
    fn in_settled_zones(cron in arbitrary::shared_cron(), zone in select(&ZONES[..]), second in SECONDS) {
        compare(&cron, zone, second)?;
    }
}

fn compare(cron: &str, zone: &str, second: i64) -> Result<(), TestCaseError> {
    let cron = in_shared_words(cron);
    let start = Timestamp::from_seconds(second).expect("a second of our age");
    let until = start.saturating_add(window_hours(&cron) * TICKS_PER_HOUR);
    let definition = Definition { cron: Some(cron.clone()), zone: Some(zone.to_owned()), ..Definition::default() };
    let ours: Vec<_> = match definition.timetable(start) {
        Some(timetable) => timetable.occurrences(start..until).collect(),
        None => vec![],
    };
    let theirs = croner(&cron, zone, start, until);
    let zone = Zone::find(zone).expect("a zone");
    let is_compared = |at: &Timestamp| !is_near_change(zone, *at);
    let (ours, theirs): (Vec<_>, Vec<_>) =
        (ours.into_iter().filter(is_compared).collect(), theirs.into_iter().filter(is_compared).collect());
    prop_assert_eq!(ours, theirs, "{} in {:?}", cron, zone);
    Ok(())
}

/// What croner finds after `start` and before `until`.
fn croner(cron: &str, zone: &str, start: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let cron = CronParser::builder().seconds(Seconds::Optional).build().parse(cron).expect("croner reads it, too");
    let zone: Tz = zone.parse().expect("a zone");
    let start = DateTime::<Utc>::from_timestamp(start.seconds(), 0).expect("a second of our age").with_timezone(&zone);
    let points = cron.iter_after(start).map(|at| Timestamp::from_seconds(at.timestamp()).expect("a second of our age"));
    points.take_while(|at| *at < until).collect()
}

/// The expression with plain stars where a day field is a stepped one, and with Sunday as both understand it.
fn in_shared_words(cron: &str) -> String {
    let mut fields: Vec<_> = cron.split(' ').map(str::to_ascii_lowercase).collect();
    if let [.., day, _, weekday] = &mut fields[..] {
        for field in [day, weekday].into_iter().filter(|field| field.starts_with("*/")) {
            "*".clone_into(field);
        }
    }
    if let [_, .., weekday] = &mut fields[..] {
        *weekday = weekday.replace("7l", "0l").replace("7#", "0#").replace("sun-sun", "0-0");
    }
    fields.join(" ").replace("@midnight", "@daily")
}

fn window_hours(cron: &str) -> i64 {
    let cron = Crontab::parse(cron, CronDialect::default());
    let a_day = cron.hours.len() * cron.minutes.len() * cron.seconds.len();
    (24 * 1500 / i64::try_from(a_day).expect("a few thousand")).max(2)
}

fn is_near_change(zone: Zone, at: Timestamp) -> bool {
    let span = zone.span_at(at.ticks());
    at.ticks().saturating_sub(span.start) < TICKS_PER_DAY || span.end.saturating_sub(at.ticks()) < TICKS_PER_DAY
}

/// The difference that matters most, as each of the two sees it.
#[test]
fn a_gap_is_where_they_differ() {
    let start: Instant = "2021-03-28T00:00:00Z".parse().expect("an instant");
    let start = Timestamp::from_seconds(start.as_second()).expect("a second of our age");
    let day = start..start.saturating_add(TICKS_PER_DAY / 2);
    let zone = "Europe/Berlin";
    let definition =
        Definition { cron: Some("30 2 * * *".to_owned()), zone: Some(zone.to_owned()), ..Definition::default() };
    let timetable = definition.timetable(start).expect("it runs");
    let ours: Vec<_> = timetable.occurrences(day.clone()).map(|at| at.to_string()).collect();
    let theirs: Vec<_> = croner("30 2 * * *", zone, day.start, day.end).iter().map(ToString::to_string).collect();
    assert_eq!(ours, ["2021-03-28T01:30:00Z"]);
    assert_eq!(theirs, ["2021-03-28T01:00:00Z"]);
}
