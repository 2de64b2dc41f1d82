//! All metrics as text.

use punctual_model::failure::FailureClass;
use punctual_model::history::Reason;
use punctual_model::time::{Timestamp, tz_database_version};

use crate::collections::CollectionMetrics;
use crate::engine::{EngineMetrics, STORE_TASKS};
use crate::format::Format;
use crate::metrics::Metrics;
use crate::number::Counter;
use crate::process::Process;
use crate::text::{Kind, Labels, Text, seconds};

/// What the collections without numbers of their own are called.
const OTHER: &str = "other";

impl Metrics {
    /// All metrics as they are now. Every family is there from the beginning.
    pub fn render(&self, format: Format, now: Timestamp) -> String {
        let mut text = Text::new(format);
        self.render_collections(&mut text);
        render_attempts(&mut text, &self.engine);
        render_rows(&mut text, &self.engine, now);
        render_store(&mut text, &self.engine, now);
        self.render_requests(&mut text);
        self.render_server(&mut text);
        text.finish()
    }

    fn render_collections(&self, text: &mut Text) {
        let all = self.collections.all();
        let mut each = |name: &str, help: &str, series: &dyn Fn(&mut Text, &str, &CollectionMetrics, Labels<'_>)| {
            text.family(Kind::Counter, name, help);
            for (path, metrics) in &all {
                let mut names = path.splitn(3, '/');
                let labels = ["subscription", "group"].map(|label| (label, names.next().unwrap_or_default()));
                let labels = [labels[0], labels[1], ("collection", names.next().unwrap_or(OTHER))];
                series(text, name, metrics, &labels);
            }
        };
        each("punctual_fires_total", "Occurrences whose first attempt was started.", &|text, name, metrics, labels| {
            text.sample(name, labels, metrics.fires.value());
        });
        each(
            "punctual_retries_total",
            "Attempts that were started because the one before had failed.",
            &|text, name, metrics, labels| text.sample(name, labels, metrics.retries.value()),
        );
        each(
            "punctual_attempts_total",
            "Attempts of main actions that have ended, by outcome.",
            &|text, name, metrics, labels| {
                for (outcome, number) in [("succeeded", &metrics.succeeded), ("failed", &metrics.failed)] {
                    text.sample(name, &[labels, &[("outcome", outcome)]].concat(), number.value());
                }
            },
        );
        each(
            "punctual_not_run_total",
            "Times on the schedules of jobs that were not run, by reason.",
            &|text, name, metrics, labels| {
                for (reason, number) in Reason::ALL.iter().zip(&metrics.not_run) {
                    text.sample(name, &[labels, &[("reason", reason.name())]].concat(), number.value());
                }
            },
        );
    }

    fn render_requests(&self, text: &mut Text) {
        let name = "punctual_api_requests_total";
        text.family(Kind::Counter, name, "Requests to the API, by route, method and status code.");
        for ((route, method, code), number) in self.api.numbers() {
            text.sample(name, &[("route", route), ("method", method), ("code", &code.to_string())], number);
        }
        let help = "How long requests to the API took, without the time of event streams after their first byte.";
        text.histogram("punctual_api_request_duration_seconds", help, self.api.duration());
        let help = "Events that a reader of the event stream was too slow for.";
        text.counter("punctual_events_dropped_total", help, self.events_dropped.value());
        let heartbeats = &self.heartbeats;
        let outcomes = [("sent", &heartbeats.sent), ("failed", &heartbeats.failed), ("withheld", &heartbeats.withheld)];
        labelled(text, "punctual_heartbeats_total", "Heartbeats, by what became of them.", "outcome", outcomes);
    }

    fn render_server(&self, text: &mut Text) {
        text.gauge("punctual_paused", "1 while the server is paused.", self.engine.paused.value());
        text.family(Kind::Gauge, "punctual_build_info", "Always 1; the labels say which server this is.");
        let labels = [("version", env!("CARGO_PKG_VERSION")), ("tzdb", tz_database_version())];
        text.sample("punctual_build_info", &labels, 1);
        let Some(process) = Process::read() else { return };
        text.counter("process_cpu_seconds_total", "Processor time.", process.cpu_seconds);
        text.gauge("process_resident_memory_bytes", "Memory in use.", process.resident_bytes);
        text.gauge("process_open_fds", "Open files and connections.", process.open_files);
        let max = process.open_files_max.unwrap_or(u64::MAX);
        text.gauge("process_max_fds", "Files and connections that may be open at once.", max);
        let help = "When the process was started, in seconds since 1970.";
        text.gauge("process_start_time_seconds", help, process.started_seconds);
    }
}

