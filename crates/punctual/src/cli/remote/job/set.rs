//! `punctual job set`.

use anyhow::anyhow;
use clap::Args;
use punctual_model::Violation;
use punctual_model::time::Timestamp;
use serde_json::Value;

use super::super::address::JobAddress;
use super::super::connection::Connection;
use super::create::print_warnings;
use super::definition::{What, When};
use super::next_runs;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, print_lines, visible};
use crate::cli::times::{self, Times};

pub(super) const AFTER_HELP: &str = "\
Examples:
  punctual job set ops/report --cron '0 3 * * *'
  punctual job set ops/report --header 'X-Team: ops' --header 'X-Old:' --timeout 5m

What no flag names stays as it is. Nothing is written if somebody else changes the job at the same time.
Exit status: 0 changed, 1 failed, 2 invalid input, 3 no such job or collection, 4 not allowed, 5 unreachable.";

#[derive(Args)]
pub(crate) struct Set {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// The address that is called
    #[arg(long, value_name = "URL")]
    uri: Option<String>,

    #[command(flatten)]
    when: When,

    #[command(flatten)]
    what: What,

    #[arg(long, value_enum, default_value = "table", help_heading = "Output")]
    output: Output,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    connection: Connection,
}

impl Set {
    pub(super) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let path = self.job.path("");
        let missing = || Failure::NotFound(format!("Job '{}' cannot be found.", visible(&self.job.to_string())));
        let read = server.read(&path)?.ok_or_else(|| self.job.advise(&server, missing()));
        let (known, tag) = read?;
        let mut flags = self.when.overlay(now, times::zone_of(&known))?;
        flags.extend(self.what.overlay(self.uri.as_deref())?);
        if flags.is_empty() {
            return Err(Violation::new("job set", "nothing", "a flag that says what to change").into());
        }
        let job = server.patch(&path, &Value::Object(flags), &tag)?.ok_or_else(|| overtaken(&self.job.to_string()))?;
        print_warnings(&job);
        if self.output.print(&job, |_| self.job.to_string())? {
            return Ok(());
        }
        print_lines(visible(&self.job.to_string()))?;
        next_runs::print(&server, &job, self.times)
    }
}

/// Somebody else has written it since it was read: what is given was meant for what they have replaced.
pub(in super::super) fn overtaken(name: &str) -> Failure {
    let name = visible(name);
    Failure::Failed(anyhow!(
        "somebody else has changed {name} just now, and nothing was written; look at it and try again"
    ))
}
