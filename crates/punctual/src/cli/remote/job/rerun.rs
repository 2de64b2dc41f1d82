//! `punctual job rerun`.

use clap::Args;
use punctual_model::time::Timestamp;

use super::super::address::JobAddress;
use super::super::client::encode;
use super::super::connection::Connection;
use super::super::rerun;
use super::super::table::text;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, print_lines};

#[derive(Args)]
pub(crate) struct Rerun {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// Run this record of its history once more, as `job history --output name` names it [default: all that failed]
    #[arg(value_name = "RECORD", conflicts_with_all = ["since", "dry_run"])]
    record: Option<String>,

    /// What failed since then: 24h, 7d, today, yesterday, a date or a date-time
    #[arg(long, value_name = "TIME", default_value = "24h")]
    since: String,

    /// Only show what would be run again
    #[arg(long)]
    dry_run: bool,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Rerun {
    pub(super) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let Some(record) = &self.record else {
            let Self { job, since, dry_run, output, connection, .. } = self;
            return rerun::Rerun::of_job(&job.to_string(), since, *dry_run, *output, connection).run(now);
        };
        let server = self.connection.open()?;
        let path = self.job.path(&format!("/history/{}/rerun", encode(record)));
        let run = server.call("POST", &path, None).map_err(|failure| self.job.advise(&server, failure))?;
        if !self.output.print(&run, |it| text(&it["executionTag"]))? {
            print_lines(text(&run["executionTag"]))?;
        }
        Ok(())
    }
}
