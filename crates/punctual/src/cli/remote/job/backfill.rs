//! `punctual job backfill`.

use clap::Args;
use punctual_model::plural;
use punctual_model::time::Timestamp;
use serde_json::{Value, json};

use super::super::address::JobAddress;
use super::super::client::Server;
use super::super::connection::Connection;
use crate::cli::failure::{Failure, print_note};
use crate::cli::instant::{Toward, parse_near};
use crate::cli::output::{Output, print_lines, shell_word, visible};
use crate::cli::times::{Times, zone_of};

pub(super) const AFTER_HELP: &str = "\
Runs what did not run in the range, one after the other; --all runs what has run, too. Times without a zone are those of the job.
--dry-run only counts. --cancel ends it: the run that has begun finishes.
Exit status: 0 done, 1 failed or one is open already, 2 invalid input, 3 no such job or collection, 4 not allowed, 5 unreachable.";

#[derive(Args)]
pub(crate) struct Backfill {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// The first time of the range: yesterday, 2026-01-31T08:00, or 7d, which is so long ago
    #[arg(long, value_name = "WHEN", required_unless_present = "cancel")]
    from: Option<String>,

    /// The time before which the range ends [default: now]
    #[arg(long, value_name = "WHEN")]
    to: Option<String>,

    /// How far apart the runs start, at least
    #[arg(long, value_name = "DURATION", default_value = "1s")]
    spacing: String,

    /// Run also what has run
    #[arg(long)]
    all: bool,

    /// Only count what would run
    #[arg(long)]
    dry_run: bool,

    /// End the backfill that is open
    #[arg(long, conflicts_with_all = ["from", "to", "all", "dry_run"])]
    cancel: bool,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    connection: Connection,
}

impl Backfill {
    pub(super) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let job = server.call("GET", &self.job.path(""), None).map_err(|failure| self.job.advise(&server, failure))?;
        if self.cancel {
            return self.end(&server, &job);
        }
        let (from, to) =
            (instant("--from", self.from.as_deref(), now, &job)?, instant("--to", self.to.as_deref(), now, &job)?);
        let only = if self.all { "all" } else { "notRun" };
        let mut body = json!({ "spacing": self.spacing, "only": only, "dryRun": self.dry_run });
        for (name, at) in [("from", from), ("to", to)] {
            if let Some(at) = at {
                body[name] = json!(at.to_string());
            }
        }
        let answer = server.call("POST", &self.job.path("/backfill"), Some(&body))?;
        if self.output.print(&answer, |_| self.job.to_string())? {
            return Ok(());
        }
        Ok(print_lines(self.told(&answer, &job))?)
    }

    /// What runs, or would run.
    fn told(&self, answer: &Value, job: &Value) -> String {
        let count = answer["count"].as_u64().unwrap_or_default();
        if count == 0 {
            return "nothing to run: every time in the range has run, or there is none".to_owned();
        }
        let runs = plural(count, "time");
        let (first, last) = (self.times.show(&answer["first"], job), self.times.show(&answer["last"], job));
        if answer["dryRun"] == true {
            return format!("would run {runs}, the first of {first}, the last of {last}");
        }
        let word = visible(&shell_word(&self.job.to_string()));
        print_note(&format!(
            "see what comes of it: punctual job show {word}; end it: punctual job backfill {word} --cancel"
        ));
        format!("runs {runs}, the first of {first}, the last of {last}")
    }

    /// Ends the backfill.
    fn end(&self, server: &Server, job: &Value) -> Result<(), Failure> {
        let left = server.call("DELETE", &self.job.path("/backfill"), None)?;
        let name = visible(&self.job.to_string());
        match left["left"].as_u64() {
            Some(0) | None => print_note(&format!("{name} has no backfill any more")),
            Some(_) => {
                let next = self.times.show(&left["next"], job);
                print_note(&format!("the backfill of {name} ends with the one of {next}, which has begun"));
            }
        }
        Ok(())
    }
}

/// The instant that a flag names, in the zone of the job.
fn instant(flag: &str, text: Option<&str>, now: Timestamp, job: &Value) -> Result<Option<Timestamp>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let at = parse_near(text, now, zone_of(job), Toward::Past);
    at.map(Some).map_err(|expected| expected.at(flag, format!("{text:?}")).into())
}
