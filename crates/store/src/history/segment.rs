//! What one file or table of history holds.

use super::day::Day;
use super::month::Month;

/// A day, or a part of one, with all that came of it; or what is kept longer of days that were dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Segment {
    Failures(Month),
    Day(Day),
}

impl Segment {
    /// The name of its file.
    pub(crate) fn file_name(self) -> String {
        match self {
            Self::Failures(month) => month.file_name(),
            Self::Day(day) => day.file_name(),
        }
    }

    /// The day, unless only failures are left of it.
    pub(crate) const fn day(self) -> Option<Day> {
        match self {
            Self::Failures(_) => None,
            Self::Day(day) => Some(day),
        }
    }

    /// The name of its table, such as `history_20261115`, `history_20261115_2` for the second part, or `failures_202611`.
    pub(crate) fn table_name(self) -> String {
        let name = self.file_name().replace(['-', '.'], "_");
        let name = name.strip_suffix("_db").unwrap_or(&name);
        match self {
            Self::Failures(_) => {
                let digits: String = name.chars().filter(char::is_ascii_digit).collect();
                format!("failures_{digits}")
            }
            Self::Day(_) => {
                let (date, part) = name.split_at(10);
                format!("history_{}{part}", date.replace('_', ""))
            }
        }
    }

    /// Reads the name of a table; nothing if it is no segment.
    pub(crate) fn of_table(name: &str) -> Option<Self> {
        let file_name = if let Some(month) = name.strip_prefix("failures_") {
            format!("{}-{}.failures.db", month.get(..4)?, month.get(4..)?)
        } else {
            let date = name.strip_prefix("history_")?;
            let (year, month, day) = (date.get(..4)?, date.get(4..6)?, date.get(6..8)?);
            format!("{year}-{month}-{day}{}.db", date.get(8..)?.replace('_', "."))
        };
        Self::parse(&file_name).filter(|segment| segment.table_name() == name)
    }

    /// Reads the name of a file; nothing if it is no segment.
    pub(crate) fn parse(file_name: &str) -> Option<Self> {
        let month = || Month::parse(file_name).map(Self::Failures);
        Day::parse(file_name).map(Self::Day).or_else(month)
    }
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn a_table_is_called_as_its_file() {
        for (file, table) in [
            ("2026-11-15.db", "history_20261115"),
            ("2026-11-15.12.db", "history_20261115_12"),
            ("0001-01-01.db", "history_00010101"),
            ("2026-11.failures.db", "failures_202611"),
        ] {
            let segment = Segment::parse(file).unwrap();
            assert_eq!((segment.table_name().as_str(), Segment::of_table(table)), (table, Some(segment)));
        }
        for wrong in
            ["history_2026111", "history_20261315", "history_20261115_1", "failures_2026", "failures_20261é", "job"]
        {
            assert_eq!(Segment::of_table(wrong), None, "{wrong}");
        }
    }
}
