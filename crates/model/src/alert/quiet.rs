//! When nobody is told anything.

use crate::time::{TICKS_PER_MINUTE, Timestamp, Wall, Zone};
use crate::{Expected, Violation};

/// Hours of each day in which messages are held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    from: u16,
    until: u16,
    zone: Zone,
}

impl QuietHours {
    /// From one minute of the day to another, by the clocks of a zone. Over midnight, if the second comes first.
    pub fn new(from: &str, until: &str, zone: Zone) -> Result<Self, Vec<Violation>> {
        let read = |member, text: &str| minute_of_day(text).map_err(|expected| expected.at(member, text));
        match (read("from", from), read("to", until)) {
            (Ok(from), Ok(until)) if from != until => Ok(Self { from, until, zone }),
            (Ok(_), Ok(_)) => {
                Err(vec![Violation::sentence("to", "is the same as from: leave quietHours out, or mute the alert")])
            }
            (from, until) => Err([from.err(), until.err()].into_iter().flatten().collect()),
        }
    }

    /// The beginning, as hours and minutes.
    pub fn from(&self) -> String {
        shown(self.from)
    }

    /// The end, as hours and minutes.
    pub fn until(&self) -> String {
        shown(self.until)
    }

    /// Whose clocks are looked at.
    pub const fn zone(&self) -> Zone {
        self.zone
    }

    /// When the quiet hours end that `now` lies in; none if `now` does not lie in any.
    pub fn end_after(&self, now: Timestamp) -> Option<Timestamp> {
        let wall = self.zone.wall(now);
        let minute = u16::try_from(wall.of_day() / TICKS_PER_MINUTE).unwrap_or(0);
        let is_over_midnight = self.from > self.until;
        let (is_after_from, is_before_until) = (minute >= self.from, minute < self.until);
        let is_in = if is_over_midnight { is_after_from || is_before_until } else { is_after_from && is_before_until };
        let day = if is_over_midnight && is_after_from { wall.day() + 1 } else { wall.day() };
        let end = Wall::at(day, i64::from(self.until) * TICKS_PER_MINUTE);
        let end = self.zone.start_at(end).instant();
        // Where the clock is set back over the end, the minutes before it come twice: look again when they are over.
        is_in.then(|| if end > now { end } else { now.saturating_add(TICKS_PER_MINUTE) })
    }
}

fn minute_of_day(text: &str) -> Result<u16, Expected> {
    let expected = || Expected::new("a time of day such as 22:00");
    let (hour, minute) = text.split_once(':').ok_or_else(expected)?;
    let number = |text: &str| text.parse::<u16>().ok().filter(|_| text.len() <= 2 && !text.starts_with('+'));
    match (number(hour), number(minute)) {
        (Some(hour), Some(minute)) if hour < 24 && minute < 60 => Ok(hour * 60 + minute),
        _ => Err(expected()),
    }
}

fn shown(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DateTime;

    fn at(text: &str) -> Timestamp {
        DateTime::parse(text).map_or(Timestamp::EPOCH, |read| read.resolve(Zone::utc()).instant())
    }

    fn quiet(from: &str, until: &str) -> Option<QuietHours> {
        QuietHours::new(from, until, Zone::find("Europe/Berlin").ok()?).ok()
    }

    #[test]
    fn quiet_hours_end_by_the_clock_of_their_zone() {
        let night = quiet("22:00", "07:00");
        let end = |now: &str| night.and_then(|night| night.end_after(at(now)));
        assert_eq!(end("2026-07-01T19:59:59Z"), None);
        assert_eq!(end("2026-07-01T20:00:00Z"), Some(at("2026-07-02T05:00:00Z")));
        assert_eq!(end("2026-07-02T04:59:59Z"), Some(at("2026-07-02T05:00:00Z")));
        assert_eq!(end("2026-07-02T05:00:00Z"), None);
        // In this night clocks are set back: seven o'clock is an hour later.
        assert_eq!(end("2026-10-24T20:00:00Z"), Some(at("2026-10-25T06:00:00Z")));
        let noon = quiet("12:00", "13:30");
        assert_eq!(noon.and_then(|noon| noon.end_after(at("2026-01-01T11:00:00Z"))), Some(at("2026-01-01T12:30:00Z")));
    }

    #[test]
    fn quiet_hours_are_two_different_times_of_day() {
        assert_eq!(
            quiet("8:5", "9:00").map(|quiet| (quiet.from(), quiet.until())),
            Some(("08:05".into(), "09:00".into()))
        );
        for (from, until) in [("24:00", "1:00"), ("1:00", "1:60"), ("1:00", "1:00"), ("one", "2:00"), ("+1:00", "2:00")]
        {
            assert_eq!(quiet(from, until), None, "{from} {until}");
        }
    }
}