fn render_attempts(text: &mut Text, engine: &EngineMetrics) {
    let outcomes = [("succeeded", &engine.error_actions_succeeded), ("failed", &engine.error_actions_failed)];
    let help = "Attempts of error actions that have ended, by outcome.";
    labelled(text, "punctual_error_actions_total", help, "outcome", outcomes);
    let classes = FailureClass::ALL.iter().map(|class| class.name()).zip(&engine.failures);
    labelled(text, "punctual_failures_total", "Failed attempts of any action, by class.", "class", classes);
    let help = "Attempts that were sent again after a crash, marked as such.";
    text.counter("punctual_resends_total", help, engine.resends.value());
    let help = "How long after its time an attempt was started.";
    text.histogram("punctual_lateness_seconds", help, &engine.lateness);
    let help = "How long attempts took, from their start to the end of the answer.";
    text.histogram("punctual_attempt_duration_seconds", help, &engine.attempt_duration);
    let name = "punctual_in_flight";
    text.family(Kind::Gauge, name, "Attempts that are running, or have ended and are being written.");
    for (state, number) in [("running", &engine.in_flight), ("settling", &engine.settling)] {
        text.sample(name, &[("state", state)], number.value());
    }
    let help = "Attempts that may be running at once.";
    text.gauge("punctual_in_flight_max", help, engine.in_flight_max.value());
}

fn render_rows(text: &mut Text, engine: &EngineMetrics, now: Timestamp) {
    let help = "Rows of work in memory: those that wake soon, and those that are being worked on.";
    text.gauge("punctual_window_rows", help, engine.window_rows.value());
    let help = "Pairs of a collection and a host for which rows are in memory.";
    text.gauge("punctual_window_lanes", help, engine.window_lanes.value());
    let name = "punctual_queue_rows";
    text.family(Kind::Gauge, name, "Rows of work that wait for something, by what they wait for.");
    let queues = [
        ("reading", &engine.reading),
        ("queued", &engine.queued),
        ("held_back", &engine.held_back),
        ("set_aside", &engine.set_aside),
    ];
    for (queue, number) in queues {
        text.sample(name, &[("queue", queue)], number.value());
    }
    text.gauge("punctual_due", "Rows whose time has come and that are not started yet.", engine.due.value());
    text.gauge("punctual_overdue", "The due rows that are late by more than a second.", engine.overdue.value());
    let since = engine.due_since_ticks.value();
    let age = if since == EngineMetrics::NOTHING_DUE { 0 } else { i128::from(now.ticks()) - i128::from(since) };
    let help = "How late the row is that is late the longest; 0 if nothing is due.";
    text.gauge("punctual_overdue_oldest_seconds", help, seconds(age.max(0)));
    let help = "When the engine had its last turn, in seconds since 1970; it has one at least every second.";
    text.gauge("punctual_engine_turn_timestamp_seconds", help, seconds(engine.turn_ticks.value().into()));
    let help = "0 while nothing starts because the clock leapt forward, else 1.";
    text.gauge("punctual_clock_trusted", help, engine.clock_trusted.value());
    let help = "How often the clock was set by more than a second.";
    text.counter("punctual_clock_jumps_total", help, engine.clock_jumps.value());
    let help = "Steps of a row of work that nobody thought of: please report them.";
    text.counter("punctual_impossible_steps_total", help, engine.impossible_steps.value());
}

fn render_store(text: &mut Text, engine: &EngineMetrics, now: Timestamp) {
    let help = "How long it took to write a batch of settlements to disk.";
    text.histogram("punctual_settlement_batch_duration_seconds", help, &engine.batch_duration);
    let help = "Changes of rows of work that were written in batches.";
    text.counter("punctual_settlements_total", help, engine.settlements.value());
    let tasks = STORE_TASKS.into_iter().zip(&engine.store_errors);
    labelled(text, "punctual_store_errors_total", "Calls of the store that failed, by task.", "task", tasks);
    text.gauge("punctual_history_bytes", "Bytes of history on disk.", engine.history_bytes.value());
    let from = engine.history_from_ticks.value();
    let age = if from == 0 { 0 } else { i128::from(now.ticks()) - i128::from(from) };
    text.gauge("punctual_history_age_seconds", "How far back history goes.", seconds(age.max(0)));
    let help = "Bytes of history that were dropped.";
    text.counter("punctual_history_dropped_bytes_total", help, engine.history_dropped_bytes.value());
    let help = "Messages of alerts that were written.";
    text.counter("punctual_alert_messages_total", help, engine.alert_messages.value());
    let help = "Messages of alerts that did not arrive, and were given up.";
    text.counter("punctual_alert_messages_failed_total", help, engine.alert_messages_failed.value());
}

/// A family of counters with one label.
fn labelled<'a>(
    text: &mut Text,
    name: &str,
    help: &str,
    label: &str,
    series: impl IntoIterator<Item = (&'a str, &'a Counter)>,
) {
    text.family(Kind::Counter, name, help);
    for (value, number) in series {
        text.sample(name, &[(label, value)], number.value());
    }
}

#[cfg(test)]
mod tests;
