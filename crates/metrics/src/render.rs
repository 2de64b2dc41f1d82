//! All metrics, and all of them as text.

use punctual_model::failure::FailureClass;
use punctual_model::history::Reason;
use punctual_model::time::{Timestamp, tz_database_version};

use crate::collections::CollectionMetrics;
use crate::engine::{EngineMetrics, STORE_TASKS};
use crate::family::{Families, Family, Kind, Labels, seconds};
use crate::format::Format;
use crate::metrics::Metrics;
use crate::number::Counter;
use crate::process::Process;
use crate::text;

/// What the collections without numbers of their own are called.
const OTHER: &str = "other";

impl Metrics {
    /// All metrics as they are now, as text.
    pub fn render(&self, format: Format, now: Timestamp) -> String {
        text::write(&self.families(now), format)
    }

    /// All metrics as they are now. Every family is there from the beginning.
    pub fn families(&self, now: Timestamp) -> Vec<Family> {
        let mut families = Families::default();
        self.render_collections(&mut families);
        render_attempts(&mut families, &self.engine);
        render_rows(&mut families, &self.engine, now);
        render_store(&mut families, &self.engine, now);
        self.render_requests(&mut families);
        self.render_server(&mut families);
        families.finish()
    }

    fn render_collections(&self, families: &mut Families) {
        let all = self.collections.all();
        let mut each = |name: &str, help: &str, series: &dyn Fn(&mut Families, &CollectionMetrics, Labels<'_>)| {
            families.family(Kind::Counter, name, help);
            for (path, metrics) in &all {
                let mut names = path.splitn(3, '/');
                let labels = ["subscription", "group"].map(|label| (label, names.next().unwrap_or_default()));
                let labels = [labels[0], labels[1], ("collection", names.next().unwrap_or(OTHER))];
                series(families, metrics, &labels);
            }
        };
        each("punctual_fires_total", "Occurrences whose first attempt was started.", &|families, metrics, labels| {
            families.sample(labels, metrics.fires.value());
        });
        each(
            "punctual_retries_total",
            "Attempts that were started because the one before had failed.",
            &|families, metrics, labels| families.sample(labels, metrics.retries.value()),
        );
        each(
            "punctual_attempts_total",
            "Attempts of main actions that have ended, by outcome.",
            &|families, metrics, labels| {
                for (outcome, number) in [("succeeded", &metrics.succeeded), ("failed", &metrics.failed)] {
                    families.sample(&[labels, &[("outcome", outcome)]].concat(), number.value());
                }
            },
        );
        each(
            "punctual_not_run_total",
            "Times on the schedules of jobs that were not run, by reason.",
            &|families, metrics, labels| {
                for (reason, number) in Reason::ALL.iter().zip(&metrics.not_run) {
                    families.sample(&[labels, &[("reason", reason.name())]].concat(), number.value());
                }
            },
        );
    }

    fn render_requests(&self, families: &mut Families) {
        let name = "punctual_api_requests_total";
        families.family(Kind::Counter, name, "Requests to the API, by route, method and status code.");
        for ((route, method, code), number) in self.api.numbers() {
            families.sample(&[("route", route), ("method", method), ("code", &code.to_string())], number);
        }
        let help = "How long requests to the API took, without the time of event streams after their first byte.";
        families.histogram("punctual_api_request_duration_seconds", help, self.api.duration());
        let help = "Events that a reader of the event stream was too slow for.";
        families.counter("punctual_events_dropped_total", help, self.events_dropped.value());
        let heartbeats = &self.heartbeats;
        let outcomes = [("sent", &heartbeats.sent), ("failed", &heartbeats.failed), ("withheld", &heartbeats.withheld)];
        labelled(families, "punctual_heartbeats_total", "Heartbeats, by what became of them.", "outcome", outcomes);
        let dropped = &self.telemetry_dropped;
        let signals = [("traces", &dropped.traces), ("metrics", &dropped.metrics), ("logs", &dropped.logs)];
        let help = "Traces, metrics and lines of the log that were not sent by OTLP, by signal.";
        labelled(families, "punctual_telemetry_dropped_total", help, "signal", signals);
    }

    fn render_server(&self, families: &mut Families) {
        families.gauge("punctual_paused", "1 while the server is paused.", self.engine.paused.value());
        let help = "Shards of 256 that this node owned at its last heartbeat; without PostgreSQL all.";
        families.gauge("punctual_cluster_shards", help, self.engine.cluster_shards.value());
        let help = "Nodes that were alive at the last heartbeat of this one, itself among them.";
        families.gauge("punctual_cluster_nodes", help, self.engine.cluster_nodes.value());
        families.family(Kind::Gauge, "punctual_build_info", "Always 1; the labels say which server this is.");
        let labels = [("version", env!("CARGO_PKG_VERSION")), ("tzdb", tz_database_version())];
        families.sample(&labels, 1_u64);
        let Some(process) = Process::read() else { return };
        families.counter("process_cpu_seconds_total", "Processor time.", process.cpu_seconds);
        families.gauge("process_resident_memory_bytes", "Memory in use.", process.resident_bytes);
        families.gauge("process_open_fds", "Open files and connections.", process.open_files);
        let max = process.open_files_max.unwrap_or(u64::MAX);
        families.gauge("process_max_fds", "Files and connections that may be open at once.", max);
        let help = "When the process was started, in seconds since 1970.";
        families.gauge("process_start_time_seconds", help, process.started_seconds);
    }
}

