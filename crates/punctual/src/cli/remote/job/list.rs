//! `punctual job list`.

use clap::{Args, ValueEnum};
use punctual_model::plural;
use serde_json::Value;

use super::super::address::{self, CollectionAddress};
use super::super::client::encode;
use super::super::connection::Connection;
use super::super::pages::Pages;
use super::super::table::{Column, Table, text};
use super::describe::{outcome_of, target_of, timing_of};
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{ListPrinter, Output};
use crate::cli::times::Times;

#[derive(Args)]
pub(crate) struct List {
    /// Only the jobs of this collection
    #[arg(value_name = "COLLECTION", add = super::super::complete::collections())]
    collection: Option<CollectionAddress>,

    /// Only jobs in this state: enabled, disabled, completed or faulted
    #[arg(long, value_name = "STATE")]
    state: Option<String>,

    /// Only jobs whose last attempt ended so: succeeded, failed or notRun
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,

    /// Only jobs with this text in their name or target
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,

    /// Only jobs that call this target, such as api.example.com, api.example.com:8443 or account/queue
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// The order of the jobs
    #[arg(long, value_enum, value_name = "ORDER", default_value = "name")]
    sort: Sort,

    /// At most so many jobs [default: all]
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "camelCase")]
enum Sort {
    Name,
    /// Those that run next come first; jobs that do not run any more are left out
    NextRun,
    /// Those that fail longest come first; jobs that do not fail are left out
    FailingSince,
}

/// What is shown of each job. The name of the job and its outcome stay longest.
const COLUMNS: [Column; 6] = [("JOB", 0), ("STATE", 3), ("OUTCOME", 1), ("NEXT RUN", 2), ("WHEN", 4), ("TARGET", 5)];

impl List {
    /// Prints one page after the other, and keeps none.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let home = address::home(&server)?;
        let mut pages = Pages::new(&server, self.path(), self.limit.unwrap_or(usize::MAX));
        let name = |job: &Value| address::short(&text(&job["path"]), home.as_deref());
        let mut table = Table::new(&COLUMNS);
        let mut printer = ListPrinter::new(self.output);
        while let Some(jobs) = pages.next("job")? {
            if self.output == Output::Table {
                let row = |job: &Value| {
                    let next = self.times.show(&job["status"]["nextExecutionTime"], job);
                    vec![name(job), self.state(job), outcome_of(job), next, timing_of(job), target_of(job)]
                };
                table.print(&jobs.iter().map(row).collect::<Vec<_>>())?;
            } else {
                printer.print(&jobs, name)?;
            }
        }
        printer.end()?;
        if let (0, Some(collection)) = (pages.count(), &self.collection) {
            // That there is no such collection is not told by a list over all jobs.
            let found = server.call("GET", &collection.path(""), None);
            found.map_err(|failure| collection.advise(&server, failure))?;
        }
        if self.output == Output::Table && pages.count() == 0 {
            print_note("no job matches; make one: punctual add URL --every 5m");
        } else if self.output == Output::Table && pages.count() > 1 {
            print_note(&plural(pages.count() as u64, "job"));
        }
        Ok(())
    }

    /// The state of a job, and until when it is disabled if that is known.
    fn state(&self, job: &Value) -> String {
        let until = &job["status"]["disabledUntil"];
        let state = text(&job["state"]);
        if until.is_null() { state } else { format!("{state} until {}", self.times.show(until, job)) }
    }

    fn path(&self) -> String {
        let sort = self.sort.to_possible_value().map(|value| value.get_name().to_owned());
        let collection = self.collection.as_ref().map(|address| address.collection.clone());
        let given = [
            ("collection", collection.as_ref()),
            ("state", self.state.as_ref()),
            ("outcome", self.outcome.as_ref()),
            ("q", self.search.as_ref()),
            ("target", self.target.as_ref()),
            ("sort", sort.as_ref().filter(|_| self.sort != Sort::Name)),
        ];
        let given = given.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", encode(value?))));
        let path = format!("/v1/jobs?{}", given.collect::<Vec<_>>().join("&"));
        self.collection.as_ref().map_or(path.clone(), |address| address.with_group(path))
    }
}
