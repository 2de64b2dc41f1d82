//! `punctual failures`.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};
use punctual_model::plural;
use punctual_model::time::Timestamp;
use serde_json::Value;

use super::client::Server;
use super::connection::Connection;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::instant;
use crate::cli::output::{Output, print_clear};

/// Show which jobs fail, since when and why
#[derive(Args)]
#[command(after_help = "\
Without --since: what fails now. With it also what has failed since then and recovered, and what was not run.
Exit status: 0 told, 2 invalid input, 4 not allowed, 5 unreachable.")]
pub(crate) struct Failures {
    /// Also show what failed or was not run since then: 24h, 7d, today, yesterday, a date or a date-time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,

    /// Only jobs of collections of this name
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,

    /// Only jobs of this name
    #[arg(long, value_name = "NAME")]
    job: Option<String>,

    /// Only jobs that call this target, such as api.example.com, api.example.com:8443 or account/queue
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// Only failures of this kind, such as timeout or status
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,

    /// Put failures together that have this in common
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<Grouping>,

    /// Show it again every two seconds, until interrupted
    #[arg(long)]
    watch: bool,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Grouping {
    Job,
    Target,
    Reason,
}

impl Grouping {
    /// What is shown of each group: the headings of the columns, and the members of the answer in them.
    const fn columns(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Job => &[
                ("JOB", "commandPath"),
                ("TARGET", "target"),
                ("FAILING", "failing"),
                ("COUNT", "count"),
                ("SINCE", "since"),
                ("REASON", "reason"),
            ],
            Self::Target | Self::Reason => &[
                ("TARGET", "target"),
                ("JOBS", "jobs"),
                ("FAILING", "failing"),
                ("COUNT", "count"),
                ("SINCE", "since"),
                ("REASON", "reason"),
            ],
        }
    }
}

/// How often it is shown again.
const INTERVAL: Duration = Duration::from_secs(2);

impl Failures {
    pub(crate) fn run(&self, now: impl Fn() -> Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        loop {
            let path = self.path(now())?;
            let whole = whole(&server, &path)?;
            if self.watch && io::stdout().is_terminal() {
                print_clear()?;
            }
            let name = |it: &Value| text(if it["commandPath"].is_null() { &it["target"] } else { &it["commandPath"] });
            if !self.output.print(&whole, name)? {
                self.print(&whole)?;
            }
            if !self.watch {
                return Ok(());
            }
            thread::sleep(INTERVAL);
        }
    }

    fn path(&self, now: Timestamp) -> Result<String, Failure> {
        let mut parameters = Vec::new();
        if let Some(since) = &self.since {
            let at = instant::parse(since, now).map_err(|expected| expected.at("--since", format!("{since:?}")))?;
            parameters.push(format!("since={at}"));
        }
        let given =
            [("collection", &self.collection), ("job", &self.job), ("target", &self.target), ("class", &self.class)];
        for (name, value) in given {
            parameters.extend(value.as_ref().map(|value| format!("{name}={}", super::client::encode(value))));
        }
        let grouping = self.by.map(|by| match by {
            Grouping::Job => "job",
            Grouping::Target => "target",
            Grouping::Reason => "reason",
        });
        parameters.extend(grouping.map(|by| format!("grouped={by}")));
        Ok(format!("/v1/failures?{}", parameters.join("&")))
    }

    fn print(&self, whole: &Value) -> Result<(), Failure> {
        let value = whole["value"].as_array().map(Vec::as_slice).unwrap_or_default();
        if value.is_empty() {
            print_note(if self.since.is_some() { "nothing failed, and nothing was not run" } else { "no job fails" });
        } else if let Some(by) = self.by {
            let columns = by.columns();
            let rows: Vec<_> =
                value.iter().map(|it| columns.iter().map(|(_, member)| text(&it[*member])).collect()).collect();
            let headings: Vec<_> = columns.iter().map(|(heading, _)| *heading).collect();
            table::print_fitting(&headings, &rows)?;
        } else {
            let row = |it: &Value| {
                let next = if it["retryTime"].is_null() { "-".to_owned() } else { text(&it["retryTime"]) };
                let [status, count, since, reason] = ["status", "count", "since", "reason"].map(|name| text(&it[name]));
                vec![text(&it["commandPath"]), status, count, since, next, reason]
            };
            let rows: Vec<_> = value.iter().map(row).collect();
            table::print_fitting(&["JOB", "STATUS", "COUNT", "SINCE", "NEXT TRY", "REASON"], &rows)?;
        }
        if whole["isPartial"] == true {
            print_note(&format!("there is more than these {}: ask about less", plural(value.len() as u64, "line")));
        }
        Ok(())
    }
}

/// All pages of an answer, as one.
pub(super) fn whole(server: &Server, path: &str) -> Result<Value, Failure> {
    let mut whole = server.call("GET", path, None)?;
    while let Some(next) = whole["nextLink"].as_str() {
        let query = next.split_once('?').map_or("", |(_, query)| query);
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        let mut page = server.call("GET", &format!("{path}?{query}"), None)?;
        whole["nextLink"] = page["nextLink"].take();
        if let (Some(all), Some(more)) = (whole["value"].as_array_mut(), page["value"].as_array_mut()) {
            all.append(more);
        }
    }
    if let Some(members) = whole.as_object_mut() {
        members.remove("nextLink");
    }
    Ok(whole)
}
