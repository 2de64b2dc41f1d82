//! `punctual job history`.

use clap::Args;
use punctual_model::time::Timestamp;
use serde_json::Value;

use super::super::address::JobAddress;
use super::super::client::encode;
use super::super::connection::Connection;
use super::super::pages::Pages;
use super::super::table::{Column, Table, text};
use crate::cli::failure::{Failure, print_note};
use crate::cli::instant;
use crate::cli::output::{ListPrinter, Output, visible};
use crate::cli::times::Times;

#[derive(Args)]
pub(crate) struct History {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// Only what ended so: succeeded, failed, notRun or givenUp
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,

    /// Only since then: 24h, 7d, today, yesterday, a date or a date-time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,

    /// At most so many records
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: usize,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    connection: Connection,
}

const COLUMNS: [Column; 5] = [("STARTED", 0), ("OUTCOME", 0), ("DUE", 2), ("ATTEMPT", 1), ("MESSAGE", 0)];

impl History {
    pub(super) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        // The zone of its times is in the job; and that there is such a job is not told by a list over all jobs.
        let job = server.call("GET", &self.job.path(""), None).map_err(|failure| self.job.advise(&server, failure))?;
        let mut pages = Pages::new(&server, self.path(now)?, self.limit);
        let mut table = Table::new(&COLUMNS);
        let mut printer = ListPrinter::new(self.output);
        while let Some(records) = pages.next("record")? {
            if self.output == Output::Table {
                table.print(&records.iter().map(|record| self.row(record, &job)).collect::<Vec<_>>())?;
            } else {
                printer.print(&records, |record| text(&record["name"]))?;
            }
        }
        printer.end()?;
        if self.output == Output::Table && pages.count() == 0 {
            print_note(&format!("nothing came of {} yet that matches", visible(&self.job.to_string())));
        }
        Ok(())
    }

    fn row(&self, record: &Value, job: &Value) -> Vec<String> {
        let [started, due] = ["startTime", "expectedExecutionTime"].map(|name| self.times.show(&record[name], job));
        let attempt = record["retryCount"].as_u64().unwrap_or_default() + 1;
        let attempt =
            if record["actionName"] == "errorAction" { format!("error {attempt}") } else { attempt.to_string() };
        let attempt = if record["origin"] == "backfill" { format!("backfill {attempt}") } else { attempt };
        let not_run = &record["notRun"];
        let message = match record["failure"]["reason"].as_str() {
            Some(reason) => reason.to_owned(),
            None if not_run.is_object() => format!("{} times, {}", not_run["number"], text(&not_run["reason"])),
            None => brief(&text(&record["message"])),
        };
        vec![started, text(&record["status"]), due, attempt, message]
    }

    fn path(&self, now: Timestamp) -> Result<String, Failure> {
        let mut parameters = vec![self.job.parameters()];
        if let Some(since) = &self.since {
            let at = instant::parse(since, now).map_err(|expected| expected.at("--since", format!("{since:?}")))?;
            parameters.push(format!("since={at}"));
        }
        parameters.extend(self.outcome.as_ref().map(|outcome| format!("outcome={}", encode(outcome))));
        Ok(self.job.collection.with_group(format!("/v1/history?{}", parameters.join("&"))))
    }
}

/// The first of what an answer says: whose it is and its status, without its headers and its body.
fn brief(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    first.split_once(" Response Headers:").map_or(first, |(first, _)| first).to_owned()
}
