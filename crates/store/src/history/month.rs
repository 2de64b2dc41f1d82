//! The UTC month whose failures one segment keeps, and the name of its file.

use punctual_model::time::{Date, Timestamp, Wall};

/// What stands behind the month in the name of a file.
const SUFFIX: &str = ".failures.db";

/// A UTC month of which only failures are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Month {
    year: i32,
    /// 1 for January.
    month: u8,
}

impl Month {
    /// The month that holds an instant.
    pub(crate) fn of(at: Timestamp) -> Self {
        let Date { year, month, .. } = Date::from_day_number(Wall::from_ticks(at.ticks()).day());
        Self { year, month: month.number() }
    }

    /// The first instant of the month.
    pub(crate) fn first(self) -> Timestamp {
        self.begin().unwrap_or(Timestamp::MIN)
    }

    /// The last instant of the month.
    pub(crate) fn last(self) -> Timestamp {
        let next = match self.month {
            12 => Self { year: self.year + 1, month: 1 },
            month => Self { month: month + 1, ..self },
        };
        next.begin().map_or(Timestamp::MAX, |begin| begin.saturating_add(-1))
    }

    fn begin(self) -> Option<Timestamp> {
        let date = Date::new(self.year, self.month, 1)?;
        Timestamp::from_ticks(Wall::at(date.day_number(), 0).ticks())
    }

    /// The name of its file, such as `2026-11.failures.db`.
    pub(crate) fn file_name(self) -> String {
        format!("{:04}-{:02}{SUFFIX}", self.year, self.month)
    }

    /// Reads the name of a file; nothing if it is no segment of failures.
    pub(crate) fn parse(file_name: &str) -> Option<Self> {
        let (year, month) = file_name.strip_suffix(SUFFIX)?.split_once('-')?;
        let date = Date::new(year.parse().ok()?, month.parse().ok()?, 1)?;
        // Numbers can be written in more ways than ours.
        Some(Self { year: date.year, month: date.month.number() }).filter(|month| month.file_name() == file_name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Month, Timestamp};

    #[test]
    fn a_name_is_read_as_it_is_written_or_not_at_all() {
        for name in ["2026-11.failures.db", "0001-01.failures.db", "9999-12.failures.db"] {
            assert_eq!(Month::parse(name).unwrap().file_name(), name);
        }
        for name in ["2026-11.db", "2026-13.failures.db", "26-11.failures.db", "2026-11-01.failures.db", ".failures.db"]
        {
            assert_eq!(Month::parse(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_instant_is_in_its_month(ticks in Timestamp::MIN.ticks()..=Timestamp::MAX.ticks()) {
            let at = Timestamp::from_ticks(ticks).unwrap();
            let month = Month::of(at);
            prop_assert!(month.first() <= at && at <= month.last());
            prop_assert_eq!((Month::of(month.first()), Month::of(month.last())), (month, month));
        }
    }
}
