//! `punctual job explain`.

use clap::Args;
use punctual_model::time::{DateTime, Timestamp};

use super::super::address::JobAddress;
use super::super::client::encode;
use super::super::connection::Connection;
use super::super::table::text;
use crate::cli::failure::Failure;
use crate::cli::instant::{Toward, parse_near};
use crate::cli::output::{Output, print_lines, visible};
use crate::cli::times::zone_of;

pub(super) const AFTER_HELP: &str = "\
Times without a zone are those of the job; 03:15 is the last such time, up to now. Words such as 'yesterday 03:15',
'monday 08:00' and '10m', which is so long ago, are understood, too.
Exit status: 0 said, 1 failed, 2 invalid input, 3 no such job or collection, 4 not allowed, 5 unreachable.";

#[derive(Args)]
pub(crate) struct Explain {
    /// The job: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", add = super::super::complete::jobs())]
    job: JobAddress,

    /// The time in question: 03:15, 2026-01-31T03:15 on the clock of the job, or 2026-01-31T03:15:00Z
    #[arg(long, value_name = "WHEN")]
    at: String,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Explain {
    /// Says why the job did, or did not, run then.
    pub(super) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let time = if is_understood(&self.at) { self.at.trim().to_owned() } else { self.near(&server, now)? };
        let path = self.job.path(&format!("/at/{}", encode(&time)));
        let said = server.call("GET", &path, None).map_err(|failure| self.job.advise(&server, failure))?;
        if self.output.print(&said, |said| text(&said["verdict"]))? {
            return Ok(());
        }
        Ok(print_lines(visible(&text(&said["sentence"])))?)
    }

    /// The instant that words stand for, on the clock of the job.
    fn near(&self, server: &super::super::client::Server, now: Timestamp) -> Result<String, Failure> {
        let job = server.call("GET", &self.job.path(""), None).map_err(|failure| self.job.advise(server, failure))?;
        let at = parse_near(&self.at, now, zone_of(&job), Toward::Past);
        let at = at.map_err(|expected| Failure::from(expected.at("--at", format!("{:?}", self.at))))?;
        Ok(at.to_string())
    }
}

/// Whether the server reads the time itself, so that it can tell what the clock did that night.
fn is_understood(text: &str) -> bool {
    let is_clock = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    DateTime::parse(text).is_ok() || is_clock(text.trim())
}
