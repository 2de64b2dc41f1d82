//! Date-times: the name of a zone, a line end, and what may be a date-time.

#![no_main]

use libfuzzer_sys::fuzz_target;
use punctual_fuzz::{Bytes, explain, within_deadline};
use punctual_model::time::{DateTime, Start, Timestamp, Zone};

fuzz_target!(|input: &[u8]| {
    if let Some(text) = Bytes::new(input).text() {
        explain(|| format!("{text:?}"));
        within_deadline("the check", || check(text));
    }
});

fn check(text: &str) {
    let (zone, date_time) = text.split_once('\n').unwrap_or(("UTC", text));
    let zone = Zone::find(zone).unwrap_or_else(|_| Zone::utc());
    let Ok(date_time) = DateTime::parse(date_time) else { return };
    let start = date_time.resolve(zone);
    let printed = start.instant().to_string();
    let again = read(&printed);
    assert!(again.is_instant(), "{printed}");
    assert_eq!(again.resolve(zone).instant(), start.instant(), "{text:?} as {printed}");
    // At the ends of time an instant is held back and its wall clock shows something else.
    if Timestamp::MIN < start.instant() && start.instant() < Timestamp::MAX && !date_time.is_instant() {
        check_wall(start, zone);
    }
}

/// What the wall clock was meant to show leads back to the same start.
fn check_wall(start: Start, zone: Zone) {
    assert!(start.moved_ticks() >= 0, "a start moves forward");
    let wall = format!("{:?}", start.wall(zone));
    let again = read(&wall).resolve(zone);
    assert_eq!(again.instant(), start.instant(), "{wall} in {zone:?}");
    assert_eq!(again.moved_ticks(), start.moved_ticks(), "{wall} in {zone:?}");
}

fn read(printed: &str) -> DateTime {
    DateTime::parse(printed).unwrap_or_else(|expected| panic!("{printed}: {expected}"))
}
