//! Metrics.

use prost::{Message, Oneof};

use super::common::{InstrumentationScope, KeyValue, Resource};

/// The body of a request to `/v1/metrics`.
#[derive(Clone, PartialEq, Message)]
pub struct ExportMetrics {
    /// Metrics by sender.
    #[prost(message, repeated, tag = "1")]
    pub resource_metrics: Vec<ResourceMetrics>,
}

/// Metrics of one sender.
#[derive(Clone, PartialEq, Message)]
pub struct ResourceMetrics {
    /// The sender.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Metrics by part of the sender.
    #[prost(message, repeated, tag = "2")]
    pub scope_metrics: Vec<ScopeMetrics>,
}

/// Metrics of one part of a sender.
#[derive(Clone, PartialEq, Message)]
pub struct ScopeMetrics {
    /// The part.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<InstrumentationScope>,
    /// The metrics.
    #[prost(message, repeated, tag = "2")]
    pub metrics: Vec<Metric>,
}

/// A metric with all its series.
#[derive(Clone, PartialEq, Message)]
pub struct Metric {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// What it means.
    #[prost(string, tag = "2")]
    pub description: String,
    /// What its numbers count: `s`, `By`, or nothing.
    #[prost(string, tag = "3")]
    pub unit: String,
    /// Its numbers.
    #[prost(oneof = "MetricData", tags = "5, 7, 9")]
    pub data: Option<MetricData>,
}

/// The kinds of metrics.
#[derive(Clone, PartialEq, Oneof)]
pub enum MetricData {
    /// Numbers that go up and down.
    #[prost(message, tag = "5")]
    Gauge(Gauge),
    /// Numbers that only grow.
    #[prost(message, tag = "7")]
    Sum(Sum),
    /// Values by how large they were.
    #[prost(message, tag = "9")]
    Histogram(Histogram),
}

/// Numbers that go up and down.
#[derive(Clone, PartialEq, Message)]
pub struct Gauge {
    /// One for each series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<NumberPoint>,
}

/// Numbers that are counted together.
#[derive(Clone, PartialEq, Message)]
pub struct Sum {
    /// One for each series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<NumberPoint>,
    /// Since when is counted: [`CUMULATIVE`].
    #[prost(int32, tag = "2")]
    pub aggregation_temporality: i32,
    /// Whether the numbers only grow.
    #[prost(bool, tag = "3")]
    pub is_monotonic: bool,
}

/// Values by how large they were.
#[derive(Clone, PartialEq, Message)]
pub struct Histogram {
    /// One for each series.
    #[prost(message, repeated, tag = "1")]
    pub data_points: Vec<HistogramPoint>,
    /// Since when is counted: [`CUMULATIVE`].
    #[prost(int32, tag = "2")]
    pub aggregation_temporality: i32,
}

/// What is counted is counted from the start of the process.
pub const CUMULATIVE: i32 = 2;

/// A number of a series.
#[derive(Clone, PartialEq, Message)]
pub struct NumberPoint {
    /// Since when is counted, in nanoseconds since 1970.
    #[prost(fixed64, tag = "2")]
    pub start_time_unix_nano: u64,
    /// When the number was read.
    #[prost(fixed64, tag = "3")]
    pub time_unix_nano: u64,
    /// The labels of the series.
    #[prost(message, repeated, tag = "7")]
    pub attributes: Vec<KeyValue>,
    /// The number.
    #[prost(oneof = "NumberValue", tags = "4, 6")]
    pub value: Option<NumberValue>,
}

/// A number.
#[derive(Clone, Copy, PartialEq, Oneof)]
pub enum NumberValue {
    /// A fraction.
    #[prost(double, tag = "4")]
    Fraction(f64),
    /// A whole number.
    #[prost(sfixed64, tag = "6")]
    Whole(i64),
}

/// The buckets of a series.
#[derive(Clone, PartialEq, Message)]
pub struct HistogramPoint {
    /// Since when is counted, in nanoseconds since 1970.
    #[prost(fixed64, tag = "2")]
    pub start_time_unix_nano: u64,
    /// When the numbers were read.
    #[prost(fixed64, tag = "3")]
    pub time_unix_nano: u64,
    /// How many values there were.
    #[prost(fixed64, tag = "4")]
    pub count: u64,
    /// All values together.
    #[prost(double, optional, tag = "5")]
    pub sum: Option<f64>,
    /// How many values are in each bucket.
    #[prost(fixed64, repeated, tag = "6")]
    pub bucket_counts: Vec<u64>,
    /// The upper ends of all buckets but the last.
    #[prost(double, repeated, tag = "7")]
    pub explicit_bounds: Vec<f64>,
    /// The labels of the series.
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
}
