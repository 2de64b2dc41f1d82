//! What the metrics of a server say at one instant, and between two.

use std::collections::BTreeMap;

use punctual_model::time::{TICKS_PER_SECOND, Timestamp};

use super::super::client::Server;
use crate::cli::failure::Failure;

/// The metrics of a server at one instant.
pub(super) struct Sample {
    at: Timestamp,
    /// By name and labels, as they are written.
    values: BTreeMap<String, f64>,
}

/// What happened between two samples.
#[derive(Debug, PartialEq)]
pub(super) struct Rates {
    pub(super) runs: f64,
    pub(super) succeeded: f64,
    pub(super) failed: f64,
    pub(super) lateness_50: Option<f64>,
    pub(super) lateness_99: Option<f64>,
    pub(super) in_flight: u64,
    pub(super) in_flight_max: u64,
    pub(super) due: u64,
    pub(super) overdue: u64,
    pub(super) is_paused: bool,
}

impl Sample {
    pub(super) fn read(server: &Server, at: Timestamp) -> Result<Self, Failure> {
        Ok(Self::parse(&server.text("/metrics")?, at))
    }

    fn parse(text: &str, at: Timestamp) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let values = lines.filter_map(|line| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        });
        Self { at, values: values.collect() }
    }

    /// The sum of all series of a name whose labels have this in them.
    fn sum(&self, name: &str, label: &str) -> f64 {
        let is_one = |series: &str| {
            let labels = series.strip_prefix(name);
            labels.is_some_and(|labels| (labels.is_empty() || labels.starts_with('{')) && labels.contains(label))
        };
        self.values.iter().filter(|(series, _)| is_one(series)).map(|(_, value)| value).sum()
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "gauges count things")]
    fn gauge(&self, name: &str, label: &str) -> u64 {
        self.sum(name, label).max(0.0) as u64
    }

    pub(super) fn since(&self, before: &Self) -> Rates {
        #[expect(clippy::cast_precision_loss, reason = "seconds of a person who watches")]
        let seconds = (self.at.since(before.at).max(1) as f64) / TICKS_PER_SECOND as f64;
        let rate = |name, label| ((self.sum(name, label) - before.sum(name, label)) / seconds).max(0.0);
        let attempts = "punctual_attempts_total";
        Rates {
            runs: rate("punctual_fires_total", ""),
            succeeded: rate(attempts, "outcome=\"succeeded\""),
            failed: rate(attempts, "outcome=\"failed\""),
            lateness_50: self.quantile(before, 0.5),
            lateness_99: self.quantile(before, 0.99),
            in_flight: self.gauge("punctual_in_flight", "running"),
            in_flight_max: self.gauge("punctual_in_flight_max", ""),
            due: self.gauge("punctual_due", ""),
            overdue: self.gauge("punctual_overdue", ""),
            is_paused: self.gauge("punctual_paused", "") > 0,
        }
    }

    /// The bound below which a part of the lateness between two samples lies; none if nothing started.
    fn quantile(&self, before: &Self, part: f64) -> Option<f64> {
        const BUCKET: &str = "punctual_lateness_seconds_bucket{le=\"";
        let mut buckets: Vec<(f64, f64)> = self
            .values
            .iter()
            .filter_map(|(series, count)| {
                let bound = series.strip_prefix(BUCKET)?.strip_suffix("\"}")?;
                let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().ok()? };
                Some((bound, count - before.values.get(series).copied().unwrap_or(0.0)))
            })
            .collect();
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = buckets.last().map(|(_, count)| *count).filter(|count| *count > 0.0)?;
        buckets.iter().find(|(_, count)| *count >= all * part).map(|(bound, _)| *bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(fires: u32, failed: u32, buckets: [u32; 3], seconds: i64) -> Sample {
        let [first, second, all] = buckets;
        let text = format!(
            "# HELP punctual_fires_total Runs.\n\
             punctual_fires_total{{collection=\"a\"}} {fires}\npunctual_fires_total{{collection=\"b\"}} 1\n\
             punctual_attempts_total{{collection=\"a\",outcome=\"failed\"}} {failed}\n\
             punctual_lateness_seconds_bucket{{le=\"0.005\"}} {first}\n\
             punctual_lateness_seconds_bucket{{le=\"0.1\"}} {second}\n\
             punctual_lateness_seconds_bucket{{le=\"+Inf\"}} {all}\n\
             punctual_in_flight{{state=\"running\"}} 7\npunctual_in_flight_max 64\npunctual_due 3\npunctual_overdue 1\n\
             punctual_paused 1\n"
        );
        Sample::parse(&text, Timestamp::from_seconds(seconds).unwrap_or(Timestamp::EPOCH))
    }

    #[test]
    fn what_happened_is_the_difference_of_two_samples() {
        let before = sample(10, 1, [5, 5, 5], 0);
        let rates = sample(30, 5, [75, 95, 105], 2).since(&before);
        assert_eq!((rates.runs, rates.failed, rates.succeeded), (10.0, 2.0, 0.0));
        assert_eq!((rates.lateness_50, rates.lateness_99), (Some(0.005), Some(f64::INFINITY)));
        assert_eq!((rates.in_flight, rates.in_flight_max, rates.due, rates.overdue), (7, 64, 3, 1));
        assert!(rates.is_paused);
    }

    #[test]
    fn where_nothing_started_nothing_was_late() {
        let before = sample(10, 1, [5, 5, 5], 0);
        assert_eq!(sample(10, 1, [5, 5, 5], 2).since(&before).lateness_50, None);
    }
}
