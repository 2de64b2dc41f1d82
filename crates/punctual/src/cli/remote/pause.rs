//! `punctual pause` and `punctual resume`.

use clap::Args;
use serde_json::{Value, json};

use super::connection::Connection;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{print_lines, visible};

/// Pause the server: nothing starts until it is resumed, whatever its jobs say
#[derive(Args)]
pub(crate) struct Pause {
    /// Why, for those who find the server paused
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,

    #[command(flatten)]
    connection: Connection,
}

/// Let a paused server run jobs again
#[derive(Args)]
pub(crate) struct Resume {
    /// Only show what resuming would run
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    connection: Connection,
}

impl Pause {
    /// Pauses the server.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let body = json!({ "why": self.why.as_deref().unwrap_or_default() });
        let answer = self.connection.open()?.call("POST", "/v1/pause", Some(&body))?;
        print_note(&format!("{}; nothing starts until `punctual resume`", describe(&answer["lastPause"])));
        Ok(())
    }
}

impl Resume {
    /// Ends the pause, or shows what that would lead to.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let state = server.call("GET", "/v1/pause", None)?;
        if state["paused"] != true {
            print_note("the server is not paused");
            return Ok(());
        }
        if self.dry_run {
            print_note(&describe(&state["lastPause"]));
            return Ok(print_lines(foresee(&state["resuming"]))?);
        }
        let answer = server.call("POST", "/v1/resume", None)?;
        let until = text(&answer["lastPause"]["until"]);
        print_note(&format!("{}, until {until}; jobs run again", describe(&state["lastPause"])));
        Ok(())
    }
}

/// What is said beside what a paused server would do.
pub(super) const PAUSED: &str = "the server is paused: nothing starts until `punctual resume`";

/// Since when the server is paused, by whom and why.
fn describe(pause: &Value) -> String {
    let (since, by, why) = (text(&pause["since"]), text(&pause["by"]), text(&pause["why"]));
    let why = if why.is_empty() { why } else { format!(" ({})", visible(&why)) };
    format!("paused since {since} by {}{why}", visible(&by))
}

/// What resuming would lead to.
fn foresee(resuming: &Value) -> String {
    let number = |name: &str| resuming[name].as_u64().unwrap_or_default();
    let at_least = if resuming["isAtLeast"] == true { "at least " } else { "" };
    let plural = punctual_model::plural;
    let in_flight = match number("inFlight") {
        0 => String::new(),
        in_flight => format!("; {} that started before the pause still in flight", plural(in_flight, "attempt")),
    };
    format!(
        "resuming now would start {at_least}{} of {}, and record {at_least}{} as not run{in_flight}",
        plural(number("runs"), "occurrence"),
        plural(number("jobs"), "job"),
        number("notRun")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_flight_is_told_apart_from_what_would_start() {
        let resuming = json!({ "inFlight": 1, "jobs": 2, "runs": 3, "notRun": 4, "isAtLeast": false });
        let text = "resuming now would start 3 occurrences of 2 jobs, and record 4 as not run; 1 attempt that started before the pause still in flight";
        assert_eq!(foresee(&resuming), text);
        let resuming = json!({ "inFlight": 0, "jobs": 1, "runs": 1, "notRun": 0, "isAtLeast": true });
        let text = "resuming now would start at least 1 occurrence of 1 job, and record at least 0 as not run";
        assert_eq!(foresee(&resuming), text);
    }
}
