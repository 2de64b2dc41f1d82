//! `punctual job run`.

use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use serde_json::Value;

use super::super::address::JobAddress;
use super::super::client::Server;
use super::super::connection::Connection;
use super::super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, print_lines, shell_word, visible};

pub(super) const AFTER_HELP: &str = "\
Without --wait it ends when the run is accepted, and prints the execution tag of its attempts.
Exit status with --wait: 0 the run succeeded, 1 it failed for good, or was not run.
Else: 0 accepted, 1 failed, 2 invalid input, 3 no such job or collection, 4 not allowed, 5 unreachable, 130 interrupted.";

/// How often it is asked what came of the run.
const INTERVAL: Duration = Duration::from_millis(250);
/// Questions without an answer after which it is said what the run waits for.
const PATIENT_QUESTIONS: u32 = 8;

#[derive(Args)]
pub(crate) struct Run {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// Wait for the end of the run, retries included, and print what came back
    #[arg(long)]
    wait: bool,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Run {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let name = visible(&self.job.to_string());
        let run =
            server.call("POST", &self.job.path("/run"), None).map_err(|failure| self.job.advise(&server, failure))?;
        let tag = text(&run["executionTag"]);
        if !self.wait {
            if !self.output.print(&run, |it| text(&it["executionTag"]))? {
                print_lines(&tag)?;
            }
            return Ok(());
        }
        let word = visible(&shell_word(&self.job.to_string()));
        server.say_on_interrupt(format!("the run goes on; see what comes of it: punctual job history {word}"))?;
        let last = self.follow(&server, &tag)?;
        let message = text(&last["message"]);
        if !self.output.print(&last, |it| text(&it["name"]))? {
            print_lines(shown(&message))?;
        }
        match last["status"].as_str() {
            Some("succeeded") => Ok(()),
            Some("notRun") => Err(Failure::Failed(anyhow!("{name} was not run: {}", text(&last["reason"])))),
            _ => {
                let reason = last["failure"]["reason"].as_str().map_or(message, ToOwned::to_owned);
                Err(Failure::Failed(anyhow!("{name} failed: {reason}")))
            }
        }
    }

    /// Asks until the run has come to its end, says what each failed attempt came to, and returns the record of the last one.
    fn follow(&self, server: &Server, tag: &str) -> Result<Value, Failure> {
        let parameters = format!("executionTag={tag}&{}", self.job.parameters());
        let path = self.job.collection.with_group(format!("/v1/history?{parameters}"));
        let (mut told, mut questions) = (0, 0);
        loop {
            let answer = server.call("GET", &path, None)?;
            let mut records = answer["value"].as_array().cloned().unwrap_or_default();
            // The oldest first.
            records.reverse();
            for record in records.iter().skip(told) {
                told += 1;
                match record["retryTime"].as_str() {
                    Some(retry) => {
                        let reason = text(&record["failure"]["reason"]);
                        print_note(&format!("attempt {told} failed: {} Again at {retry}", visible(&reason)));
                    }
                    None => return Ok(record.clone()),
                }
            }
            questions += 1;
            if told == 0 && questions == PATIENT_QUESTIONS {
                self.explain(server)?;
            }
            server.wait(INTERVAL);
        }
    }

    /// Says what a run waits for that does not begin.
    fn explain(&self, server: &Server) -> Result<(), Failure> {
        let job = server.call("GET", &self.job.path(""), None)?;
        match job["status"]["heldBy"].as_str() {
            Some("paused") => print_note(super::super::pause::PAUSED),
            Some(held) => print_note(&format!("the run waits: {held}")),
            None => {}
        }
        Ok(())
    }
}

/// What came back, with its own lines, and nothing that moves the cursor.
fn shown(message: &str) -> String {
    message.lines().map(visible).collect::<Vec<_>>().join("\n")
}
