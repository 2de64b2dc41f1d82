//! The times that history is read by, and the files that hold each of them.
//!
//! ```text
//!   2026-09.failures.db   2026-10.failures.db                2026-10-24.2.db   2026-10-25.db   2026-10-26.db
//!   └── September ──────┘ └── October up to the 23rd ──────┘ └── the 24th ───┘ └── the 25th ─┘ └── the 26th ─┘
//!                         └── and the failures of the part of the 24th that was dropped
//! ```

use punctual_model::time::Timestamp;

use super::day::Day;
use super::month::Month;
use super::segment::Segment;

/// A span of time, and the files in which its records are: the parts of one day, or a month of failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shelf {
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    /// What was written last comes first.
    pub(crate) segments: Vec<Segment>,
}

impl Shelf {
    /// Sorts segments onto shelves, newest first. No instant is on two of them.
    ///
    /// The oldest day is dropped first, so months hold what was before it. Of a day that is there as a whole the month is not
    /// asked: if it knows that day, too, its failures are just being copied.
    pub(crate) fn all(days: &[Day], months: &[Month]) -> Vec<Self> {
        let mut shelves: Vec<Self> =
            days.chunk_by(|one, other| one.is_same_day(*other)).rev().map(Self::of_day).collect();
        let Some(oldest) = days.first() else {
            return months.iter().rev().map(|month| Self::of_month(*month, month.last())).collect();
        };
        let month = Month::of(oldest.first());
        if !oldest.is_first_part() && months.contains(&month) {
            let shelf = shelves.last_mut().expect("that of the oldest day");
            shelf.segments.push(Segment::Failures(month));
        }
        let before = months.iter().rev().filter(|month| month.first() < oldest.first());
        shelves.extend(before.map(|month| Self::of_month(*month, month.last().min(oldest.first().saturating_add(-1)))));
        shelves
    }

    fn of_day(parts: &[Day]) -> Self {
        let segments = parts.iter().rev().copied().map(Segment::Day).collect();
        Self { first: parts[0].first(), last: parts[0].last(), segments }
    }

    fn of_month(month: Month, last: Timestamp) -> Self {
        Self { first: month.first(), last, segments: vec![Segment::Failures(month)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelves(days: &[&str], months: &[&str]) -> String {
        let days: Vec<Day> = days.iter().map(|name| Day::parse(&format!("{name}.db")).unwrap()).collect();
        let months: Vec<Month> =
            months.iter().map(|name| Month::parse(&format!("{name}.failures.db")).unwrap()).collect();
        let show = |shelf: &Shelf| {
            let names: Vec<String> = shelf.segments.iter().map(|segment| segment.file_name()).collect();
            format!("{} to {}: {}", shelf.first, shelf.last, names.join(", "))
        };
        Shelf::all(&days, &months).iter().map(show).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn months_fill_the_time_before_the_days() {
        insta::assert_snapshot!(shelves(&["2026-10-24", "2026-10-25", "2026-10-25.2"], &["2026-09", "2026-10"]), @r"
        2026-10-25T00:00:00Z to 2026-10-25T23:59:59.9999999Z: 2026-10-25.2.db, 2026-10-25.db
        2026-10-24T00:00:00Z to 2026-10-24T23:59:59.9999999Z: 2026-10-24.db
        2026-10-01T00:00:00Z to 2026-10-23T23:59:59.9999999Z: 2026-10.failures.db
        2026-09-01T00:00:00Z to 2026-09-30T23:59:59.9999999Z: 2026-09.failures.db
        ");
        insta::assert_snapshot!(shelves(&["2026-10-24.2", "2026-10-24.3", "2026-10-26"], &["2026-10"]), @r"
        2026-10-26T00:00:00Z to 2026-10-26T23:59:59.9999999Z: 2026-10-26.db
        2026-10-24T00:00:00Z to 2026-10-24T23:59:59.9999999Z: 2026-10-24.3.db, 2026-10-24.2.db, 2026-10.failures.db
        2026-10-01T00:00:00Z to 2026-10-23T23:59:59.9999999Z: 2026-10.failures.db
        ");
        insta::assert_snapshot!(shelves(&["2026-10-01"], &["2026-10"]), @"2026-10-01T00:00:00Z to 2026-10-01T23:59:59.9999999Z: 2026-10-01.db");
        insta::assert_snapshot!(shelves(&[], &["2026-10"]), @"2026-10-01T00:00:00Z to 2026-10-31T23:59:59.9999999Z: 2026-10.failures.db");
    }
}
