//! The two forms in which metrics are written.

/// A form in which metrics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The text format of Prometheus, which everything reads.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

/// The media types of the two.
const PROMETHEUS: &str = "text/plain";
const OPEN_METRICS: &str = "application/openmetrics-text";

impl Format {
    /// The format that the value of an `Accept` header asks for: OpenMetrics where it is named and not liked less than the
    /// other.
    pub fn of_accept(accept: &str) -> Self {
        let best = |name: &str| {
            let ranges = accept.split(',').filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                parts.next().filter(|named| named.eq_ignore_ascii_case(name))?;
                let quality = parts.find_map(|part| part.strip_prefix("q="));
                Some(quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0)))
            });
            ranges.fold(0.0_f32, f32::max)
        };
        let open_metrics = best(OPEN_METRICS);
        if open_metrics > 0.0 && open_metrics >= best(PROMETHEUS) { Self::OpenMetrics } else { Self::Prometheus }
    }

    /// The value of `Content-Type`.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_sent() {
        let prometheus = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                          text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        for (accept, expected) in [
            ("", Format::Prometheus),
            ("*/*", Format::Prometheus),
            (prometheus, Format::OpenMetrics),
            ("Application/OpenMetrics-Text", Format::OpenMetrics),
            ("text/plain, application/openmetrics-text; q=0.5", Format::Prometheus),
            ("application/openmetrics-text; q=0", Format::Prometheus),
            ("application/openmetrics-text; q=x", Format::Prometheus),
        ] {
            assert_eq!(Format::of_accept(accept), expected, "{accept}");
        }
    }
}
