//! The UTC day, or the part of one, that one segment of history holds, and the name of its file.

use punctual_model::time::{Date, TICKS_PER_DAY, Timestamp, Wall};

/// A UTC day, or a part of one. What is kept for 60 days is 60 files, and more if a day has more records than a file should
/// hold. A record is in the part that was written when its attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day {
    number: i32,
    /// 0 for the first.
    part: u32,
}

impl Day {
    /// The first part of the day that holds an instant.
    pub(crate) fn of(at: Timestamp) -> Self {
        Self { number: Wall::from_ticks(at.ticks()).day(), part: 0 }
    }

    /// The part after this one.
    pub(crate) const fn next_part(self) -> Self {
        Self { part: self.part + 1, ..self }
    }

    /// Whether this is the first part.
    pub(crate) const fn is_first_part(self) -> bool {
        self.part == 0
    }

    /// Whether both are parts of one day.
    pub(crate) const fn is_same_day(self, other: Self) -> bool {
        self.number == other.number
    }

    /// The first instant of the day.
    pub(crate) fn first(self) -> Timestamp {
        Timestamp::EPOCH.saturating_add(Wall::at(self.number, 0).ticks())
    }

    /// The last instant of the day.
    pub(crate) fn last(self) -> Timestamp {
        self.first().saturating_add(TICKS_PER_DAY - 1)
    }

    /// The name of its file, such as `2026-11-15.db`, or `2026-11-15.2.db` for the second part.
    pub(crate) fn file_name(self) -> String {
        let Date { year, month, day } = Date::from_day_number(self.number);
        let part = if self.is_first_part() { String::new() } else { format!(".{}", self.part + 1) };
        format!("{year:04}-{:02}-{day:02}{part}.db", month.number())
    }

    /// Reads the name of a file; nothing if it is no segment.
    pub(crate) fn parse(file_name: &str) -> Option<Self> {
        let name = file_name.strip_suffix(".db")?;
        let (date, part) = name.split_once('.').unwrap_or((name, "1"));
        let mut numbers = date.splitn(3, '-');
        let (year, month, day) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
        let part = part.parse::<u32>().ok()?.checked_sub(1)?;
        // Numbers can be written in more ways than ours.
        Some(Self { number: date.day_number(), part }).filter(|day| day.file_name() == file_name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Day, Timestamp};

    #[test]
    fn a_name_is_read_as_it_is_written_or_not_at_all() {
        for name in ["2026-11-15.db", "0001-01-01.db", "9999-12-31.db", "2026-11-15.2.db", "2026-11-15.10.db"] {
            assert_eq!(Day::parse(name).unwrap().file_name(), name);
        }
        let wrong = "2026-11-15 2026-02-29.db 26-11-15.db 2026-11-15T00-06.db 2026-11-15.db.damaged +026-11-15.db \
            -026-11-15.db .db punctual.db 2026-11-15.1.db 2026-11-15.0.db 2026-11-15.02.db 2026-11-15.x.db";
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
    fn parts_are_in_order() {
        let day = |name| Day::parse(name).unwrap();
        let mut days = ["2026-11-16.db", "2026-11-15.10.db", "2026-11-15.2.db", "2026-11-15.db"].map(day);
        days.sort();
        assert_eq!(days.map(Day::file_name), ["2026-11-15.db", "2026-11-15.2.db", "2026-11-15.10.db", "2026-11-16.db"]);
        assert_eq!(days[0].next_part(), days[1]);
    }

    #[test]
    fn the_last_day_has_an_end() {
        assert_eq!(Day::of(Timestamp::MAX).last(), Timestamp::MAX);
    }
}
