//! What one file of history holds.

use std::path::Path;

use super::day::Day;
use super::file;
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

    /// Reads the name of a file; nothing if it is no segment.
    pub(crate) fn parse(file_name: &str) -> Option<Self> {
        let month = || Month::parse(file_name).map(Self::Failures);
        Day::parse(file_name).map(Self::Day).or_else(month)
    }

    /// The segment of a file, or of one that SQLite keeps beside it, and whether it is the latter.
    pub(super) fn of_path(path: &Path) -> Option<(Self, bool)> {
        let name = path.file_name()?.to_str()?;
        let companion = file::COMPANIONS.iter().find_map(|suffix| name.strip_suffix(suffix));
        Some((Self::parse(companion.unwrap_or(name))?, companion.is_some()))
    }
}
