//! How many instructions the recurrence engine executes: the same number on a busy machine and on an idle one.
//!
//! `scripts/instructions` runs this and compares it with the numbers kept in the repository.

#![expect(missing_docs, reason = "what the macros make of each function is public and cannot be documented")]

use std::hint::black_box;

use gungraun::{Callgrind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};
use punctual_model::Violation;
use punctual_model::recurrence::{Anchor, Cron, CronDialect, Frequency, Parts, Recurrence, ScheduleParts, Timetable};
use punctual_model::time::{Start, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, Timestamp};

/// 2028-03-01T08:00Z.
const ANCHOR: Anchor =
    Anchor::Start(Start::at(Timestamp::EPOCH.saturating_add(21_244 * TICKS_PER_DAY + 8 * TICKS_PER_HOUR)));
const FIFTY_YEARS: i64 = 18_263 * TICKS_PER_DAY;

fn cron_parts(cron: &str, zone: Option<&str>) -> Parts {
    Parts { cron: Some(cron.to_owned()), time_zone: zone.map(str::to_owned), ..Parts::default() }
}

fn every_parts(schedule: Option<ScheduleParts>) -> Parts {
    Parts { frequency: Some(Frequency::Minute), interval: Some(15), schedule, ..Parts::default() }
}

fn recurrence(parts: &Parts) -> Recurrence {
    Recurrence::new(parts).expect("a valid recurrence")
}

fn timetable(parts: &Parts) -> Timetable {
    Timetable::new(Some(&recurrence(parts)), ANCHOR).expect("it has occurrences")
}

fn cron(expression: &str) -> Timetable {
    timetable(&cron_parts(expression, None))
}

fn zoned(expression: &str) -> Timetable {
    timetable(&cron_parts(expression, Some("Europe/Berlin")))
}

fn elapsed() -> Timetable {
    timetable(&every_parts(None))
}

fn office_hours() -> Timetable {
    timetable(&every_parts(Some(ScheduleParts { hours: (9..=17).collect(), ..ScheduleParts::default() })))
}

/// Sixty-four instants spread over a month, as one alone would measure one path through the search.
fn afters() -> impl Iterator<Item = Timestamp> {
    let step = 11 * TICKS_PER_HOUR + 13 * TICKS_PER_MINUTE;
    (0..64).map(move |n| ANCHOR.instant().saturating_add(TICKS_PER_DAY + n * step))
}

#[library_benchmark]
#[bench::quarter_hours(cron("*/15 * * * *"))]
#[bench::daily(cron("0 5 * * *"))]
#[bench::leap_days(cron("0 0 29 2 *"))]
#[bench::quarter_hours_zoned(zoned("*/15 * * * *"))]
#[bench::daily_zoned(zoned("0 5 * * *"))]
#[bench::leap_days_zoned(zoned("0 0 29 2 *"))]
#[bench::elapsed(elapsed())]
#[bench::office_hours(office_hours())]
fn next(timetable: Timetable) -> Timetable {
    for after in afters() {
        black_box(timetable.next(black_box(after)));
    }
    timetable
}

#[library_benchmark]
#[bench::daily(cron("0 5 * * *"))]
#[bench::daily_zoned(zoned("0 5 * * *"))]
#[bench::elapsed(elapsed())]
#[bench::office_hours(office_hours())]
fn previous(timetable: Timetable) -> Timetable {
    for before in afters() {
        black_box(timetable.previous(black_box(before)));
    }
    timetable
}

#[library_benchmark]
#[bench::daily(cron("0 5 * * *"))]
#[bench::daily_zoned(zoned("0 5 * * *"))]
#[bench::elapsed(elapsed())]
#[bench::office_hours(office_hours())]
fn count_fifty_years(timetable: Timetable) -> (u64, Timetable) {
    let start = ANCHOR.instant();
    (black_box(timetable.count(black_box(start..start.saturating_add(FIFTY_YEARS)))), timetable)
}

#[library_benchmark]
#[bench::daily(recurrence(&cron_parts("0 5 * * *", None)))]
#[bench::daily_zoned(recurrence(&cron_parts("0 5 * * *", Some("Europe/Berlin"))))]
#[bench::elapsed(recurrence(&every_parts(None)))]
fn new_timetable(recurrence: Recurrence) -> (Result<Timetable, Violation>, Recurrence) {
    (black_box(Timetable::new(Some(black_box(&recurrence)), ANCHOR)), recurrence)
}

#[library_benchmark]
#[bench::plain("0 5 * * *")]
#[bench::names_and_ranges("*/5 8-17,20 1,15,L jan-mar,jul mon-fri")]
#[bench::nickname("@daily")]
fn parse_cron(expression: &str) -> Cron {
    black_box(Cron::parse(black_box(expression), CronDialect::default())).expect("a valid expression")
}

library_benchmark_group!(
    name = recurrence_engine,
    benchmarks = [next, previous, count_fifty_years, new_timetable, parse_cron]
);

// Only instructions are kept, and they need no model of the caches.
main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups = recurrence_engine
);
