//! `punctual alert`.

mod describe;
mod set;
mod test;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use self::describe::{scope_of, tells_of, when_of};
use self::set::Set;
use self::test::Test;
use super::client::encode;
use super::connection::Connection;
use super::failures::whole;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, print_lines, visible};

/// How commands about alerts end.
const EXIT_STATUS: &str =
    "Exit status: 0 done, 1 failed, 2 invalid input, 3 no such alert, 4 not allowed, 5 unreachable.";

/// Say who is told when jobs fail, and see what was told
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the alerts
    #[command(after_help = EXIT_STATUS)]
    List(List),
    /// Show an alert
    #[command(after_help = EXIT_STATUS)]
    Show(Show),
    /// Make an alert, or change what is given of it
    #[command(after_help = EXIT_STATUS)]
    Set(Set),
    /// Delete an alert, with its incidents and messages
    #[command(after_help = EXIT_STATUS)]
    Delete(Named),
    /// Send a test, and wait until it has arrived
    #[command(after_help = "\
Exit status: 0 it has arrived, 1 it has not, 2 invalid input, 3 no such alert, 4 not allowed, 5 unreachable.")]
    Test(Test),
    /// Tell nothing for some time
    #[command(after_help = EXIT_STATUS)]
    Mute(Mute),
    /// Let a muted alert tell again
    #[command(after_help = EXIT_STATUS)]
    Unmute(Named),
    /// List the messages of an alert, the latest first
    #[command(after_help = EXIT_STATUS)]
    Messages(Messages),
}

#[derive(Args)]
pub(crate) struct List {
    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The name of the alert
    name: String,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Named {
    /// The name of the alert
    name: String,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Mute {
    /// The name of the alert
    name: String,

    #[command(flatten)]
    time: MuteTime,

    #[command(flatten)]
    connection: Connection,
}

/// How long nothing is told.
#[derive(Args)]
pub(super) struct MuteTime {
    /// How long, such as 1h
    #[arg(long = "for", value_name = "DURATION", required_unless_present = "until", conflicts_with = "until")]
    duration: Option<String>,

    /// Until when, such as 2027-01-01T08:00:00Z
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl MuteTime {
    /// The time as the API takes it.
    pub(super) fn body(&self) -> Value {
        let Self { duration, until } = self;
        if until.is_some() { json!({ "until": until }) } else { json!({ "for": duration }) }
    }
}

#[derive(Args)]
pub(crate) struct Messages {
    /// The name of the alert
    name: String,

    /// The number of messages to list, at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::List(arguments) => list(arguments),
            Self::Show(arguments) => show(arguments),
            Self::Set(arguments) => arguments.run(),
            Self::Delete(Named { name, connection }) => {
                connection.open()?.call("DELETE", &path(name), None)?;
                print_note(&format!("alert {} is deleted", visible(name)));
                Ok(())
            }
            Self::Test(arguments) => arguments.run(),
            Self::Mute(arguments) => mute(arguments),
            Self::Unmute(Named { name, connection }) => {
                connection.open()?.call("POST", &format!("{}/unmute", path(name)), None)?;
                print_note(&format!("alert {} tells again", visible(name)));
                Ok(())
            }
            Self::Messages(arguments) => messages(arguments),
        }
    }
}

/// The path of an alert.
fn path(name: &str) -> String {
    format!("/v1/alerts/{}", encode(name))
}

fn list(arguments: &List) -> Result<(), Failure> {
    let answer = whole(&arguments.connection.open()?, "/v1/alerts")?;
    let alerts = answer["value"].as_array().cloned().unwrap_or_default();
    if arguments.output.print(&answer["value"], |it| text(&it["name"]))? {
        return Ok(());
    }
    if alerts.is_empty() {
        print_note("there are no alerts; make one: punctual alert set NAME --when failing,recovered --post URL");
        return Ok(());
    }
    let row = |alert: &Value| {
        let muted = if alert["muted"].is_null() { "-".to_owned() } else { text(&alert["muted"]["until"]) };
        vec![text(&alert["name"]), scope_of(&text(&alert["scope"])), tells_of(alert), muted, when_of(&alert["when"])]
    };
    let rows: Vec<_> = alerts.iter().map(row).collect();
    Ok(table::print_fitting(&["NAME", "WATCHES", "TELLS", "MUTED UNTIL", "WHEN"], &rows)?)
}

fn show(arguments: &Show) -> Result<(), Failure> {
    let alert = arguments.connection.open()?.call("GET", &path(&arguments.name), None)?;
    if arguments.output.print(&alert, |it| text(&it["name"]))? {
        return Ok(());
    }
    let mut lines = vec![
        ("name", text(&alert["name"])),
        ("watches", scope_of(&text(&alert["scope"]))),
        ("when", when_of(&alert["when"])),
        ("tells", tells_of(&alert)),
    ];
    if !alert["reminder"].is_null() {
        lines.push(("reminder", text(&alert["reminder"])));
    }
    let (hours, muted, changed) = (&alert["quietHours"], &alert["muted"], &alert["changed"]);
    if !hours.is_null() {
        let [from, to, zone] = ["from", "to", "timeZone"].map(|member| text(&hours[member]));
        lines.push(("quiet", format!("{from} to {to}, {zone}")));
    }
    if !muted.is_null() {
        lines.push(("muted", format!("until {} by {}", text(&muted["until"]), text(&muted["by"]))));
    }
    lines.push(("changed", format!("{} by {}", text(&changed["at"]), text(&changed["by"]))));
    let lines: Vec<_> = lines.iter().map(|(label, line)| format!("{label:8}  {}", visible(line))).collect();
    Ok(print_lines(lines.join("\n"))?)
}

fn mute(arguments: &Mute) -> Result<(), Failure> {
    let Mute { name, time, connection } = arguments;
    let alert = connection.open()?.call("POST", &format!("{}/mute", path(name)), Some(&time.body()))?;
    print_note(&format!("alert {} tells nothing until {}", visible(name), text(&alert["muted"]["until"])));
    Ok(())
}

fn messages(arguments: &Messages) -> Result<(), Failure> {
    let Messages { name, limit, output, connection } = arguments;
    let answer = connection.open()?.call("GET", &format!("{}/messages?$top={limit}", path(name)), None)?;
    let messages = answer["value"].as_array().cloned().unwrap_or_default();
    if output.print(&answer["value"], |it| text(&it["id"]))? {
        return Ok(());
    }
    if messages.is_empty() {
        print_note(&format!("alert {} has told nothing", visible(name)));
        return Ok(());
    }
    let row = |message: &Value| {
        let [at, kind, state, headline] = ["at", "kind", "state", "headline"].map(|member| text(&message[member]));
        let next = message["nextAttemptAt"].as_str().map(|at| format!(" Tried again at {at}.")).unwrap_or_default();
        // Of a message that did not arrive, the reason matters more.
        let said = match message["reason"].as_str() {
            None => headline,
            Some(reason) if kind == "test" => reason.to_owned(),
            Some(reason) => format!("{reason}{next} ({headline})"),
        };
        vec![at, kind, state, said]
    };
    let rows: Vec<_> = messages.iter().map(row).collect();
    Ok(table::print_fitting(&["AT", "KIND", "STATE", "MESSAGE"], &rows)?)
}
