//! Writes families of series, in either format. The formats differ in how they name a counter (OpenMetrics names the
//! family without `_total`), in the units that only OpenMetrics has, and in the last line.

use std::fmt::{Display, Write};

use punctual_model::time::TICKS_PER_SECOND;

use crate::format::Format;
use crate::histogram::{BOUNDS, Histogram};

/// The kind of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Names and values.
pub(crate) type Labels<'a> = &'a [(&'a str, &'a str)];

/// What has been written so far.
pub(crate) struct Text {
    format: Format,
    written: String,
}

impl Text {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, written: String::new() }
    }

    /// The whole text.
    pub(crate) fn finish(mut self) -> String {
        if self.format == Format::OpenMetrics {
            self.written.push_str("# EOF\n");
        }
        self.written
    }

    /// A counter without labels.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(Kind::Counter, name, help);
        self.sample(name, &[], value);
    }

    /// A gauge without labels.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(Kind::Gauge, name, help);
        self.sample(name, &[], value);
    }

    /// A histogram without labels.
    pub(crate) fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.family(Kind::Histogram, name, help);
        let cumulated = histogram.cumulated();
        let bounds = BOUNDS.iter().map(|(bound, _)| *bound).chain(["+Inf"]);
        for (bound, number) in bounds.zip(cumulated) {
            self.sample(&format!("{name}_bucket"), &[("le", bound)], number);
        }
        self.sample(&format!("{name}_sum"), &[], seconds(histogram.sum_ticks().into()));
        self.sample(&format!("{name}_count"), &[], cumulated[BOUNDS.len()]);
    }

    /// The head of a family, whose samples follow.
    pub(crate) fn family(&mut self, kind: Kind, name: &str, help: &str) {
        let kind_name = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let is_open = self.format == Format::OpenMetrics;
        let family = if is_open { name.strip_suffix("_total").unwrap_or(name) } else { name };
        self.write(format_args!("# HELP {family} {help}\n# TYPE {family} {kind_name}\n"));
        let unit = ["seconds", "bytes"].into_iter().find(|unit| family.ends_with(&format!("_{unit}")));
        if let Some(unit) = unit.filter(|_| is_open) {
            self.write(format_args!("# UNIT {family} {unit}\n"));
        }
    }

    /// One series of the family above.
    pub(crate) fn sample(&mut self, name: &str, labels: Labels<'_>, value: impl Display) {
        self.written.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            self.written.push(if at == 0 { '{' } else { ',' });
            self.write(format_args!("{label}=\"{}\"", escaped(text)));
        }
        if !labels.is_empty() {
            self.written.push('}');
        }
        self.write(format_args!(" {value}\n"));
    }

    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.written.write_fmt(arguments).expect("a text can be written to");
    }
}

/// Ticks as seconds.
pub(crate) fn seconds(ticks: i128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a number of seconds has fewer digits than a float")]
    let seconds = ticks as f64 / TICKS_PER_SECOND as f64;
    seconds
}

/// A label's value between quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn example(format: Format) -> String {
        let mut text = Text::new(format);
        text.family(Kind::Counter, "punctual_x_seconds_total", "What is counted.");
        text.sample("punctual_x_seconds_total", &[("name", "a \"b\" \\ \n"), ("other", "")], 3);
        text.gauge("punctual_y", "What is shown.", seconds(25_000_000));
        text.finish()
    }

    #[test]
    fn the_text_of_prometheus() {
        assert_snapshot!(example(Format::Prometheus), @r#"
        # HELP punctual_x_seconds_total What is counted.
        # TYPE punctual_x_seconds_total counter
        punctual_x_seconds_total{name="a \"b\" \\ \n",other=""} 3
        # HELP punctual_y What is shown.
        # TYPE punctual_y gauge
        punctual_y 2.5
        "#);
    }

    #[test]
    fn open_metrics() {
        assert_snapshot!(example(Format::OpenMetrics), @r#"
        # HELP punctual_x_seconds What is counted.
        # TYPE punctual_x_seconds counter
        # UNIT punctual_x_seconds seconds
        punctual_x_seconds_total{name="a \"b\" \\ \n",other=""} 3
        # HELP punctual_y What is shown.
        # TYPE punctual_y gauge
        punctual_y 2.5
        # EOF
        "#);
    }
}
