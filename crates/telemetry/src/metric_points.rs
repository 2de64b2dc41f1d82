//! The metrics of `/metrics` as OTLP has them: under the same names, with the same numbers.

use punctual_metrics::{Durations, Family, Kind, Number, Value};
use punctual_model::time::Timestamp;

use crate::attempt_span::nanoseconds;
use crate::otlp::{
    CUMULATIVE, Gauge, Histogram, HistogramPoint, KeyValue, Metric, MetricData, NumberPoint, NumberValue, Sum,
};

/// Since when is counted, and when the numbers were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
}

/// A family of series as a metric.
pub(crate) fn metric(family: &Family, period: Period) -> Metric {
    let unit = match family.unit() {
        Some("seconds") => "s",
        Some("bytes") => "By",
        _ => "",
    };
    let data = match family.kind {
        Kind::Gauge => MetricData::Gauge(Gauge { data_points: number_points(family, period) }),
        Kind::Counter => {
            let data_points = number_points(family, period);
            MetricData::Sum(Sum { data_points, aggregation_temporality: CUMULATIVE, is_monotonic: true })
        }
        Kind::Histogram => {
            let data_points = family.series.iter().filter_map(|series| match &series.value {
                Value::Durations(durations) => Some(histogram_point(&series.labels, durations, period)),
                Value::Number(_) => None,
            });
            let data_points = data_points.collect();
            MetricData::Histogram(Histogram { data_points, aggregation_temporality: CUMULATIVE })
        }
    };
    let (name, description) = (family.name.clone(), family.help.clone());
    Metric { name, description, unit: unit.to_owned(), data: Some(data) }
}

fn number_points(family: &Family, period: Period) -> Vec<NumberPoint> {
    let points = family.series.iter().filter_map(|series| {
        let Value::Number(number) = series.value else { return None };
        let value = match number {
            Number::Count(count) => NumberValue::Whole(i64::try_from(count).unwrap_or(i64::MAX)),
            Number::Whole(whole) => NumberValue::Whole(whole),
            Number::Fraction(fraction) => NumberValue::Fraction(fraction),
        };
        Some(NumberPoint {
            start_time_unix_nano: nanoseconds(period.from),
            time_unix_nano: nanoseconds(period.to),
            attributes: attributes(&series.labels),
            value: Some(value),
        })
    });
    points.collect()
}

fn histogram_point(labels: &[(String, String)], durations: &Durations, period: Period) -> HistogramPoint {
    let mut before = 0;
    let bucket_counts = durations.cumulated.iter().map(|cumulated| {
        let inside = cumulated.saturating_sub(before);
        before = *cumulated;
        inside
    });
    HistogramPoint {
        start_time_unix_nano: nanoseconds(period.from),
        time_unix_nano: nanoseconds(period.to),
        count: durations.count(),
        sum: Some(durations.sum_seconds),
        bucket_counts: bucket_counts.collect(),
        explicit_bounds: Durations::bounds_seconds().collect(),
        attributes: attributes(labels),
    }
}

fn attributes(labels: &[(String, String)]) -> Vec<KeyValue> {
    labels.iter().map(|(name, text)| KeyValue::text(name, text)).collect()
}

#[cfg(test)]
mod tests {
    use punctual_metrics::Metrics;
    use punctual_model::time::TICKS_PER_SECOND;

    use super::*;

    #[test]
    fn every_family_of_metrics_has_its_metric() {
        let metrics = Metrics::new(1);
        metrics.collections.of_job("s/g/c/j").fires.add(3);
        metrics.engine.lateness.observe(TICKS_PER_SECOND / 5);
        metrics.engine.lateness.observe(TICKS_PER_SECOND / 4);
        let now = Timestamp::EPOCH.saturating_add(TICKS_PER_SECOND);
        let families = metrics.families(now);
        let period = Period { from: Timestamp::EPOCH, to: now };
        let points: Vec<Metric> = families.iter().map(|family| metric(family, period)).collect();
        let find = |name: &str| points.iter().find(|metric| metric.name == name).unwrap();
        let Some(MetricData::Sum(fires)) = &find("punctual_fires_total").data else { panic!("a counter is a sum") };
        assert!(fires.is_monotonic);
        assert_eq!(fires.data_points[0].value, Some(NumberValue::Whole(3)));
        assert_eq!(fires.data_points[0].attributes[2], KeyValue::text("collection", "c"));
        let Some(MetricData::Histogram(lateness)) = &find("punctual_lateness_seconds").data else {
            panic!("durations are a histogram")
        };
        let point = &lateness.data_points[0];
        assert_eq!((point.count, point.bucket_counts.iter().sum::<u64>()), (2, 2));
        assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
        let bucket = point.bucket_counts.iter().position(|inside| *inside == 2).unwrap();
        assert!((point.explicit_bounds[bucket] - 0.25).abs() < 1e-9);
        assert_eq!(find("punctual_history_bytes").unit, "By");
        assert!(matches!(find("punctual_in_flight").data, Some(MetricData::Gauge(_))));
    }
}
