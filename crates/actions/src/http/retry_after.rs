//! How long a target asks to be left alone.

use std::time::Duration;

use punctual_model::limits;
use punctual_model::time::TICKS_PER_SECOND;

use super::head::Head;

/// The ticks in `Retry-After`. A date is taken from the target's own `Date`: only the difference matters, and its clock may
/// be wrong.
pub(crate) fn ticks(head: &Head) -> Option<i64> {
    let value = head.get("retry-after")?.trim();
    let seconds = match value.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => until(value, head.get("date")?)?.as_secs(),
    };
    let ticks = i64::try_from(seconds).ok().and_then(|seconds| seconds.checked_mul(TICKS_PER_SECOND));
    Some(ticks.unwrap_or(i64::MAX).min(limits::RETRY_AFTER_TICKS_MAX))
}

fn until(retry_after: &str, date: &str) -> Option<Duration> {
    let retry_after = httpdate::parse_http_date(retry_after).ok()?;
    let date = httpdate::parse_http_date(date.trim()).ok()?;
    Some(retry_after.duration_since(date).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates() {
        let date = "Tue, 15 Nov 2026 08:12:31 GMT";
        let cases = [
            ("120", None, Some(120)),
            (" 0 ", None, Some(0)),
            ("99999999999999999999", None, None),
            ("9999999999999999999", None, Some(3600)),
            ("-1", Some(date), None),
            ("soon", Some(date), None),
            ("Sun, 15 Nov 2026 08:13:31 GMT", Some("Sun, 15 Nov 2026 08:12:31 GMT"), Some(60)),
            ("Sun, 15 Nov 2026 08:11:31 GMT", Some("Sun, 15 Nov 2026 08:12:31 GMT"), Some(0)),
            ("Sun, 15 Nov 2026 08:13:31 GMT", None, None),
        ];
        for (retry_after, date, seconds) in cases {
            let mut headers = vec![("retry-after".to_owned(), retry_after.to_owned())];
            headers.extend(date.map(|date| ("Date".to_owned(), date.to_owned())));
            let head = Head { status: 503, headers };
            assert_eq!(ticks(&head), seconds.map(|seconds: i64| seconds * TICKS_PER_SECOND), "{retry_after}");
        }
    }
}
