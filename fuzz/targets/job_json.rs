//! The body of a job: any text is read or refused with reasons, and what is read can be asked when it runs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use punctual_api::wire::{Json, Unknown, parse_job, parse_timing};
use punctual_fuzz::{Bytes, explain, within_deadline};
use punctual_model::recurrence::{Anchor, Timetable};
use punctual_model::time::Timestamp;

fuzz_target!(|input: &[u8]| {
    if let Some(text) = Bytes::new(input).text() {
        explain(|| format!("{text:?}"));
        within_deadline("parse_job", || check_job(text));
        within_deadline("parse_timing", || check_timing(text));
    }
});

fn check_job(text: &str) {
    if let Err(violations) = parse_job(text) {
        assert!(!violations.is_empty(), "refused without a reason");
        assert!(violations.iter().all(|violation| !violation.advice().is_empty()), "{violations:?}");
    }
}

fn check_timing(text: &str) {
    let Ok(json) = Json::parse(text) else { return };
    let Ok(timing) = parse_timing(&json, Unknown::Warned) else { return };
    let (start, recurrence) = (timing.value.start, timing.value.recurrence);
    let anchor = Anchor::new(start, recurrence.is_some(), Timestamp::EPOCH);
    let Ok(timetable) = Timetable::new(recurrence.as_ref(), anchor) else { return };
    assert!(!timetable.describe(recurrence.as_ref()).is_empty());
    let occurrences: Vec<_> = timetable.occurrences(Timestamp::MIN..Timestamp::MAX).take(20).collect();
    assert!(occurrences.is_sorted_by(|earlier, later| earlier < later), "{occurrences:?}");
}
