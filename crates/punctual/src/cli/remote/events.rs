//! `punctual events`.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::client::Server;
use super::connection::Connection;
use super::table::text;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, visible};
use crate::cli::yaml;

/// Seconds before a server that does not answer is asked again: most are back soon.
const PAUSES_SECONDS: [u64; 4] = [1, 2, 5, 10];

/// Print what happens, one line per event, until interrupted
#[derive(Args)]
pub(crate) struct Events {
    /// Only these, such as failed,skipped [default: all]
    #[arg(long, value_name = "NAMES")]
    only: Option<String>,

    /// Go on after the event of this id [default: from now on]
    #[arg(long, value_name = "ID")]
    after: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,

    /// The path of the job whose events are printed; those of all where it is not known.
    #[arg(skip)]
    job: Option<String>,
}

impl Events {
    /// What happens to a job, by its path.
    pub(super) fn of_job(path: &str, only: Option<&str>, output: Output, connection: &Connection) -> Self {
        let (only, connection) = (only.map(ToOwned::to_owned), connection.clone());
        Self { only, after: None, output, connection, job: Some(path.to_owned()) }
    }

    /// Prints until interrupted. The server ends a stream from time to time, and may be restarted; then the next stream goes
    /// on after the last event.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let mut last = self.after.clone();
        let mut tries = 0;
        loop {
            let heard = last.clone();
            match self.follow(&server, &mut last) {
                Err(Failure::Unreachable(error)) if last != self.after => {
                    tries = if last == heard { tries + 1 } else { 0 };
                    if tries == 0 {
                        eprintln!("{error:#}; trying again until it answers");
                    }
                    std::thread::sleep(Duration::from_secs(PAUSES_SECONDS[tries.min(PAUSES_SECONDS.len() - 1)]));
                }
                ended => ended?,
            }
        }
    }

    /// Prints one stream to its end.
    fn follow(&self, server: &Server, last: &mut Option<String>) -> Result<(), Failure> {
        let parameters = [("events", self.only.as_ref()), ("lastEventId", last.as_ref())];
        let parameters = parameters.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
        let path = format!("/v1/events?{}", parameters.collect::<Vec<_>>().join("&"));
        server.lines(&path, |line| {
            if let Some(id) = line.strip_prefix("id: ") {
                *last = Some(id.to_owned());
            }
            match line.strip_prefix("data: ") {
                Some(data) => self.print(data, last.as_deref().unwrap_or_default()),
                None => Ok(()),
            }
        })
    }

    /// Prints an event; for programs with its id, after which another call can go on.
    fn print(&self, data: &str, id: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let mut event: Value = serde_json::from_str(data).map_err(anyhow::Error::new)?;
        let is_of = |path: &String| event["jobId"].as_str().is_some_and(|id| id.eq_ignore_ascii_case(path));
        if self.job.as_ref().is_some_and(|path| !is_of(path)) {
            return Ok(());
        }
        match self.output {
            Output::Json => {
                event["id"] = id.into();
                writeln!(out, "{event}")?;
            }
            Output::Yaml => {
                event["id"] = id.into();
                writeln!(out, "---\n{}", yaml::write(&event).map_err(io::Error::other)?)?;
            }
            Output::Name => writeln!(out, "{}", visible(&subject(&event).unwrap_or_default()))?,
            Output::Table => writeln!(out, "{}", visible(&line(&event)))?,
        }
        Ok(out.flush()?)
    }
}

/// The job or the collection that an event is about.
fn subject(event: &Value) -> Option<String> {
    let member = |name: &str| event[name].as_str().map(ToOwned::to_owned);
    match (member("collection"), member("job")) {
        (Some(collection), Some(job)) => Some(format!("{collection}/{job}")),
        (collection, _) => collection,
    }
}

/// When, what, of which job or collection, and the one thing more that matters.
fn line(event: &Value) -> String {
    let member = |name: &str| (!event[name].is_null()).then(|| text(&event[name]));
    let job = subject(event);
    let retry = event["retryCount"].as_u64().filter(|retry| *retry > 0).map(|retry| format!("retry {retry}"));
    let next = member("retryTime").map(|at| format!("again at {at}"));
    let error_action = member("actionName").filter(|name| name == "ErrorAction");
    let resent = event["resent"].as_bool().filter(|is| *is).map(|_| "resent".to_owned());
    let not_run = &event["notRun"];
    let not_run = not_run.is_object().then(|| format!("{} times, {}", not_run["number"], text(&not_run["reason"])));
    let jump = member("milliseconds").map(|by| format!("by {by} ms"));
    let parts = [member("time"), member("type"), job, member("edit"), error_action, retry, resent, next, not_run, jump];
    parts.into_iter().flatten().chain(member("name")).collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::line;

    #[test]
    fn an_event_is_one_line() {
        let lines = [
            json!({ "type": "retrying", "time": "T", "collection": "c", "job": "j", "retryCount": 1,
                    "actionName": "ErrorAction", "retryTime": "U", "resent": true }),
            json!({ "type": "started", "time": "T", "collection": "c", "job": "j", "retryCount": 0,
                    "actionName": "MainAction" }),
            json!({ "type": "skipped", "time": "T", "collection": "c", "job": "j",
                    "notRun": { "number": 4, "reason": "overlap" } }),
            json!({ "type": "edited", "time": "T", "collection": "c", "job": "j", "edit": "created" }),
            json!({ "type": "edited", "time": "T", "collection": "c", "edit": "disabled" }),
            json!({ "type": "clockJump", "time": "T", "milliseconds": -5 }),
            json!({ "type": "gap" }),
        ];
        assert_snapshot!(lines.iter().map(line).collect::<Vec<_>>().join("\n"), @"
        T  retrying  c/j  ErrorAction  retry 1  resent  again at U
        T  started  c/j
        T  skipped  c/j  4 times, overlap
        T  edited  c/j  created
        T  edited  c  disabled
        T  clockJump  by -5 ms
        gap
        ");
    }
}
