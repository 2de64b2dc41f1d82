//! A thousand random time fields of crontabs: the jobs that are made of them run when an independent cron does.
//!
//! The two differ in what the model's own comparison with croner leaves out (`crates/model/tests/it/against_croner.rs`); so
//! everything here is in UTC, a day field that is a stepped star stays alone, and Sunday is written as 0.

use chrono::{DateTime, Utc};
use croner::parser::{CronParser, Seconds};
use proptest::prelude::*;
use proptest::sample::select;
use punctual_api::wire::{self, Unknown};
use punctual_import::Kind;
use punctual_model::recurrence::{Anchor, Timetable};
use punctual_model::time::Timestamp;

use crate::reader::{Given, import, now};

fn field(first: u8, last: u8) -> impl Strategy<Value = String> {
    let number = move || first..=last;
    prop_oneof![
        3 => Just("*".to_owned()),
        2 => number().prop_map(|at| at.to_string()),
        1 => (2..=last.max(3) / 2).prop_map(|step| format!("*/{step}")),
        1 => (number(), number()).prop_map(|(one, other)| format!("{}-{}", one.min(other), one.max(other))),
        1 => prop::collection::btree_set(number(), 1..4)
            .prop_map(|set| set.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
    ]
}

/// Days that both understand alike: with a stepped star in one field, the other one is a star.
fn days() -> impl Strategy<Value = (String, String)> {
    (
        field(1, 31),
        prop_oneof![3 => field(0, 6), 1 => select(&["mon", "fri", "mon-fri", "sun"][..]).prop_map(str::to_owned)],
    )
        .prop_map(|(day, weekday)| match (day.starts_with("*/"), weekday.starts_with("*/")) {
            (true, _) => (day, "*".to_owned()),
            (_, true) => ("*".to_owned(), weekday),
            _ => (day, weekday),
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn times_of_crontabs(minute in field(0, 59), hour in field(0, 23), (day, weekday) in days(), month in field(1, 12)) {
        let time = format!("{minute} {hour} {day} {month} {weekday}");
        let ours = ours(&time);
        let theirs = theirs(&time);
        prop_assert_eq!(ours, theirs, "{}", time);
    }
}

/// The next runs of the job that is made of a line; none for a time that never comes.
fn ours(time: &str) -> Vec<i64> {
    let line = format!("{time} curl https://example.com/\n");
    let report = import(Kind::Crontab, &line, &Given::default()).expect("a crontab");
    let Some(job) = report.jobs.first() else {
        assert_eq!(report.findings.len(), 1, "{time}");
        return Vec::new();
    };
    let json = wire::Json::parse(&job.body.to_string()).expect("JSON");
    let definition = wire::parse_job_json(&json, Unknown::Refused).expect("a job").value.definition;
    let recurrence = definition.recurrence.expect("a recurrence");
    let timetable = Timetable::new(Some(&recurrence), Anchor::Creation(now())).expect("a timetable");
    let runs = std::iter::successors(timetable.next(now()), |at| timetable.next(*at));
    runs.take(10).map(Timestamp::seconds).collect()
}

fn theirs(time: &str) -> Vec<i64> {
    let cron = CronParser::builder().seconds(Seconds::Disallowed).build().parse(time).expect("croner reads it, too");
    let start = DateTime::<Utc>::from_timestamp(now().seconds(), 0).expect("an instant of our age");
    cron.iter_after(start).take(10).map(|at| at.timestamp()).collect()
}
