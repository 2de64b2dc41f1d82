//! As much of a request as the receiver has to know.

use punctual_model::time::{DateTime, Timestamp, Zone};

/// A request that is there whole.
pub(super) struct Request {
    /// Its length.
    pub(super) bytes: usize,
    /// When it was to come.
    pub(super) expected: Option<Timestamp>,
    /// Whether it may have come before.
    pub(super) is_resent: bool,
}

impl Request {
    /// The request at the beginning of these bytes, unless there is more of it to come.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (mut at, mut body_bytes) = (0, 0);
        let (mut expected, mut is_resent) = (None, false);
        loop {
            let end = at + bytes[at..].iter().position(|byte| *byte == b'\n')?;
            let line = &bytes[at..end];
            at = end + 1;
            if line == b"\r" {
                break;
            }
            if let Some(value) = value(line, "content-length:") {
                body_bytes = value.parse().ok()?;
            } else if let Some(value) = value(line, "x-ms-scheduler-expected-execution-time:") {
                expected = DateTime::parse(value).ok().map(|time| time.resolve(Zone::utc()).instant());
            } else if value(line, "x-punctual-resent:").is_some() {
                is_resent = true;
            }
        }
        let bytes_in_all = at + body_bytes;
        (bytes.len() >= bytes_in_all).then_some(Self { bytes: bytes_in_all, expected, is_resent })
    }
}

fn value<'a>(line: &'a [u8], name: &str) -> Option<&'a str> {
    let (start, value) = line.split_at_checked(name.len())?;
    if !start.eq_ignore_ascii_case(name.as_bytes()) {
        return None;
    }
    std::str::from_utf8(value.trim_ascii()).ok()
}
