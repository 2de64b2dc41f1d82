//! `punctual job enable` and `disable`.

use clap::Args;
use punctual_model::time::Timestamp;
use serde_json::{Map, Value, json};

use super::super::address::JobAddress;
use super::super::connection::Connection;
use crate::cli::failure::{Failure, print_note};
use crate::cli::instant::{Toward, parse_near};
use crate::cli::output::visible;
use crate::cli::times::{self, zone_of};

pub(super) const AFTER_HELP: &str = "\
Without --until jobs stay disabled until somebody enables them. Times without a zone are those of each job.
Exit status: 0 done, 1 failed, 2 invalid input, 3 no such job or collection, 4 not allowed, 5 unreachable.";

#[derive(Args)]
pub(crate) struct Enable {
    /// The jobs: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", required = true, add = super::super::complete::jobs())]
    jobs: Vec<JobAddress>,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Disable {
    /// The jobs: COLLECTION/JOB, or JOB in the collection default
    #[arg(value_name = "JOB", required = true, add = super::super::complete::jobs())]
    jobs: Vec<JobAddress>,

    /// Why, for those who find the jobs disabled
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// Until when: monday, tomorrow 08:00, 2h or 2026-12-01T08:00; the server enables them then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,

    #[command(flatten)]
    connection: Connection,
}

impl Enable {
    /// Enables one job after the other; the first that cannot be enabled ends it.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        for job in &self.jobs {
            server.call("POST", &job.path("/enable"), None).map_err(|failure| job.advise(&server, failure))?;
            print_note(&format!("{} is enabled", visible(&job.to_string())));
        }
        Ok(())
    }
}

impl Disable {
    /// Disables one job after the other; the first that cannot be disabled ends it.
    pub(super) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let server = self.connection.open()?;
        for job in &self.jobs {
            let mut body = Map::new();
            if let Some(note) = &self.note {
                body.insert("note".to_owned(), json!(note));
            }
            if let Some(until) = &self.until {
                let shown = server.call("GET", &job.path(""), None).map_err(|failure| job.advise(&server, failure))?;
                body.insert("until".to_owned(), json!(instant(until, now, &shown)?.to_string()));
            }
            let answer = server.call("POST", &job.path("/disable"), Some(&Value::Object(body)));
            let answer = answer.map_err(|failure| job.advise(&server, failure))?;
            print_note(&format!("{} is disabled{}", visible(&job.to_string()), ends(&answer)));
        }
        Ok(())
    }
}

/// The instant that is meant, on the clock of a job.
fn instant(text: &str, now: Timestamp, job: &Value) -> Result<Timestamp, Failure> {
    let parsed = parse_near(text, now, zone_of(job), Toward::Future);
    parsed.map_err(|expected| expected.at("--until", format!("{text:?}")).into())
}

/// Until when a job is disabled, in words.
pub(super) fn ends(job: &Value) -> String {
    let until = job["status"]["disabledUntil"].as_str().and_then(times::parse);
    until.map_or_else(String::new, |until| format!(" until {}", times::written(until, zone_of(job))))
}
