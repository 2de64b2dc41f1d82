//! When a job is due.
//!
//! A [`Recurrence`] is what the user asked for. With the [`Anchor`] it is counted from it makes a [`Timetable`], which
//! answers every question about time: `next(after)`, `previous(before)`, `occurrences(range)`, `count(range)`.
//!
//! ```text
//!   frequency, interval, schedule ─┐                               ┌─ Once            an instant
//!                                  ├─▶ Recurrence ─┐               ├─ Elapsed         every n ticks from the anchor
//!   cron expression ───────────────┘               ├─▶ Timetable ──┤
//!   startTime, or the time of creation ─▶ Anchor ──┘               ├─ Calendar        days × times of day, in a zone
//!                                                                  └─ LimitedElapsed  elapsed time, in some hours or months
//! ```

mod anchor;
mod bits;
mod calendar;
mod compile;
mod cron;
mod days;
mod definition;
mod describe;
mod elapsed_interval;
mod month_days;
mod months;
mod schedule;
mod times;
mod timetable;
mod words;

pub use anchor::Anchor;
pub use cron::{Cron, CronDialect};
pub use definition::{Every, Frequency, Parts, Recurrence, Rule, TimeZoneName};
pub use schedule::{MonthlyOccurrence, Schedule, ScheduleParts};
pub use timetable::{Occurrences, Timetable};

#[cfg(test)]
mod tests;
