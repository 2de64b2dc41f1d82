//! The ids of traces and spans, and which traces are sampled.
//!
//! Ids are derived and not rolled: an attempt that is sent again after a crash belongs to the same trace, and has the same
//! spans.

/// The id of a trace.
pub(crate) type TraceId = [u8; 16];

/// The id of a span.
pub(crate) type SpanId = [u8; 8];

/// The id of the root span of an occurrence, whose id is that of the trace.
pub(crate) fn root_of(trace: TraceId) -> SpanId {
    half(trace, 0, 0)
}

/// The id of the span whose id a target is told in `traceparent`: the request of an attempt.
pub(crate) fn request_of(attempt_id: [u8; 16]) -> SpanId {
    half(attempt_id, 0, 0)
}

/// The id of another span of an attempt, by its number.
pub(crate) fn step_of(attempt_id: [u8; 16], number: u64) -> SpanId {
    half(attempt_id, 8, number)
}

/// Eight of the bytes from `start` on, plus a number. Zero is no id.
fn half(bytes: [u8; 16], start: usize, number: u64) -> SpanId {
    let half = bytes[start..].first_chunk().copied().map_or(0, u64::from_be_bytes);
    half.wrapping_add(number).max(1).to_be_bytes()
}

/// The traces that are sampled: those whose last 63 bits are below a bound, as the samplers of OpenTelemetry by ratio
/// have it, so that others with the same ratio choose the same traces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler {
    below: u64,
}

impl Sampler {
    /// Samples a part of all traces, from 0 to 1.
    pub(crate) fn new(part: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a bound need not be exact")]
        let all = (1_u64 << 63) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the part is from 0 to 1")]
        let below = (part.clamp(0.0, 1.0) * all) as u64;
        Self { below }
    }

    pub(crate) fn is_sampled(self, trace: TraceId) -> bool {
        let low = trace[8..].first_chunk().copied().map_or(0, u64::from_be_bytes);
        low >> 1 < self.below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_traces_is_sampled() {
        let trace = |low: u64| {
            let mut id = [7; 16];
            id[8..].copy_from_slice(&low.to_be_bytes());
            id
        };
        let spread = || (0..1000_u64).map(|number| trace(number * (u64::MAX / 1000)));
        for (part, expected) in [(0.0, 0..=0), (0.01, 9..=11), (0.5, 499..=501), (1.0, 1000..=1000)] {
            let sampled = spread().filter(|id| Sampler::new(part).is_sampled(*id)).count();
            assert!(expected.contains(&sampled), "{part}: {sampled}");
        }
    }

    #[test]
    fn no_id_is_zero_and_steps_differ() {
        assert_eq!(root_of([0; 16]), 1_u64.to_be_bytes());
        let attempt = *b"0123456789abcdef";
        assert_eq!(request_of(attempt), *b"01234567");
        assert_ne!(step_of(attempt, 1), step_of(attempt, 2));
    }
}
