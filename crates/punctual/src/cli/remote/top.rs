//! `punctual top`.

mod sample;

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use clap::Args;
use punctual_model::plural;
use punctual_model::time::Timestamp;
use serde_json::{Value, json};

use self::sample::{Rates, Sample};
use super::connection::Connection;
use super::pause::PAUSED;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, print_clear, print_lines};
use crate::cli::yaml;

/// Watch what the server does: runs, lateness, attempts in flight, and what fails at which target
#[derive(Args)]
#[command(after_help = "\
Shown again every two seconds, until interrupted. It needs a token with a role on the whole server.
Exit status: 0 told, 2 invalid input, 4 not allowed, 5 unreachable.")]
pub(crate) struct Top {
    /// Show the next two seconds once, and end
    #[arg(long)]
    once: bool,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

/// How long the server is watched before it is shown what happened.
const INTERVAL: Duration = Duration::from_secs(2);

/// Targets that are shown: those at which most fails come first.
const TARGETS_MAX: usize = 15;

impl Top {
    pub(crate) fn run(&self, now: impl Fn() -> Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let mut before = Sample::read(&server, now())?;
        loop {
            thread::sleep(INTERVAL);
            let sample = Sample::read(&server, now())?;
            let rates = sample.since(&before);
            let failing = server.call("GET", "/v1/failures?grouped=target", None)?;
            match self.output {
                // One line each time, for programs that read on.
                Output::Json => print_lines(as_json(&rates, &failing))?,
                Output::Yaml => print_lines(format_args!(
                    "---\n{}",
                    yaml::write(&as_json(&rates, &failing)).map_err(io::Error::other)?
                ))?,
                Output::Name => _ = self.output.print(&json!(targets(&failing)), |it| text(&it["target"]))?,
                Output::Table => show(&rates, &failing)?,
            }
            if self.once {
                return Ok(());
            }
            before = sample;
        }
    }
}

fn targets(failing: &Value) -> Vec<&Value> {
    let value = failing["value"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut targets: Vec<&Value> = value.iter().collect();
    targets.sort_by_key(|target| std::cmp::Reverse(target["failing"].as_u64()));
    targets
}

fn as_json(rates: &Rates, failing: &Value) -> Value {
    json!({
        "paused": rates.is_paused,
        "runsPerSecond": rates.runs,
        "succeededPerSecond": rates.succeeded,
        "failedPerSecond": rates.failed,
        "latenessSeconds": {"p50": rates.lateness_50, "p99": rates.lateness_99},
        "inFlight": rates.in_flight,
        "inFlightMax": rates.in_flight_max,
        "due": rates.due,
        "overdue": rates.overdue,
        "failing": targets(failing),
    })
}

fn show(rates: &Rates, failing: &Value) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        print_clear()?;
    }
    if rates.is_paused {
        print_note(PAUSED);
    }
    let [half, most] = [rates.lateness_50, rates.lateness_99].map(seconds);
    let lines = [
        format!("runs      {:>9.1} a second", rates.runs),
        format!("succeeded {:>9.1} a second", rates.succeeded),
        format!("failed    {:>9.1} a second", rates.failed),
        format!("late      {half} (half of them), {most} (one of a hundred)"),
        format!("in flight {:>9} of {}", rates.in_flight, rates.in_flight_max),
        format!("due       {:>9}, {} of them for more than a second", rates.due, rates.overdue),
        String::new(),
    ];
    print_lines(lines.join("\n"))?;
    let targets = targets(failing);
    if targets.is_empty() {
        print_note("no job fails");
        return Ok(());
    }
    let row = |target: &&Value| {
        let [name, failing, count, since, reason] =
            ["target", "failing", "count", "since", "reason"].map(|member| text(&target[member]));
        vec![name, failing, count, since, reason]
    };
    let rows: Vec<Vec<String>> = targets.iter().take(TARGETS_MAX).map(row).collect();
    table::print_fitting(&["TARGET", "FAILING", "ATTEMPTS", "SINCE", "REASON"], &rows)?;
    let left = targets.len().saturating_sub(TARGETS_MAX);
    if left > 0 {
        print_note(&format!("and {}: see punctual failures --by target", plural(left as u64, "more target")));
    }
    Ok(())
}

/// A length of time, which is known as the bound of a bucket.
fn seconds(bound: Option<f64>) -> String {
    match bound {
        None => "        - ".to_owned(),
        Some(bound) if bound < 1.0 => format!("at most {:.0} ms", bound * 1000.0),
        Some(bound) if bound.is_finite() => format!("at most {bound} s"),
        Some(_) => "longer than all that is told apart".to_owned(),
    }
}
