//! Lines of the log, for the collector of telemetry.

use std::fmt::Debug;
use std::sync::Arc;

use punctual_model::time::Clock;
use punctual_telemetry::{LogLine, Severity, Telemetry};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::clock::SystemClock;

/// Records lines of the log from information on.
pub(super) struct LogLines {
    pub(super) telemetry: Arc<Telemetry>,
    pub(super) clock: SystemClock,
}

impl<S: Subscriber> Layer<S> for LogLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let severity = match *event.metadata().level() {
            Level::ERROR => Severity::Error,
            Level::WARN => Severity::Warn,
            Level::INFO => Severity::Info,
            Level::DEBUG | Level::TRACE => return,
        };
        let mut line = LogLine {
            at: self.clock.now(),
            severity,
            target: event.metadata().target().to_owned(),
            message: String::new(),
            fields: Vec::new(),
        };
        event.record(&mut Fields(&mut line));
        self.telemetry.record_line(line);
    }
}

/// Puts the fields of an event into a line.
struct Fields<'a>(&'a mut LogLine);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}"));
    }
}

impl Fields<'_> {
    fn put(&mut self, field: &Field, text: String) {
        match field.name() {
            "message" => self.0.message = text,
            name => self.0.fields.push((name.to_owned(), text)),
        }
    }
}
