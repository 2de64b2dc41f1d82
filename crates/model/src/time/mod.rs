//! Instants, wall-clock time, the calendar and lengths of time.
//!
//! Two kinds of time are kept apart by their types, because mixing them up is how schedulers go wrong: a [`Timestamp`]
//! is a point everyone agrees on, a [`Wall`] is what a clock on a wall shows. Only a [`Zone`] turns one into the other.

mod calendar;
mod clock;
mod date_time;
mod span;
mod start;
mod timestamp;
mod wall;
mod windows_zones;
mod zone;

pub(crate) use calendar::day_number;
pub use calendar::{Date, Month, Weekday};
pub use clock::Clock;
pub use date_time::DateTime;
pub use span::Span;
pub use start::Start;
pub use timestamp::Timestamp;
pub use wall::Wall;
pub use zone::{Zone, ZoneSpan, tz_database_version};

/// 100 ns, the unit in which the original service counted time and the finest its API can write.
pub const TICKS_PER_SECOND: i64 = 10_000_000;
/// Ticks in a millisecond.
pub const TICKS_PER_MILLISECOND: i64 = TICKS_PER_SECOND / 1000;
/// Ticks in a minute.
pub const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;
/// Ticks in an hour.
pub const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
/// Ticks in a day of 24 hours.
pub const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;

#[cfg(test)]
mod tests;
