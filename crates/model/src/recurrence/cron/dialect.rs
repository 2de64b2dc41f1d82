//! Whose cron: the families disagree about weekdays and about how many fields there are.

use super::Sentence;
use super::days::has_numbered_weekday;

/// Whose rules a cron expression follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CronDialect {
    /// Debian's cron: five fields, or six with seconds first; weekdays count from 0, Sunday.
    #[default]
    Debian,
    /// Quartz: six fields with seconds first, and perhaps a year; weekdays count from 1, Sunday.
    Quartz,
}

const NUMBERED_WEEKDAY: &str = "? comes from Quartz, where weekdays count from 1 = Sunday, and here they count from \
    0 = Sunday: set cronDialect to \"quartz\", or write the weekday by name";

impl CronDialect {
    /// Each dialect.
    pub const ALL: [Self; 2] = [Self::Debian, Self::Quartz];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debian => "debian",
            Self::Quartz => "quartz",
        }
    }

    /// The fields from seconds to weekday.
    pub(super) fn six_of<'a>(self, fields: &[&'a str]) -> Result<[&'a str; 6], Sentence> {
        match (self, fields) {
            (Self::Debian, [minute, hour, day, month, weekday]) => {
                Self::without_quartz(["0", minute, hour, day, month, weekday])
            }
            (Self::Debian, [second, minute, hour, day, month, weekday]) => {
                Self::without_quartz([second, minute, hour, day, month, weekday])
            }
            (Self::Debian, [_, _, _, _, _, _, year]) => {
                let year = if *year == "*" { "" } else { "; and a year cannot be kept: use startTime and endTime" };
                Err(format!("seven fields are Quartz's: set cronDialect to \"quartz\"{year}"))
            }
            (
                Self::Quartz,
                [second, minute, hour, day, month, weekday] | [second, minute, hour, day, month, weekday, "*"],
            ) => Ok([second, minute, hour, day, month, weekday]),
            (Self::Quartz, [_, _, _, _, _, _, year]) => {
                Err(format!("the year field takes *, not {year:?}: bound the job by startTime and endTime instead"))
            }
            (Self::Debian, _) => Err(format!(
                "an expression has five fields (minute, hour, day of month, month, weekday) or six with seconds first, not {}",
                fields.len()
            )),
            (Self::Quartz, _) => Err(format!(
                "an expression of Quartz has six fields (second, minute, hour, day of month, month, weekday) or seven with \
                 the year last, not {}",
                fields.len()
            )),
        }
    }

    /// Refuses what only Quartz writes and what means other days there.
    fn without_quartz(fields: [&str; 6]) -> Result<[&str; 6], Sentence> {
        let [.., day, _, weekday] = fields;
        if day == "?" && has_numbered_weekday(weekday) { Err(NUMBERED_WEEKDAY.to_owned()) } else { Ok(fields) }
    }
}
