//! The UTC day that one segment of history holds, and the name of its file.

use std::path::Path;

use punctual_model::time::{Date, TICKS_PER_DAY, Timestamp, Wall};

/// A UTC day. What is kept for 60 days is 60 files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day(i32);

impl Day {
    /// The day that holds an instant.
    pub(super) fn of(at: Timestamp) -> Self {
        Self(Wall::from_ticks(at.ticks()).day())
    }

    /// The first instant of it.
    pub(crate) fn first(self) -> Timestamp {
        Timestamp::EPOCH.saturating_add(Wall::at(self.0, 0).ticks())
    }

    /// The last instant of it.
    pub(crate) fn last(self) -> Timestamp {
        self.first().saturating_add(TICKS_PER_DAY - 1)
    }

    /// The name of its file, such as `2026-11-15.db`.
    pub(crate) fn file_name(self) -> String {
        let Date { year, month, day } = Date::from_day_number(self.0);
        format!("{year:04}-{:02}-{day:02}.db", month.number())
    }

    /// Reads the name of a file; nothing if it is no segment.
    pub(super) fn parse(file_name: &str) -> Option<Self> {
        let mut parts = file_name.strip_suffix(".db")?.splitn(3, '-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
        // Numbers can be written in more ways than ours.
        Some(Self(date.day_number())).filter(|day| day.file_name() == file_name)
    }

    /// The day of a file, or of one that SQLite keeps beside it, and whether it is the latter.
    pub(super) fn of_path(path: &Path) -> Option<(Self, bool)> {
        let name = path.file_name()?.to_str()?;
        let companion = super::file::COMPANIONS.iter().find_map(|suffix| name.strip_suffix(suffix));
        Some((Self::parse(companion.unwrap_or(name))?, companion.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Day, Timestamp};

    #[test]
    fn a_name_is_read_as_it_is_written_or_not_at_all() {
        for name in ["2026-11-15.db", "0001-01-01.db", "9999-12-31.db"] {
            assert_eq!(Day::parse(name).unwrap().file_name(), name);
        }
        let wrong = "2026-11-15 2026-02-29.db 26-11-15.db 2026-11-15T00-06.db 2026-11-15.db.damaged +026-11-15.db \
            -026-11-15.db .db punctual.db";
        for name in wrong.split(' ') {
            assert_eq!(Day::parse(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_instant_is_in_its_day(ticks in Timestamp::MIN.ticks()..=Timestamp::MAX.ticks()) {
            let at = Timestamp::from_ticks(ticks).unwrap();
            let day = Day::of(at);
            prop_assert!(day.first() <= at && at <= day.last());
            prop_assert_eq!((Day::of(day.first()), Day::of(day.last())), (day, day));
        }
    }

    #[test]
    fn the_last_day_has_an_end() {
        assert_eq!(Day::of(Timestamp::MAX).last(), Timestamp::MAX);
    }
}