fn render_attempts(families: &mut Families, engine: &EngineMetrics) {
    let outcomes = [("succeeded", &engine.error_actions_succeeded), ("failed", &engine.error_actions_failed)];
    let help = "Attempts of error actions that have ended, by outcome.";
    labelled(families, "punctual_error_actions_total", help, "outcome", outcomes);
    let classes = FailureClass::ALL.iter().map(|class| class.name()).zip(&engine.failures);
    labelled(families, "punctual_failures_total", "Failed attempts of any action, by class.", "class", classes);
    let help = "Attempts that were sent again after a crash, marked as such.";
    families.counter("punctual_resends_total", help, engine.resends.value());
    let help = "How long after its time an attempt was started.";
    families.histogram("punctual_lateness_seconds", help, &engine.lateness);
    let help = "How long attempts took, from their start to the end of the answer.";
    families.histogram("punctual_attempt_duration_seconds", help, &engine.attempt_duration);
    let name = "punctual_in_flight";
    families.family(Kind::Gauge, name, "Attempts that are running, or have ended and are being written.");
    for (state, number) in [("running", &engine.in_flight), ("settling", &engine.settling)] {
        families.sample(&[("state", state)], number.value());
    }
    let help = "Attempts that may be running at once.";
    families.gauge("punctual_in_flight_max", help, engine.in_flight_max.value());
}

fn render_rows(families: &mut Families, engine: &EngineMetrics, now: Timestamp) {
    let help = "Rows of work in memory: those that wake soon, and those that are being worked on.";
    families.gauge("punctual_window_rows", help, engine.window_rows.value());
    let help = "Pairs of a collection and a host for which rows are in memory.";
    families.gauge("punctual_window_lanes", help, engine.window_lanes.value());
    let name = "punctual_queue_rows";
    families.family(Kind::Gauge, name, "Rows of work that wait for something, by what they wait for.");
    let queues = [
        ("reading", &engine.reading),
        ("queued", &engine.queued),
        ("held_back", &engine.held_back),
        ("set_aside", &engine.set_aside),
    ];
    for (queue, number) in queues {
        families.sample(&[("queue", queue)], number.value());
    }
    families.gauge("punctual_due", "Rows whose time has come and that are not started yet.", engine.due.value());
    families.gauge("punctual_overdue", "The due rows that are late by more than a second.", engine.overdue.value());
    let since = engine.due_since_ticks.value();
    let age = if since == EngineMetrics::NOTHING_DUE { 0 } else { i128::from(now.ticks()) - i128::from(since) };
    let help = "How late the row is that is late the longest; 0 if nothing is due.";
    families.gauge("punctual_overdue_oldest_seconds", help, seconds(age.max(0)));
    let help = "When the engine had its last turn, in seconds since 1970; it has one at least every second.";
    families.gauge("punctual_engine_turn_timestamp_seconds", help, seconds(engine.turn_ticks.value().into()));
    let help = "0 while nothing starts because the clock leapt forward, else 1.";
    families.gauge("punctual_clock_trusted", help, engine.clock_trusted.value());
    let help = "How often the clock was set by more than a second.";
    families.counter("punctual_clock_jumps_total", help, engine.clock_jumps.value());
    let help = "Steps of a row of work that nobody thought of: please report them.";
    families.counter("punctual_impossible_steps_total", help, engine.impossible_steps.value());
}

fn render_store(families: &mut Families, engine: &EngineMetrics, now: Timestamp) {
    let help = "How long it took to write a batch of settlements to disk.";
    families.histogram("punctual_settlement_batch_duration_seconds", help, &engine.batch_duration);
    let help = "Changes of rows of work that were written in batches.";
    families.counter("punctual_settlements_total", help, engine.settlements.value());
    let tasks = STORE_TASKS.into_iter().zip(&engine.store_errors);
    labelled(families, "punctual_store_errors_total", "Calls of the store that failed, by task.", "task", tasks);
    families.gauge("punctual_history_bytes", "Bytes of history on disk.", engine.history_bytes.value());
    let from = engine.history_from_ticks.value();
    let age = if from == 0 { 0 } else { i128::from(now.ticks()) - i128::from(from) };
    families.gauge("punctual_history_age_seconds", "How far back history goes.", seconds(age.max(0)));
    let help = "Bytes of history that were dropped.";
    families.counter("punctual_history_dropped_bytes_total", help, engine.history_dropped_bytes.value());
    let help = "Messages of alerts that were written.";
    families.counter("punctual_alert_messages_total", help, engine.alert_messages.value());
    let help = "Messages of alerts that did not arrive, and were given up.";
    families.counter("punctual_alert_messages_failed_total", help, engine.alert_messages_failed.value());
    let help = "Attempts to deliver a message of an alert that failed and are made again.";
    families.counter("punctual_alert_attempts_failed_total", help, engine.alert_attempts_failed.value());
}

/// A family of counters with one label.
fn labelled<'a>(
    families: &mut Families,
    name: &str,
    help: &str,
    label: &str,
    series: impl IntoIterator<Item = (&'a str, &'a Counter)>,
) {
    families.family(Kind::Counter, name, help);
    for (value, number) in series {
        families.sample(&[(label, value)], number.value());
    }
}

#[cfg(test)]
mod tests;
