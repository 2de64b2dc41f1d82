//! Writes families of series, in either format. The formats differ in how they name a counter (OpenMetrics names the
//! family without `_total`), in the units that only OpenMetrics has, and in the last line.

use std::fmt::{Display, Write};

use crate::family::{Durations, Family, Kind, Value};
use crate::format::Format;
use crate::histogram::BOUNDS;

/// All families as text.
pub(crate) fn write(families: &[Family], format: Format) -> String {
    let mut text = Text { format, written: String::new() };
    for family in families {
        text.head(family);
        for series in &family.series {
            match &series.value {
                Value::Number(number) => text.sample(&family.name, &series.labels, number),
                Value::Durations(durations) => text.durations(&family.name, durations),
            }
        }
    }
    if format == Format::OpenMetrics {
        text.written.push_str("# EOF\n");
    }
    text.written
}

/// What has been written so far.
struct Text {
    format: Format,
    written: String,
}

impl Text {
    fn head(&mut self, family: &Family) {
        let kind_name = match family.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let is_open = self.format == Format::OpenMetrics;
        let name = &family.name;
        let name = if is_open { name.strip_suffix("_total").unwrap_or(name) } else { name };
        self.write(format_args!("# HELP {name} {}\n# TYPE {name} {kind_name}\n", family.help));
        if let Some(unit) = family.unit().filter(|_| is_open) {
            self.write(format_args!("# UNIT {name} {unit}\n"));
        }
    }

    fn durations(&mut self, name: &str, durations: &Durations) {
        let bounds = BOUNDS.iter().map(|(bound, _)| *bound).chain(["+Inf"]);
        for (bound, number) in bounds.zip(durations.cumulated) {
            self.sample(&format!("{name}_bucket"), &[("le".to_owned(), bound.to_owned())], number);
        }
        self.sample(&format!("{name}_sum"), &[], durations.sum_seconds);
        self.sample(&format!("{name}_count"), &[], durations.count());
    }

    fn sample(&mut self, name: &str, labels: &[(String, String)], value: impl Display) {
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

/// A label's value between quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::family::{Families, seconds};

    fn example(format: Format) -> String {
        let mut families = Families::default();
        families.family(Kind::Counter, "punctual_x_seconds_total", "What is counted.");
        families.sample(&[("name", "a \"b\" \\ \n"), ("other", "")], 3_u64);
        families.gauge("punctual_y", "What is shown.", seconds(25_000_000));
        write(&families.finish(), format)
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
