//! `punctual incidents`.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;

use super::alert::MuteTime;
use super::client::encode;
use super::connection::Connection;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::Output;

/// How commands about one incident end.
const EXIT_STATUS: &str =
    "Exit status: 0 done, 1 it is over, 2 invalid input, 3 no such incident, 4 not allowed, 5 unreachable.";

/// Show what alerts have found, the latest first
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Exit status: 0 told, 2 invalid input, 3 no such alert, 4 not allowed, 5 unreachable."
)]
pub(crate) struct Incidents {
    #[command(subcommand)]
    command: Option<Command>,

    /// Which of them
    #[arg(long, value_enum, default_value = "open")]
    state: State,

    /// Only those of this alert
    #[arg(long, value_name = "NAME")]
    alert: Option<String>,

    /// The number of incidents to list, at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Subcommand)]
enum Command {
    /// Tell nothing of an incident for some time
    #[command(after_help = EXIT_STATUS)]
    Mute(Mute),
    /// Let a muted incident be told again
    #[command(after_help = EXIT_STATUS)]
    Unmute(Unmute),
}

#[derive(Args)]
struct Mute {
    /// The number of the incident
    id: u64,

    #[command(flatten)]
    time: MuteTime,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct Unmute {
    /// The number of the incident
    id: u64,

    #[command(flatten)]
    connection: Connection,
}

impl Command {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Mute(Mute { id, time, connection }) => {
                let path = format!("/v1/incidents/{id}/mute");
                let muted = connection.open()?.call("POST", &path, Some(&time.body()))?;
                print_note(&format!("nothing is told of incident {id} until {}", text(&muted["muted"]["until"])));
            }
            Self::Unmute(Unmute { id, connection }) => {
                connection.open()?.call("POST", &format!("/v1/incidents/{id}/unmute"), None)?;
                print_note(&format!("incident {id} is told of again"));
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    /// Those that last
    Open,
    /// Those that are over
    Closed,
    /// Both
    All,
}

impl Incidents {
    /// Lists incidents, or does what is to be done about one.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        self.command.as_ref().map_or_else(|| self.list(), Command::run)
    }

    fn list(&self) -> Result<(), Failure> {
        let answer = self.connection.open()?.call("GET", &self.path(), None)?;
        let incidents = answer["value"].as_array().cloned().unwrap_or_default();
        if self.output.print(&answer["value"], |it| text(&it["id"]))? {
            return Ok(());
        }
        if incidents.is_empty() {
            print_note(if self.state == State::Open { "no incident is open" } else { "there are no incidents" });
            return Ok(());
        }
        let row = |it: &Value| {
            let end = if it["closedAt"].is_null() { "-".to_owned() } else { text(&it["closedAt"]) };
            let [id, alert, opened, headline] = ["id", "alert", "openedAt", "headline"].map(|member| text(&it[member]));
            vec![id, alert, text(&it["condition"]), opened, end, headline]
        };
        let rows: Vec<_> = incidents.iter().map(row).collect();
        Ok(table::print_fitting(&["ID", "ALERT", "CONDITION", "SINCE", "UNTIL", "WHAT"], &rows)?)
    }

    fn path(&self) -> String {
        let state = match self.state {
            State::Open => "&state=open",
            State::Closed => "&state=closed",
            State::All => "",
        };
        let alert = self.alert.as_ref().map(|name| format!("&alert={}", encode(name))).unwrap_or_default();
        format!("/v1/incidents?$top={}{state}{alert}", self.limit)
    }
}
