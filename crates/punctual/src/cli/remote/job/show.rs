//! `punctual job show`.

use clap::Args;
use serde_json::Value;

use super::super::address::JobAddress;
use super::super::connection::Connection;
use super::super::table::text;
use super::describe::{outcome_of, target_of, timing_of};
use crate::cli::color;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, print_lines, visible};
use crate::cli::times::Times;

#[derive(Args)]
pub(crate) struct Show {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    connection: Connection,
}

impl Show {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let job = server.call("GET", &self.job.path(""), None).map_err(|failure| self.job.advise(&server, failure))?;
        if self.output.print(&job, |_| self.job.to_string())? {
            return Ok(());
        }
        Ok(print_lines(lines(&job, &self.job.to_string(), self.times).join("\n"))?)
    }
}

fn lines(job: &Value, name: &str, times: Times) -> Vec<String> {
    let status = &job["status"];
    let is_colored = color::is_on();
    let mut rows = vec![("job", name.to_owned()), ("state", color::paint(&text(&job["state"]), is_colored))];
    if !status["disabledSince"].is_null() {
        rows.push((
            "disabled",
            format!("since {}{}", times.show(&status["disabledSince"], job), until(status, job, times)),
        ));
    }
    if let Some(note) = status["note"].as_str() {
        rows.push(("note", visible(note)));
    }
    if let Some(held) = status["heldBy"].as_str() {
        rows.push(("held by", held.to_owned()));
    }
    rows.push(("when", timing_of(job)));
    rows.push(("does", visible(&target_of(job))));
    if !job["action"]["errorAction"].is_null() {
        let error = serde_json::json!({ "action": job["action"]["errorAction"] });
        rows.push(("on error", visible(&target_of(&error))));
    }
    rows.push(("next run", times.show(&status["nextExecutionTime"], job)));
    if !status["waitingUntil"].is_null() {
        rows.push(("retry", times.show(&status["waitingUntil"], job)));
    }
    if let Some(left) = status["backfill"]["left"].as_u64() {
        let last = times.show(&status["backfill"]["last"], job);
        rows.push(("backfill", format!("{left} to run, the last of {last}")));
    }
    rows.push(("last run", times.show(&status["lastExecutionTime"], job)));
    rows.push(("outcome", color::paint(&outcome_of(job), is_colored)));
    if let Some(reason) = status["failure"]["reason"].as_str() {
        rows.push(("reason", visible(reason)));
    }
    if let Some(recent) = status["recent"].as_array() {
        rows.push(("recent", recent.iter().map(text).collect::<Vec<_>>().join(" ")));
    }
    let [runs, failed, given_up] = ["executionCount", "failureCount", "faultedCount"].map(|name| text(&status[name]));
    rows.push(("attempts", format!("{runs}, of which failed {failed}; given up {given_up}")));
    for warning in job["warnings"].as_array().into_iter().flatten() {
        rows.push(("warning", visible(&text(warning))));
    }
    rows.into_iter().map(|(label, line)| format!("{label:8}  {line}")).collect()
}

/// When a disabled job is enabled again, in words.
fn until(status: &Value, job: &Value, times: Times) -> String {
    if status["disabledUntil"].is_null() {
        return String::new();
    }
    format!(", until {}", times.show(&status["disabledUntil"], job))
}
