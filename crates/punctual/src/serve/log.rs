//! What the server tells about itself, on stderr.

use std::io::IsTerminal;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use super::log_lines::LogLines;
use crate::config::log::{Format, Level, Log, Runs};

/// Where the API writes its line for each request.
const ACCESS: &str = "punctual::access";

/// Where the store writes its lines about jobs that fail, and about every run.
const FAILURES: &str = "punctual::failures";
const RUNS: &str = "punctual::runs";

/// Begins to log, for the rest of the process. `lines` gets the same lines, from information on.
pub(super) fn start(log: &Log, lines: Option<LogLines>) {
    subscriber(log, lines).init();
}

fn subscriber(log: &Log, lines: Option<LogLines>) -> impl SubscriberInitExt {
    let level = match log.level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let access = if log.access { LevelFilter::INFO } else { LevelFilter::OFF };
    // The libraries below speak up only if something is wrong. A connection that is lost is no news of its own: what failed by it is told.
    let targets = Targets::new().with_default(level.min(LevelFilter::WARN)).with_target("punctual", level);
    let targets =
        targets.with_target("deadpool", LevelFilter::ERROR).with_target("deadpool_postgres", LevelFilter::ERROR);
    let targets = ["punctual_api", "punctual_engine", "punctual_store"]
        .iter()
        .fold(targets, |all, ours| all.with_target(*ours, level));
    let (failures, runs) = match log.runs {
        Runs::None => (LevelFilter::OFF, LevelFilter::OFF),
        Runs::Failures => (LevelFilter::INFO, LevelFilter::OFF),
        Runs::All => (LevelFilter::INFO, LevelFilter::INFO),
    };
    let targets = targets.with_target(ACCESS, access).with_target(FAILURES, failures).with_target(RUNS, runs);
    let is_terminal = std::io::stderr().is_terminal();
    let layer = match log.format {
        Format::Text => fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(is_terminal).boxed(),
        Format::Json => fmt::layer().json().with_writer(std::io::stderr).boxed(),
    };
    // The filter is one for all layers: beside a layer with a filter of its own, a layer that is not there would want every
    // line, and whoever asks whether a line is wanted would do the work for it.
    tracing_subscriber::registry().with(targets).with(layer).with(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_logged_is_not_asked_for() {
        let wants = |runs| {
            let log = Log { level: Level::Info, format: Format::Text, access: true, runs };
            let _logging = subscriber(&log, None).set_default();
            [
                tracing::enabled!(target: RUNS, tracing::Level::INFO),
                tracing::enabled!(target: FAILURES, tracing::Level::INFO),
                tracing::enabled!(target: "hyper", tracing::Level::TRACE),
            ]
        };
        assert_eq!(wants(Runs::Failures), [false, true, false]);
        assert_eq!(wants(Runs::All), [true, true, false]);
        assert_eq!(wants(Runs::None), [false, false, false]);
    }
}
