//! When a job that was just made runs next.

use serde_json::{Value, json};

use super::super::client::Server;
use super::super::table::text;
use super::describe::timing_of;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::print_lines;
use crate::cli::times::Times;

/// How many runs are shown: enough to see that the rule is the one that was meant.
const NUMBER: usize = 3;

/// Prints when a job runs in words, and its next runs.
pub(super) fn print(server: &Server, job: &Value, times: Times) -> Result<(), Failure> {
    print_lines(timing_of(job))?;
    if job["state"] == "disabled" {
        print_note("it is disabled, and runs when it is enabled");
        return Ok(());
    }
    let status = &job["status"];
    if let Some(held) = status["heldBy"].as_str() {
        print_note(&format!("nothing runs for now: {held}"));
    }
    let mut runs = Vec::new();
    if status["outcome"] == "running" {
        runs.push("now".to_owned());
    }
    for run in foresee(server, job)? {
        runs.push(times.show(&run, job));
    }
    runs.truncate(NUMBER);
    if runs.is_empty() {
        print_note("it never runs");
        return Ok(());
    }
    let label = |at: usize| if at == 0 { "next runs" } else { "" };
    let lines: Vec<_> = runs.iter().enumerate().map(|(at, run)| format!("{:9}  {run}", label(at))).collect();
    Ok(print_lines(lines.join("\n"))?)
}

/// The next nominal times. They are computed from the next one, which the server knows: a job whose start is not written counts from
/// when it was made.
fn foresee(server: &Server, job: &Value) -> Result<Vec<Value>, Failure> {
    let next = &job["status"]["nextExecutionTime"];
    if next.is_null() || job["recurrence"].is_null() {
        return Ok([next.clone()].into_iter().filter(|next| !next.is_null()).collect());
    }
    let start = if job["startTime"].is_null() { next } else { &job["startTime"] };
    let body = json!({ "startTime": start, "recurrence": job["recurrence"] });
    let preview = server.call("POST", &format!("/v1/preview?count={NUMBER}&from={}", text(next)), Some(&body))?;
    Ok(preview["occurrences"].as_array().cloned().unwrap_or_default())
}
