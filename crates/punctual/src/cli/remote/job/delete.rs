//! `punctual job delete`.

use clap::Args;

use super::super::address::JobAddress;
use super::super::connection::Connection;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::visible;

#[derive(Args)]
pub(crate) struct Delete {
    /// The jobs: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", required = true, add = super::super::complete::jobs())]
    jobs: Vec<JobAddress>,

    #[command(flatten)]
    connection: Connection,
}

impl Delete {
    /// Deletes one job after the other; the first that cannot be deleted ends it.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        for job in &self.jobs {
            server.call("DELETE", &job.path(""), None).map_err(|failure| job.advise(&server, failure))?;
            print_note(&format!("{} is deleted", visible(&job.to_string())));
        }
        Ok(())
    }
}
