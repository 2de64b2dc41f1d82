//! Metrics as values: families of series, before anyone has written them in a format.

use std::fmt;

use punctual_model::time::TICKS_PER_SECOND;

use crate::histogram::{BOUNDS, Histogram};

/// A metric with all its series.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// What its numbers are.
    pub kind: Kind,
    /// Its name, as Prometheus has it: a counter ends in `_total`, and a unit is part of the name.
    pub name: String,
    /// What it means, in a sentence.
    pub help: String,
    /// Its series.
    pub series: Vec<Series>,
}

/// The kind of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers that only grow while the process lives.
    Counter,
    /// Numbers that go up and down.
    Gauge,
    /// Durations by how long they were.
    Histogram,
}

/// One series of a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Names and values of its labels.
    pub labels: Vec<(String, String)>,
    /// What it shows.
    pub value: Value,
}

/// What a series shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(Number),
    /// Durations in buckets.
    Durations(Durations),
}

/// A whole number or a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A number of things.
    Count(u64),
    /// A whole number.
    Whole(i64),
    /// A number of seconds.
    Fraction(f64),
}

/// What a histogram has counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Durations {
    /// For each bucket, how many durations were not longer than its upper end. The last bucket has none.
    pub cumulated: [u64; BOUNDS.len() + 1],
    /// All durations together, in seconds.
    pub sum_seconds: f64,
}

/// Names and values of labels.
pub(crate) type Labels<'a> = &'a [(&'a str, &'a str)];

/// Gathers families, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Families(Vec<Family>);

impl Family {
    /// What its numbers count, if its name says so: `seconds` or `bytes`.
    pub fn unit(&self) -> Option<&'static str> {
        let name = self.name.strip_suffix("_total").unwrap_or(&self.name);
        ["seconds", "bytes"].into_iter().find(|unit| name.strip_suffix(unit).is_some_and(|rest| rest.ends_with('_')))
    }
}

impl Durations {
    /// The upper ends of the buckets in seconds, but for the last bucket, which has none.
    pub fn bounds_seconds() -> impl Iterator<Item = f64> {
        BOUNDS.iter().map(|(_, ticks)| seconds((*ticks).into()))
    }

    /// How many durations there were.
    pub fn count(&self) -> u64 {
        self.cumulated[BOUNDS.len()]
    }
}

impl Families {
    /// All families.
    pub(crate) fn finish(self) -> Vec<Family> {
        self.0
    }

    /// A counter without labels.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: impl Into<Number>) {
        self.family(Kind::Counter, name, help);
        self.sample(&[], value);
    }

    /// A gauge without labels.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: impl Into<Number>) {
        self.family(Kind::Gauge, name, help);
        self.sample(&[], value);
    }

    /// A histogram without labels.
    pub(crate) fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.family(Kind::Histogram, name, help);
        let sum_seconds = seconds(histogram.sum_ticks().into());
        self.push(&[], Value::Durations(Durations { cumulated: histogram.cumulated(), sum_seconds }));
    }

    /// Begins a family, whose series follow.
    pub(crate) fn family(&mut self, kind: Kind, name: &str, help: &str) {
        self.0.push(Family { kind, name: name.to_owned(), help: help.to_owned(), series: Vec::new() });
    }

    /// Adds a series to the family that was begun last.
    pub(crate) fn sample(&mut self, labels: Labels<'_>, value: impl Into<Number>) {
        self.push(labels, Value::Number(value.into()));
    }

    fn push(&mut self, labels: Labels<'_>, value: Value) {
        let labels = labels.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        if let Some(family) = self.0.last_mut() {
            family.series.push(Series { labels, value });
        }
    }
}

/// Ticks as seconds.
pub(crate) fn seconds(ticks: i128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a number of seconds has fewer digits than a float")]
    let seconds = ticks as f64 / TICKS_PER_SECOND as f64;
    seconds
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(number) => number.fmt(f),
            Self::Whole(number) => number.fmt(f),
            Self::Fraction(number) => number.fmt(f),
        }
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self::Count(number)
    }
}

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Self::Count(u64::try_from(number).unwrap_or(u64::MAX))
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Self::Fraction(number)
    }
}
