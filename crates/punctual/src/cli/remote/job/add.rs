//! `punctual add`.

use clap::Args;
use punctual_model::time::{Timestamp, Zone};
use punctual_model::{Name, Violation};
use serde_json::{Value, json};

use super::super::address::{CollectionAddress, JobAddress};
use super::super::client::Server;
use super::super::connection::Connection;
use super::create::{create, print_warnings, there_is_one};
use super::definition::{What, When};
use super::next_runs;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, print_lines, visible};
use crate::cli::times::Times;

/// The longest name that is made up from an address.
const NAME_CHARS_MAX: usize = 60;

/// Call an address at the times you say: the shortest way to a job
#[derive(Args)]
#[command(after_help = "\
Examples:
  punctual add https://example.com --every 5m
  punctual add https://example.com/report --cron '30 2 * * mon' --zone Europe/Prague --name report
  punctual add https://example.com/once --at 'tomorrow 08:00'

Exit status: 0 made, 1 failed, or there is such a job, 2 invalid input, 3 no such collection, 4 not allowed, 5 unreachable.")]
pub(crate) struct Add {
    /// The address that is called
    #[arg(value_name = "URL")]
    uri: String,

    /// The job: COLLECTION/JOB, or JOB in the collection default [default: made up from the address]
    #[arg(long, value_name = "JOB")]
    name: Option<JobAddress>,

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

impl Add {
    /// Makes the job, and the collection `default` if there is none.
    pub(crate) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        if self.when.is_empty() {
            return Err(
                Violation::new("punctual add", "no time", "--every 5m, --cron '30 2 * * *' or --at 08:00").into()
            );
        }
        let address = self.name.clone().map_or_else(|| made_up(&self.uri), Ok)?;
        let mut body = self.when.overlay(now, Zone::utc())?;
        body.extend(self.what.overlay(Some(&self.uri))?);
        let server = self.connection.open()?;
        let job = make(&server, &address, &Value::Object(body))?.ok_or_else(|| there_is_one(&address))?;
        print_warnings(&job);
        if self.output.print(&job, |_| address.to_string())? {
            return Ok(());
        }
        print_lines(visible(&address.to_string()))?;
        next_runs::print(&server, &job, self.times)
    }
}

/// Makes a job. Where the collection `default` is missing, which is there from the first start on unless somebody deletes it, it is
/// made first; another collection that is missing is a mistake.
fn make(server: &Server, address: &JobAddress, body: &Value) -> Result<Option<Value>, Failure> {
    let default = CollectionAddress::new(punctual_api::DEFAULT_COLLECTION);
    match create(server, address, body) {
        Err(Failure::NotFound(_)) if address.collection == default => {
            server.call("PUT", &default.path(""), Some(&json!({})))?;
            print_note("the collection default was made");
            create(server, address, body)
        }
        made => made,
    }
}

/// A name for a job that calls that address: its host and path, as far as a name can have them.
fn made_up(uri: &str) -> Result<JobAddress, Violation> {
    let rest = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let words: Vec<&str> = rest.split(|c: char| !is_kept(c)).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(NAME_CHARS_MAX).collect();
    let is_name = Name::parse(&name).is_ok();
    let expected = "an address to make up a name from, or one with --name";
    if is_name {
        name.parse().map_err(|_| Violation::new("URL", format!("{uri:?}"), expected))
    } else {
        Err(Violation::new("URL", format!("{uri:?}"), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::made_up;

    #[test]
    fn names_come_from_addresses() {
        for (uri, expected) in [
            ("https://example.com", "default/example.com"),
            ("https://example.com/", "default/example.com"),
            ("http://user:secret@api.example.com:8443/v1/report?key=1#x", "default/api.example.com-8443-v1-report"),
            ("https://bücher.example/%20a", "default/bücher.example-20a"),
        ] {
            assert_eq!(made_up(uri).unwrap().to_string(), expected);
        }
        assert!(made_up("https://?x").is_err());
        assert_eq!(made_up(&format!("https://a/{}", "b".repeat(300))).unwrap().job.chars().count(), 60);
    }
}
