//! One implementation at work on one schedule in one zone.

use std::hint::black_box;
use std::str::FromStr;

use chrono::{DateTime, TimeZone, Utc};
use punctual_model::recurrence::{Anchor, Recurrence, Timetable};
use punctual_model::time::{Start, Timestamp};

use crate::case::Case;

/// Something that answers a list of questions, "what comes next after this instant?", again and again.
pub(crate) struct Contestant {
    pub(crate) work: Box<dyn Fn()>,
    /// The answers, in seconds since 1970.
    pub(crate) answers: Vec<Option<i64>>,
    /// How often it asked for memory, all questions together.
    pub(crate) allocations: u64,
}

pub(crate) fn ours(case: &Case, zone: &str, anchor: i64, afters: &[i64]) -> Contestant {
    let mut parts = case.parts.clone();
    parts.time_zone = (zone != "UTC").then(|| zone.to_owned());
    let recurrence = Recurrence::new(&parts).expect("a valid case");
    let at = |seconds| Timestamp::from_seconds(seconds).expect("a year below 10000");
    let timetable =
        Timetable::new(Some(&recurrence), Anchor::Start(Start::at(at(anchor)))).expect("it has occurrences");
    let afters = afters.iter().map(|after| at(*after)).collect();
    contestant(afters, move |after| timetable.next(*after), |at| at.seconds())
}

pub(crate) fn croner_on_chrono(pattern: &str, zone: &str, afters: &[i64]) -> Contestant {
    let cron = croner::Cron::from_str(pattern).expect("croner knows the pattern");
    if zone == "UTC" {
        let next = move |after: &DateTime<Utc>| cron.find_next_occurrence(after, false).ok();
        contestant(chrono_instants(&Utc, afters), next, DateTime::timestamp)
    } else {
        let next = move |after: &DateTime<chrono_tz::Tz>| cron.find_next_occurrence(after, false).ok();
        contestant(chrono_instants(&chrono_zone(zone), afters), next, DateTime::timestamp)
    }
}

pub(crate) fn croner_on_jiff(pattern: &str, zone: &str, afters: &[i64]) -> Contestant {
    let cron = croner::Cron::from_str(pattern).expect("croner knows the pattern");
    let zone = jiff::tz::TimeZone::get(zone).expect("a known zone");
    let at = |seconds| jiff::Timestamp::from_second(seconds).expect("a year below 10000").to_zoned(zone.clone());
    let afters = afters.iter().map(|after| at(*after)).collect();
    let next = move |after: &jiff::Zoned| cron.find_next_occurrence(after, false).ok();
    contestant(afters, next, |at| at.timestamp().as_second())
}

pub(crate) fn cron(pattern: &str, zone: &str, afters: &[i64]) -> Contestant {
    let schedule = cron::Schedule::from_str(pattern).expect("cron knows the pattern");
    if zone == "UTC" {
        let next = move |after: &DateTime<Utc>| schedule.after(after).next();
        contestant(chrono_instants(&Utc, afters), next, DateTime::timestamp)
    } else {
        let next = move |after: &DateTime<chrono_tz::Tz>| schedule.after(after).next();
        contestant(chrono_instants(&chrono_zone(zone), afters), next, DateTime::timestamp)
    }
}

fn chrono_zone(zone: &str) -> chrono_tz::Tz {
    zone.parse().expect("a known zone")
}

fn chrono_instants<Z: TimeZone>(zone: &Z, afters: &[i64]) -> Vec<DateTime<Z>> {
    afters.iter().map(|after| zone.timestamp_opt(*after, 0).single().expect("an instant")).collect()
}

/// Instants are turned into the types of the contestant beforehand: only its search is measured.
fn contestant<T: 'static, R>(
    afters: Vec<T>,
    next: impl Fn(&T) -> Option<R> + 'static,
    seconds: impl Fn(&R) -> i64,
) -> Contestant {
    let answers = afters.iter().map(|after| next(after).as_ref().map(&seconds)).collect();
    let work = move || {
        for after in &afters {
            black_box(next(black_box(after)));
        }
    };
    let allocations = allocation_counter::measure(&work).count_total;
    Contestant { work: Box::new(work), answers, allocations }
}
