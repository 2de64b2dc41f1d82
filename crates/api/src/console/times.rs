//! Instants as their reader's clock shows them: the exact time first, how far away it is second.

use maud::{Markup, html};
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_MILLISECOND, TICKS_PER_SECOND, Timestamp, Wall, Weekday, Zone};

use super::numbers::span;

/// In which zone times are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimesIn {
    /// The zone that the reader has chosen.
    Mine,
    /// The zone of the job that a time belongs to.
    Jobs,
    Utc,
}

impl TimesIn {
    pub(crate) const ALL: [Self; 3] = [Self::Mine, Self::Jobs, Self::Utc];

    /// The word for it in addresses and the cookie.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Mine => "mine",
            Self::Jobs => "job",
            Self::Utc => "utc",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == text)
    }
}

/// Writes instants.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) now: Timestamp,
    pub(crate) zone: Zone,
}

impl Times {
    /// The instant, as short as it is clear: "22:42" today, "Mon 02:30" within six days, "31 Oct 05:15" this year.
    pub(crate) fn short(&self, at: Timestamp) -> String {
        let (wall, today) = (self.zone.wall(at), self.zone.wall(self.now));
        let time = clock(wall);
        match wall.day() - today.day() {
            0 => time,
            -6..=6 => format!("{} {time}", weekday(wall)),
            _ => format!("{} {time}", self.day(at)),
        }
    }

    /// The day of an instant: "15 Nov", with the year if it is another one.
    pub(crate) fn day(&self, at: Timestamp) -> String {
        let (date, this_year) = (self.zone.wall(at).date(), self.zone.wall(self.now).date().year);
        let day = format!("{} {}", date.day, &date.month.name()[..3]);
        if date.year == this_year { day } else { format!("{day} {}", date.year) }
    }

    /// The day with its weekday: "Mon 16 Nov".
    pub(crate) fn weekday_and_day(&self, at: Timestamp) -> String {
        format!("{} {}", weekday(self.zone.wall(at)), self.day(at))
    }

    /// Hours and minutes.
    pub(crate) fn clock(&self, at: Timestamp) -> String {
        clock(self.zone.wall(at))
    }

    /// "Sun 15 Nov 22:42:07".
    pub(crate) fn full(&self, at: Timestamp) -> String {
        let (hour, minute, second) = self.zone.wall(at).time();
        format!("{} {hour:02}:{minute:02}:{second:02}", self.weekday_and_day(at))
    }

    /// "02:30:00.001".
    pub(crate) fn precise(&self, at: Timestamp) -> String {
        let (hour, minute, second) = self.zone.wall(at).time();
        let milliseconds = at.ticks().rem_euclid(TICKS_PER_SECOND) / TICKS_PER_MILLISECOND;
        format!("{hour:02}:{minute:02}:{second:02}.{milliseconds:03}")
    }

    /// "in 3 h 48 min", "4 s ago", "now".
    pub(crate) fn distance(&self, at: Timestamp) -> String {
        let ticks = at.since(self.now);
        if ticks.abs() < TICKS_PER_SECOND {
            "now".to_owned()
        } else if ticks > 0 {
            format!("in {}", span(ticks))
        } else {
            format!("{} ago", span(-ticks))
        }
    }

    /// The instant for a page: short, with all of it where the pointer rests.
    pub(crate) fn show(&self, at: Timestamp) -> Markup {
        html! { time datetime=(at) title=(self.title(at)) { (self.short(at)) } }
    }

    /// The same with seconds and the day.
    pub(crate) fn show_full(&self, at: Timestamp) -> Markup {
        html! { time datetime=(at) title=(self.title(at)) { (self.full(at)) } }
    }

    fn title(&self, at: Timestamp) -> String {
        let here = format!("{} {}", self.full(at), zone_name(self.zone));
        if self.zone == Zone::utc() { here } else { format!("{here} · {at}") }
    }

    /// When the day of that number begins and ends.
    pub(crate) fn day_bounds(&self, day: i32) -> (Timestamp, Timestamp) {
        let begins = |day| self.zone.start_at(Wall::at(day, 0)).instant();
        (begins(day), begins(day + 1))
    }

    /// Whether a day ago or later.
    pub(crate) fn is_recent(&self, at: Timestamp) -> bool {
        self.now.since(at) < TICKS_PER_DAY
    }
}

fn clock(wall: Wall) -> String {
    let (hour, minute, _) = wall.time();
    format!("{hour:02}:{minute:02}")
}

fn weekday(wall: Wall) -> &'static str {
    &Weekday::of_day_number(wall.day()).name()[..3]
}

/// A zone by its city: "Prague" for `Europe/Prague`.
pub(crate) fn zone_name(zone: Zone) -> String {
    if zone == Zone::utc() {
        return "UTC".to_owned();
    }
    zone.name().rsplit('/').next().unwrap_or_default().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use punctual_model::time::DateTime;

    use super::*;

    fn at(text: &str) -> Timestamp {
        DateTime::parse(text).unwrap().resolve(Zone::utc()).instant()
    }

    #[test]
    fn what_is_near_is_short() {
        let times = Times { now: at("2026-11-15T21:42:07Z"), zone: Zone::find("Europe/Prague").unwrap() };
        let short = |text: &str| times.short(at(text));
        assert_eq!(short("2026-11-15T21:43:00Z"), "22:43");
        assert_eq!(short("2026-11-16T01:30:00Z"), "Mon 02:30");
        assert_eq!(short("2026-10-31T04:15:00Z"), "31 Oct 05:15");
        assert_eq!(short("2027-03-28T01:30:00Z"), "28 Mar 2027 03:30");
        assert_eq!(times.full(times.now), "Sun 15 Nov 22:42:07");
        assert_eq!(times.precise(at("2026-11-15T21:42:07.0841Z")), "22:42:07.084");
        assert_eq!(times.distance(at("2026-11-16T01:30:00Z")), "in 3 h 47 min");
        assert_eq!(times.distance(at("2026-11-15T21:42:03Z")), "4 s ago");
        assert_eq!(zone_name(Zone::find("America/New_York").unwrap()), "New York");
    }
}
