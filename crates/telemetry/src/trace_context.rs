//! The `traceparent` header of W3C Trace Context.

use crate::ids::{SpanId, TraceId};

/// The span of somebody else that a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The id of the trace.
    pub trace: [u8; 16],
    /// The id of the span.
    pub span: [u8; 8],
    /// Whether the caller records the trace.
    pub is_sampled: bool,
}

impl TraceContext {
    /// Reads the value of a header; none if the value is not as the standard has it. Later versions may have more fields.
    pub fn parse(header: &str) -> Option<Self> {
        let mut fields = header.trim().split('-');
        let [version] = bytes::<1>(fields.next()?)?;
        let trace: TraceId = bytes(fields.next()?)?;
        let span: SpanId = bytes(fields.next()?)?;
        let [flags] = bytes::<1>(fields.next()?)?;
        let is_known = version != 0xff && (version != 0 || fields.next().is_none());
        let is_named = trace != [0; 16] && span != [0; 8];
        (is_known && is_named).then_some(Self { trace, span, is_sampled: flags & 1 == 1 })
    }
}

/// The bytes that lower-case hexadecimal digits stand for.
fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digits = digits.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_header_names_trace_span_and_decision() {
        let context = TraceContext::parse(HEADER).unwrap();
        assert_eq!(context.trace[..2], [0x0a, 0xf7]);
        assert_eq!(context.span[..2], [0xb7, 0xad]);
        assert!(context.is_sampled);
        assert!(!TraceContext::parse(&HEADER.replace("-01", "-00")).unwrap().is_sampled);
        assert!(TraceContext::parse(&HEADER.replacen("00", "cc", 1)).is_some(), "a later version");
        assert!(TraceContext::parse(&format!("{}-more", HEADER.replacen("00", "cc", 1))).is_some());
    }

    #[test]
    fn what_is_no_such_header_names_nothing() {
        for wrong in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-ä0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceContext::parse(wrong), None, "{wrong}");
        }
    }
}
