//! `punctual job watch`.

use clap::Args;

use super::super::address::JobAddress;
use super::super::connection::Connection;
use super::super::events::Events;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

#[derive(Args)]
pub(crate) struct Watch {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// Only these events, such as failed,skipped [default: all]
    #[arg(long, value_name = "NAMES")]
    only: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Watch {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let job = server.call("GET", &self.job.path(""), None).map_err(|failure| self.job.advise(&server, failure))?;
        let path = job["path"].as_str().unwrap_or_default();
        Events::of_job(path, self.only.as_deref(), self.output, &self.connection).run()
    }
}
