//! The time that one segment of history holds, and the name of its file.

use std::collections::BTreeSet;
use std::path::Path;

use punctual_model::time::{Date, TICKS_PER_HOUR, Timestamp, Wall};

/// Some hours of one UTC day.
///
/// The name of the file says them: `2026-11-15.db` is the whole day, `2026-11-15T06-12.db` from six o'clock to before
/// twelve. So a file keeps its place when the granularity is changed, and two files never hold the same hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Period {
    day: i32,
    from_hour: u8,
    until_hour: u8,
}

/// How many hours a new segment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Granularity(u8);

impl Granularity {
    /// A day. What is kept for 60 days is 60 files then.
    pub(crate) const DAY: Self = Self(24);

    /// So many hours, if a day can be divided by them.
    pub(crate) const fn hours(hours: u8) -> Option<Self> {
        if hours > 0 && 24 % hours == 0 { Some(Self(hours)) } else { None }
    }
}

impl Period {
    /// The period that holds `at`: one of those that are taken, else a new one between them.
    pub(super) fn holding(at: Timestamp, taken: &BTreeSet<Self>, granularity: Granularity) -> Self {
        let wall = Wall::from_ticks(at.ticks());
        let (day, (hour, _, _)) = (wall.day(), wall.time());
        let from_hour = hour - hour % granularity.0;
        let mut new = Self { day, from_hour, until_hour: from_hour + granularity.0 };
        let of_day = |hour| Self { day, from_hour: hour, until_hour: hour };
        for other in taken.range(of_day(0)..of_day(24)) {
            if other.until_hour <= hour {
                new.from_hour = new.from_hour.max(other.until_hour);
            } else if hour < other.from_hour {
                new.until_hour = new.until_hour.min(other.from_hour);
            } else {
                return *other;
            }
        }
        new
    }

    /// The first instant of it.
    pub(crate) fn first(self) -> Timestamp {
        self.at_hour(self.from_hour)
    }

    /// The last instant of it.
    pub(crate) fn last(self) -> Timestamp {
        // From its last hour, because the end of the last day there is cannot be written.
        self.at_hour(self.until_hour - 1).saturating_add(TICKS_PER_HOUR - 1)
    }

    fn at_hour(self, hour: u8) -> Timestamp {
        Timestamp::EPOCH.saturating_add(Wall::at(self.day, i64::from(hour) * TICKS_PER_HOUR).ticks())
    }

    pub(super) fn holds(self, at: Timestamp) -> bool {
        self.first() <= at && at <= self.last()
    }

    pub(crate) fn file_name(self) -> String {
        let Date { year, month, day } = Date::from_day_number(self.day);
        let hours = match (self.from_hour, self.until_hour) {
            (0, 24) => String::new(),
            (from, until) => format!("T{from:02}-{until:02}"),
        };
        format!("{year:04}-{:02}-{day:02}{hours}.db", month.number())
    }

    /// Reads the name of a file; nothing if it is no segment.
    pub(super) fn parse(file_name: &str) -> Option<Self> {
        let stem = file_name.strip_suffix(".db")?;
        let (date, hours) = stem.split_once('T').unwrap_or((stem, "00-24"));
        let mut parts = date.splitn(3, '-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
        let (from, until) = hours.split_once('-')?;
        let (from_hour, until_hour) = (from.parse().ok()?, until.parse().ok()?);
        let period = Self { day: date.day_number(), from_hour, until_hour };
        // Numbers can be written in more ways than ours.
        (from_hour < until_hour && until_hour <= 24 && period.file_name() == file_name).then_some(period)
    }

    /// The period of a file, or of one that SQLite keeps beside it.
    pub(super) fn of_path(path: &Path) -> Option<(Self, bool)> {
        let name = path.file_name()?.to_str()?;
        let companion = super::file::COMPANIONS.iter().find_map(|suffix| name.strip_suffix(suffix));
        Some((Self::parse(companion.unwrap_or(name))?, companion.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Granularity, Period, TICKS_PER_HOUR, Timestamp};

    fn at(hours: i64) -> Timestamp {
        Timestamp::EPOCH.saturating_add(hours * TICKS_PER_HOUR)
    }

    #[test]
    fn a_name_is_read_as_it_is_written_or_not_at_all() {
        for name in ["2026-11-15.db", "2026-11-15T06-12.db", "0001-01-01T23-24.db", "9999-12-31.db"] {
            assert_eq!(Period::parse(name).unwrap().file_name(), name);
        }
        let wrong = "2026-11-15 2026-02-29.db 26-11-15.db 2026-11-15T00-24.db 2026-11-15T12-06.db 2026-11-15T06-25.db \
            2026-11-15T6-12.db 2026-11-15T06.db +026-11-15.db -026-11-15.db .db punctual.db";
        for name in wrong.split(' ') {
            assert_eq!(Period::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_new_granularity_leaves_the_old_files_where_they_are() {
        let mut taken = BTreeSet::new();
        let mut place = |hour, hours| {
            let period = Period::holding(at(hour), &taken, Granularity::hours(hours).unwrap());
            taken.insert(period);
            period.file_name()
        };
        assert_eq!(place(7, 6), "1970-01-01T06-12.db");
        assert_eq!(place(13, 24), "1970-01-01T12-24.db");
        assert_eq!(place(11, 1), "1970-01-01T06-12.db");
        assert_eq!(place(2, 4), "1970-01-01T00-04.db");
        assert_eq!(place(5, 24), "1970-01-01T04-06.db");
        assert_eq!(place(24, 24), "1970-01-02.db");
        assert_eq!([0, 5, 7, 25].map(Granularity::hours), [None; 4]);
    }

    proptest! {
        #[test]
        fn every_instant_has_one_period(places in prop::collection::vec((-100..100_i64, 0..8_usize), 1..60)) {
            let mut taken = BTreeSet::new();
            for (hour, choice) in places {
                let granularity = Granularity::hours([1, 2, 3, 4, 6, 8, 12, 24][choice]).unwrap();
                let period = Period::holding(at(hour), &taken, granularity);
                prop_assert!(period.holds(at(hour)));
                taken.insert(period);
            }
            let in_order: Vec<Period> = taken.into_iter().collect();
            prop_assert!(in_order.windows(2).all(|pair| pair[0].last() < pair[1].first()), "{in_order:?}");
        }
    }

    #[test]
    fn the_last_day_has_an_end() {
        let last = Period::holding(Timestamp::MAX, &BTreeSet::new(), Granularity::DAY);
        assert_eq!((last.holds(Timestamp::MAX), last.last()), (true, Timestamp::MAX));
    }
}
