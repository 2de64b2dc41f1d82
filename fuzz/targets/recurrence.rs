//! Recurrences: the four questions to a timetable give answers that fit together.

#![no_main]

use libfuzzer_sys::fuzz_target;
use punctual_fuzz::{Bytes, explain, instant, recurrence_parts, within_deadline};
use punctual_model::recurrence::{Anchor, Recurrence, Timetable};
use punctual_model::time::{Start, TICKS_PER_DAY, Timestamp};

/// Enough for every hour of a month that holds a change of the clock.
const WINDOW_MAX: usize = 1000;
/// Fifty years: nobody plans further ahead.
const WINDOW_TICKS_MAX: i64 = 18_262 * TICKS_PER_DAY;

fuzz_target!(|input: &[u8]| check(&mut Bytes::new(input)));

fn check(bytes: &mut Bytes<'_>) {
    let parts = recurrence_parts(bytes);
    let at = instant(bytes);
    let anchor = if bytes.flag() { Anchor::Creation(at) } else { Anchor::Start(Start::at(at)) };
    let from = instant(bytes);
    explain(|| format!("{parts:?} from {anchor:?}, window from {from}"));
    let made = within_deadline("Timetable::new", || {
        let recurrence = Recurrence::new(&parts).ok()?;
        Timetable::new(Some(&recurrence), anchor).ok()
    });
    let Some(timetable) = made else { return };
    check_window(&timetable, from, WINDOW_MAX);
    // Where the window is far from the anchor, the first occurrences are a case of their own.
    check_window(&timetable, at, WINDOW_MAX / 10);
}

fn check_window(timetable: &Timetable, from: Timestamp, most: usize) {
    let limit = from.saturating_add(WINDOW_TICKS_MAX);
    let list = || timetable.occurrences(from..limit).take(most).collect();
    let listed: Vec<Timestamp> = within_deadline("next", list);
    within_deadline("previous", || check_steps(timetable, from, &listed));
    let until = match listed.last() {
        Some(last) if listed.len() == most => last.saturating_add(1),
        _ => limit,
    };
    let count = |from, until| within_deadline("count", || timetable.count(from..until));
    let expected = listed.iter().filter(|at| **at < until).count();
    assert_eq!(count(from, until), expected as u64, "count to {until}");
    // Somewhere in the middle, where both ends of the range are occurrences.
    let [first, .., last] = listed[..] else { return };
    assert_eq!(count(first, last), listed.len() as u64 - 1, "count from {first} to {last}");
}

fn check_steps(timetable: &Timetable, from: Timestamp, listed: &[Timestamp]) {
    if let Some(first) = listed.first() {
        assert!(*first >= from, "{first} before the window");
        assert!(timetable.previous(*first).is_none_or(|before| before < from), "skipped before {first}");
    }
    for pair in listed.windows(2) {
        let [earlier, later] = [pair[0], pair[1]];
        assert!(earlier < later, "{later} after {earlier}");
        assert_eq!(timetable.previous(later), Some(earlier), "previous of {later}");
    }
}
