//! What a job does next, as text for a snapshot.

use jiff::{SignedDuration, Timestamp as Instant};
use punctual_model::recurrence::Timetable;
use punctual_model::time::{DateTime, Timestamp, Weekday, Zone};

use crate::definition::Definition;
use crate::oracle::Oracle;

/// The first runs of a job accepted at `now`, one a line: in UTC, then by the wall clock of its zone.
///
/// Wherever the oracle can follow, it has to say the same.
pub(crate) fn upcoming(definition: &str, now: &str, count: usize) -> String {
    let definition = Definition::parse(definition);
    let now = DateTime::parse(now).expect("a date-time").resolve(Zone::utc()).instant();
    let Some(timetable) = definition.timetable(now) else {
        return "never".to_owned();
    };
    let first = timetable.first(now);
    let runs: Vec<_> = std::iter::successors(first, |at| timetable.next(*at)).take(count).collect();
    assert_oracle_agrees(&definition, &timetable, now, &runs);
    let zone = definition.recurrence().zone();
    let mut lines: Vec<_> = runs.iter().map(|at| line(*at, zone)).collect();
    if runs.len() < count {
        lines.push("no more".to_owned());
    }
    lines.join("\n")
}

fn line(at: Timestamp, zone: Zone) -> String {
    let wall = zone.wall(at);
    let weekday = &Weekday::of_day_number(wall.day()).name()[..3];
    if zone == Zone::utc() { format!("{weekday} {at}") } else { format!("{at}  {weekday} {wall:?}") }
}

fn assert_oracle_agrees(definition: &Definition, timetable: &Timetable, now: Timestamp, runs: &[Timestamp]) {
    let Some(last) = runs.last().filter(|last| (1973..9990).contains(&last.to_string()[..4].parse().unwrap_or(0)))
    else {
        return;
    };
    let instant =
        |at: Timestamp| Instant::from_nanosecond(i128::from(at.ticks()) * 100).expect("an instant of our age");
    let oracle = Oracle::new(definition, instant(now));
    let is_past = oracle.anchor() < instant(now);
    let from = if is_past { instant(now) + SignedDuration::from_nanos(100) } else { oracle.anchor() };
    let points = oracle.points(from, instant(*last) + SignedDuration::from_nanos(100));
    let expected: Vec<_> = runs.iter().copied().map(instant).collect();
    assert_eq!(points, expected, "the oracle on the left, the model on the right");
    assert_eq!(timetable.count(runs[0]..last.saturating_add(1)), runs.len() as u64);
}
