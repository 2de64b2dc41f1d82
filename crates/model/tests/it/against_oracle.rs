//! The model and the oracle name the same instants, whatever is asked and however it is asked.
//!
//! 5,000 random definitions; 200,000 if `PUNCTUAL_TEST_LONG` is 1.

use std::cell::Cell;

use jiff::Timestamp as Instant;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use punctual_model::recurrence::{Frequency, Timetable};
use punctual_model::time::Timestamp;

use crate::arbitrary::{self, Case};
use crate::definition::Definition;
use crate::oracle::{self, Oracle};

const CASES_SHORT: u32 = 5_000;
const CASES_LONG: u32 = 200_000;

#[test]
fn minutes_and_hours() {
    run(arbitrary::every(&[Frequency::Minute, Frequency::Hour]), 25);
}

#[test]
fn days_and_weeks() {
    run(arbitrary::every(&[Frequency::Day, Frequency::Week]), 25);
}

#[test]
fn months_and_years() {
    run(arbitrary::every(&[Frequency::Month, Frequency::Year]), 25);
}

#[test]
fn cron() {
    run(arbitrary::cron(), 25);
}

#[test]
fn quartz() {
    run(arbitrary::quartz(), 10);
}

/// Compares so many percent of all cases.
fn run(definitions: impl Strategy<Value = Definition>, percent: u32) {
    let is_long = std::env::var("PUNCTUAL_TEST_LONG").is_ok_and(|value| value == "1");
    let cases = if is_long { CASES_LONG } else { CASES_SHORT } * percent / 100;
    let (compared, points) = (Cell::new(0_u32), Cell::new(0_usize));
    // Shrunk cases become tests by name, not files of seeds.
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let outcome = TestRunner::new(config).run(&arbitrary::case(definitions), |case| {
        points.set(points.get() + compare(&case)?);
        compared.set(compared.get() + 1);
        Ok(())
    });
    if let Err(difference) = outcome {
        panic!("{difference}");
    }
    assert_eq!(compared.get(), cases);
    println!("{} definitions compared, {} occurrences", compared.get(), points.get());
}

/// Compares everything in the window of the case; how many points it has.
fn compare(case: &Case) -> Result<usize, TestCaseError> {
    let oracle = Oracle::new(&case.definition, case.now);
    let points = ticks_of(&oracle.points(case.from, case.until));
    let Some(timetable) = case.definition.timetable(timestamp(case.now)) else {
        // A run at creation is no match of the rule, and does not save a rule that has none.
        let hits: Vec<_> = points.iter().filter(|at| **at != timestamp(oracle.anchor())).collect();
        prop_assert!(hits.is_empty(), "the model says it never runs, the oracle: {:?}", hits[0]);
        prop_assert!(!is_ever(&case.definition, &oracle), "the model says it never runs");
        return Ok(0);
    };
    let window = timestamp(case.from)..timestamp(case.until);
    let listed: Vec<_> = timetable.occurrences(window.clone()).collect();
    if listed != points {
        let extra = listed.iter().find(|at| !points.contains(at));
        let missing = points.iter().find(|at| !listed.contains(at));
        return Err(TestCaseError::fail(format!("the model alone has {extra:?}, the oracle alone has {missing:?}")));
    }
    prop_assert_eq!(timetable.count(window), points.len() as u64, "count of the whole window");
    for probe in probes(case, &points) {
        compare_at(&timetable, case, &points, probe)?;
    }
    compare_first(&timetable, &oracle, case)?;
    Ok(points.len())
}

/// Compares what is asked about one instant of the window.
fn compare_at(timetable: &Timetable, case: &Case, points: &[Timestamp], at: Timestamp) -> Result<(), TestCaseError> {
    let (from, until) = (timestamp(case.from), timestamp(case.until));
    let (before, from_at) = points.split_at(points.partition_point(|point| *point < at));
    let is_point = from_at.first() == Some(&at);
    let after = &from_at[usize::from(is_point)..];
    prop_assert_eq!(timetable.contains(at), is_point, "contains {:?}", at);
    let next = timetable.next(at);
    match after.first() {
        Some(point) => prop_assert_eq!(next, Some(*point), "next after {:?}", at),
        None => prop_assert!(next.is_none_or(|next| next >= until), "next after {:?} is {:?}", at, next),
    }
    let previous = timetable.previous(at);
    match before.last() {
        Some(point) => prop_assert_eq!(previous, Some(*point), "previous before {:?}", at),
        None => prop_assert!(previous.is_none_or(|point| point < from), "previous before {:?} is {:?}", at, previous),
    }
    prop_assert_eq!(timetable.count(from..at), before.len() as u64, "count up to {:?}", at);
    prop_assert_eq!(timetable.count(at..until), from_at.len() as u64, "count from {:?}", at);
    Ok(())
}

/// Compares the first run of a job that is accepted now, as far as the oracle can see in a window of the same length.
fn compare_first(timetable: &Timetable, oracle: &Oracle, case: &Case) -> Result<(), TestCaseError> {
    let is_past = oracle.anchor() < case.now;
    let from = if is_past { case.now } else { oracle.anchor() };
    let until = from + case.until.duration_since(case.from) / 4;
    let points = ticks_of(&oracle.points(from, until));
    let expected = points.into_iter().find(|at| !is_past || *at > timestamp(case.now));
    let first = timetable.first(timestamp(case.now));
    match expected {
        Some(_) => prop_assert_eq!(first, expected, "the first run"),
        None => prop_assert!(first.is_none_or(|first| first >= timestamp(until)), "the first run is {:?}", first),
    }
    Ok(())
}

/// The instants to ask about: points and their neighbours, the edges of the window and the zone's changes in it.
fn probes(case: &Case, points: &[Timestamp]) -> Vec<Timestamp> {
    let zone = oracle::zone(case.definition.zone.as_deref());
    let in_window = |at: &Instant| case.from <= *at && *at < case.until;
    let changes = arbitrary::changes(&zone).into_iter().filter(in_window).take(8).map(timestamp);
    let stride = points.len() / 12 + 1;
    let edges = [timestamp(case.from), timestamp(case.until).saturating_add(-1)];
    let near = points.iter().copied().step_by(stride).chain(points.last().copied()).chain(changes).chain(edges);
    let near = near.flat_map(|at| [at.saturating_add(-1), at, at.saturating_add(1)]);
    near.filter(|at| timestamp(case.from) <= *at && *at < timestamp(case.until)).collect()
}

/// Whether the oracle finds a point at all, searching as long as it can afford to.
fn is_ever(definition: &Definition, oracle: &Oracle) -> bool {
    let days = match definition.frequency {
        Some(Frequency::Minute | Frequency::Hour) => 365 * definition.interval.unwrap_or(1),
        _ => return oracle.has_any_date(),
    };
    let from = oracle.anchor();
    let until = from.saturating_add(jiff::SignedDuration::from_hours(24 * days)).expect("a plain duration");
    oracle.points(from, until).iter().any(|at| *at != from || definition.start.is_some())
}

fn timestamp(at: Instant) -> Timestamp {
    let ticks = i64::try_from(at.as_nanosecond() / 100).expect("a few thousand years fit");
    Timestamp::from_ticks(ticks).expect("an instant of the model's range")
}

fn ticks_of(points: &[Instant]) -> Vec<Timestamp> {
    points.iter().copied().map(timestamp).collect()
}
