//! The time that somebody asks about, and how times are told.

use crate::Expected;
use crate::time::{DateTime, TICKS_PER_MINUTE, TICKS_PER_SECOND, Timestamp, Wall, Zone};

/// A time as somebody asked for it: an instant, or what the wall clock of the job's zone shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedTime {
    at: Timestamp,
    /// What the wall clock was to show, where that was asked for.
    wall: Option<Wall>,
}

/// What a change of the clock has to do with a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClockChange {
    /// The wall clock left the time out.
    LeftOut,
    /// The wall clock showed the time twice, and this is the first.
    First,
    /// The same, and this is the second.
    Second,
}

impl AskedTime {
    /// An instant.
    pub const fn at(at: Timestamp) -> Self {
        Self { at, wall: None }
    }

    /// Reads an instant, a local date and time, or `HH:MM`, which is the last such time up to now.
    pub fn parse(text: &str, now: Timestamp, zone: Zone) -> Result<Self, Expected> {
        if let Some(of_day) = time_of_day(text) {
            let today = zone.wall(now).day();
            let local = |day: i32| Self::local(Wall::at(day, of_day), zone);
            return Ok(Some(local(today)).filter(|local| local.at <= now).unwrap_or_else(|| local(today - 1)));
        }
        let written = DateTime::parse(text).map_err(|_| {
            Expected::new("an instant such as 2026-01-31T03:15:00Z, a local time such as 2026-01-31T03:15, or 03:15")
        })?;
        if written.is_instant() {
            return Ok(Self::at(written.resolve(zone).instant()));
        }
        Ok(Self::local(written.resolve(zone).wall(zone), zone))
    }

    fn local(wall: Wall, zone: Zone) -> Self {
        Self { at: zone.start_at(wall).instant(), wall: Some(wall) }
    }

    /// The instant: of a local time that came twice the first, of one that was left out the one it moved to.
    pub const fn instant(self) -> Timestamp {
        self.at
    }

    /// The same question about another instant, where the wall clock shows no other minute.
    #[must_use]
    pub const fn moved_to(self, at: Timestamp) -> Self {
        Self { at, wall: self.wall }
    }

    /// What a change of the clock has to do with the time, if there was one.
    pub(super) fn clock_change(self, zone: Zone) -> Option<ClockChange> {
        let shown = zone.wall(self.at);
        if self.wall.is_some_and(|wall| wall != shown) {
            return Some(ClockChange::LeftOut);
        }
        let span = zone.span_at(self.at.ticks());
        let next = zone.span_at(span.end);
        let is_again = |at: i64| Timestamp::from_ticks(at).is_some_and(|at| zone.wall(at) == shown);
        if span.shift < 0 && is_again(self.at.ticks() + span.shift) && self.at.ticks() + span.shift < span.start {
            return Some(ClockChange::Second);
        }
        let is_first = next.shift < 0 && span.end < i64::MAX && is_again(self.at.ticks() - next.shift);
        (is_first && self.at.ticks() - next.shift >= span.end).then_some(ClockChange::First)
    }

    /// What the wall clock was to show, to the minute.
    pub(super) fn wall_text(self, zone: Zone) -> String {
        clock_text(self.wall.unwrap_or_else(|| zone.wall(self.at)))
    }
}

/// What a clock shows, to the minute, or to the second where there are some.
pub(super) fn clock_text(wall: Wall) -> String {
    match wall.time() {
        (hour, minute, 0) => format!("{hour:02}:{minute:02}"),
        (hour, minute, second) => format!("{hour:02}:{minute:02}:{second:02}"),
    }
}

/// The ticks from midnight to `03:15` or `03:15:30`.
fn time_of_day(text: &str) -> Option<i64> {
    let parts: Option<Vec<i64>> =
        text.trim().split(':').map(|part| part.parse().ok().filter(|_| part.len() == 2)).collect();
    let (hour, minute, second) = match parts?[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    is_time.then_some((hour * 60 + minute) * TICKS_PER_MINUTE + second * TICKS_PER_SECOND)
}

/// An instant to the second, with the date, the time and the offset of that zone.
pub(super) fn told(at: Timestamp, zone: Zone) -> String {
    let wall = zone.wall(at);
    let (date, (hour, minute, second)) = (wall.date(), wall.time());
    let time = format!("{:04}-{:02}-{:02} {hour:02}:{minute:02}:{second:02}", date.year, date.month.number(), date.day);
    let minutes = (wall.ticks() - at.ticks()) / TICKS_PER_MINUTE;
    if zone == Zone::utc() {
        return format!("{time}Z");
    }
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{time}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
