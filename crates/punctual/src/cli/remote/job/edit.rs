//! `punctual job edit`.

use clap::Args;
use punctual_api::wire::{Json, Unknown, parse_job_json};
use punctual_model::Violation;

use super::super::address::JobAddress;
use super::super::connection::Connection;
use super::super::edit::{Subject, edit};
use super::create::print_warnings;
use super::next_runs;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, print_lines, visible};
use crate::cli::times::Times;

pub(super) const AFTER_HELP: &str = "\
The editor is the one that VISUAL or EDITOR names, else vi. What you write is checked before it is sent. If it is refused, it is kept
in a file, and --from goes on with that. A secret of the job is not shown; it stays as long as it goes to the same address.
Exit status: 0 changed, or nothing to change, 1 failed, 2 invalid input, 3 no such job or collection, 4 not allowed, 5 unreachable.";

#[derive(Args)]
pub(crate) struct Edit {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// Begin with the text in this file instead of the job as it is
    #[arg(long, value_name = "FILE")]
    from: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    connection: Connection,
}

impl Edit {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let name = self.job.to_string();
        let path = self.job.path("");
        let missing = || Failure::NotFound(format!("Job '{}' cannot be found.", visible(&name)));
        let known = server.read(&path)?.ok_or_else(|| self.job.advise(&server, missing()))?;
        let subject = Subject { name: name.clone(), command: "punctual job edit", path, check };
        let Some(job) = edit(&server, &subject, known, self.from.as_deref())? else { return Ok(()) };
        print_warnings(&job);
        if self.output.print(&job, |_| name.clone())? {
            return Ok(());
        }
        print_lines(visible(&name))?;
        next_runs::print(&server, &job, self.times)
    }
}

/// Everything that is wrong with a job, as the server would say it.
fn check(json: &Json) -> Result<(), Vec<Violation>> {
    parse_job_json(json, Unknown::Refused).map(|_| ())
}
