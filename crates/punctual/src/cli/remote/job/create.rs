//! `punctual job create`.

use anyhow::anyhow;
use clap::Args;
use punctual_model::Violation;
use punctual_model::time::Timestamp;
use serde_json::{Value, json};

use super::super::address::JobAddress;
use super::super::client::Server;
use super::super::connection::Connection;
use super::definition::{What, When};
use super::next_runs;
use crate::cli::document;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, print_lines, shell_word, visible};
use crate::cli::times::Times;

pub(super) const AFTER_HELP: &str = "\
Examples:
  punctual job create ops/report --uri https://example.com/report --cron '30 2 * * *' --zone Europe/Prague
  punctual job create ops/report -f job.yaml

A job that is there already is not touched: see punctual job set and punctual job edit.
Exit status: 0 made, 1 failed, or there is such a job, 2 invalid input, 3 no such collection, 4 not allowed, 5 unreachable.";

#[derive(Args)]
pub(crate) struct Create {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB")]
    job: JobAddress,

    /// A file with the job, as JSON (comments are fine) or YAML; - is stdin. Flags come on top of it
    #[arg(short, long, value_name = "FILE")]
    file: Option<String>,

    /// The address that is called
    #[arg(long, value_name = "URL")]
    uri: Option<String>,

    /// Make the job, but do not let it run
    #[arg(long)]
    disabled: bool,

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

impl Create {
    pub(super) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let body = self.body(now)?;
        let job = create(&server, &self.job, &body)?.ok_or_else(|| there_is_one(&self.job))?;
        print_warnings(&job);
        if self.output.print(&job, |_| self.job.to_string())? {
            return Ok(());
        }
        print_lines(visible(&self.job.to_string()))?;
        next_runs::print(&server, &job, self.times)
    }

    fn body(&self, now: Timestamp) -> Result<Value, Failure> {
        let mut body = match &self.file {
            Some(file) => document::read_value(file)?,
            None if self.uri.is_none() => {
                return Err(
                    Violation::new("--uri", "nothing", "the address that is called, or a file with --file").into()
                );
            }
            None => json!({}),
        };
        let zone = crate::cli::times::zone_of(&body);
        let mut flags = self.when.overlay(now, zone)?;
        flags.extend(self.what.overlay(self.uri.as_deref())?);
        if self.disabled {
            flags.insert("state".to_owned(), json!("disabled"));
        }
        lay_over(&mut body, Value::Object(flags));
        Ok(body)
    }
}

/// Lays members over others, as PATCH does. What is `null` is nothing to the server.
pub(in super::super) fn lay_over(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                lay_over(below.entry(name).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

/// Makes a job; nothing if there is one of that name.
pub(super) fn create(server: &Server, address: &JobAddress, body: &Value) -> Result<Option<Value>, Failure> {
    server.write(&address.path(""), body, None).map_err(|failure| address.collection.advise(server, failure))
}

pub(super) fn there_is_one(address: &JobAddress) -> Failure {
    let word = visible(&shell_word(&address.to_string()));
    Failure::Failed(anyhow!(
        "there is a job {word} already, and it was not touched; change it: punctual job edit {word}"
    ))
}

/// Prints what the server has to say about what was written.
pub(in super::super) fn print_warnings(job: &Value) {
    for warning in job["warnings"].as_array().into_iter().flatten() {
        print_note(&format!("warning: {}", visible(&super::super::table::text(warning))));
    }
}
