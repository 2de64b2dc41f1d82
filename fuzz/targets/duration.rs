//! Durations: whatever is read can be written in both notations and is as long when it is read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use punctual_fuzz::{Bytes, explain, within_deadline};
use punctual_model::time::Span;

fuzz_target!(|input: &[u8]| {
    if let Some(text) = Bytes::new(input).text() {
        explain(|| format!("{text:?}"));
        within_deadline("the check", || check(text));
    }
});

fn check(text: &str) {
    let Ok(span) = Span::parse(text) else { return };
    assert!(span.ticks() >= 0, "{text:?} is negative");
    for written in [span.to_iso(), span.to_time_span(), span.as_written().to_owned()] {
        let read = Span::parse(&written).unwrap_or_else(|expected| panic!("{text:?} as {written:?}: {expected}"));
        assert_eq!(read.ticks(), span.ticks(), "{text:?} as {written:?}");
    }
}
