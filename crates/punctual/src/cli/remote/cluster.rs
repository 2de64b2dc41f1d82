//! `punctual cluster`.

use std::time::Duration;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use punctual_model::plural;
use punctual_model::time::{DateTime, TICKS_PER_SECOND, Timestamp, Zone};
use serde_json::Value;

use super::client::{Server, encode};
use super::connection::Connection;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, shell_word, visible};

/// How often it is asked how far a node has come.
const INTERVAL: Duration = Duration::from_millis(500);

/// How commands about one node end.
const EXIT_STATUS: &str = "\
Exit status: 0 done, 1 failed, 2 invalid input, 3 no such node, 4 not allowed, 5 unreachable, 130 interrupted.";

/// Show the nodes that share a database, and take them out of work one by one
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show who is there, and how many shards each has
    #[command(after_help = "\
All jobs are divided into 256 shards. Each shard has one node, which runs its jobs.
Exit status: 0 told, 2 invalid input, 4 not allowed, 5 unreachable.")]
    Status(Status),
    /// Have a node give its shards to others and finish what is in flight, so that it can be stopped
    #[command(after_help = EXIT_STATUS)]
    Drain(Drain),
    /// Let a node have shards again
    #[command(after_help = EXIT_STATUS)]
    Undrain(Undrain),
}

#[derive(Args)]
pub(crate) struct Status {
    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Drain {
    /// The number of the node, or its name
    node: String,

    /// Do not wait until it is drained
    #[arg(long)]
    no_wait: bool,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Undrain {
    /// The number of the node, or its name
    node: String,

    #[command(flatten)]
    connection: Connection,
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Status(arguments) => show(arguments),
            Self::Drain(arguments) => drain(arguments),
            Self::Undrain(Undrain { node, connection }) => {
                let node = connection.open()?.call("DELETE", &drain_path(node), None)?;
                print_note(&format!("{} takes its share of the shards again", describe(&node)));
                Ok(())
            }
        }
    }
}

fn drain_path(node: &str) -> String {
    format!("/v1/cluster/nodes/{}/drain", encode(node))
}

/// A node with its number and its name.
fn describe(node: &Value) -> String {
    format!("node {} ({})", node["id"], visible(&text(&node["name"])))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn nodes(cluster: &Value) -> impl Iterator<Item = &Value> {
    cluster["nodes"].as_array().into_iter().flatten()
}

fn show(arguments: &Status) -> Result<(), Failure> {
    let cluster = arguments.connection.open()?.call("GET", "/v1/cluster", None)?;
    let is_printed = match arguments.output {
        Output::Name => arguments.output.print(&cluster["nodes"], |it| text(&it["name"]))?,
        output => output.print(&cluster, text)?,
    };
    if is_printed {
        return Ok(());
    }
    let rows: Vec<_> = nodes(&cluster).map(|node| row(node, &cluster["now"])).collect();
    let headings = ["ID", "NAME", "STATE", "SHARDS", "IN FLIGHT", "OVERDUE", "CLOCK", "SEEN", "VERSION", "URL"];
    table::print_fitting(&headings, &rows)?;
    for trouble in troubles(&cluster) {
        print_note(&trouble);
    }
    Ok(())
}

fn row(node: &Value, now: &Value) -> Vec<String> {
    let overdue = match number(&node["overdueSeconds"]) {
        0 => "-".to_owned(),
        seconds => format!("{seconds} s"),
    };
    let clock = format!("{:+} ms", node["clockOffsetMs"].as_i64().unwrap_or_default());
    let [id, name, state, shards, in_flight, version, url] =
        ["id", "name", "state", "shards", "inFlight", "version", "url"].map(|member| text(&node[member]));
    vec![id, name, state, shards, in_flight, overdue, clock, seen(&node["seenAt"], now), version, url]
}

/// How long ago a node was seen, by the clock of the database.
fn seen(at: &Value, now: &Value) -> String {
    let instant = |value: &Value| -> Option<Timestamp> {
        DateTime::parse(value.as_str()?).ok().map(|written| written.resolve(Zone::utc()).instant())
    };
    let (Some(at), Some(now)) = (instant(at), instant(now)) else { return text(at) };
    match now.since(at).max(0) / TICKS_PER_SECOND {
        0 => "now".to_owned(),
        seconds @ 1..120 => format!("{seconds} s ago"),
        seconds => format!("{} min ago", seconds / 60),
    }
}

/// What somebody should know who looks at the nodes.
fn troubles(cluster: &Value) -> Vec<String> {
    let mut troubles = Vec::new();
    let (without, total) = (number(&cluster["shards"]["withoutOwner"]), number(&cluster["shards"]["total"]));
    if without > 0 {
        troubles.push(format!("{without} of {total} shards have no owner: their jobs wait until a node takes them"));
    }
    let claims = number(&cluster["claims"]);
    if claims > 0 {
        troubles.push(format!("{} in flight at nodes that have given the shard away", plural(claims, "attempt")));
    }
    troubles
}

fn drain(arguments: &Drain) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let node = server.call("POST", &drain_path(&arguments.node), None)?;
    let name = describe(&node);
    if arguments.no_wait {
        print_note(&format!("{name} gives its shards away; `punctual cluster status` says when it is drained"));
        return Ok(());
    }
    let word = shell_word(&visible(&arguments.node));
    server.say_on_interrupt(format!("{name} goes on draining; to stop that: punctual cluster undrain {word}"))?;
    wait_until_drained(&server, &node["id"], &name)
}

fn wait_until_drained(server: &Server, id: &Value, name: &str) -> Result<(), Failure> {
    let mut said = String::new();
    loop {
        let cluster = server.call("GET", "/v1/cluster", None)?;
        match Progress::of(&cluster, id) {
            Progress::Left(left) => {
                if left != said {
                    print_note(&format!("node {id}: {left}"));
                }
                said = left;
            }
            Progress::Drained => {
                print_note(&format!("{name} is drained: it may be stopped"));
                return Ok(());
            }
            Progress::HasLeft => {
                print_note(&format!("{name} has stopped"));
                return Ok(());
            }
            Progress::Failed(why) => return Err(Failure::Failed(anyhow!("{name} {why}"))),
        }
        server.wait(INTERVAL);
    }
}

/// How far a node has come that is to give everything away.
#[derive(Debug, PartialEq, Eq)]
enum Progress {
    /// What the node still has.
    Left(String),
    Drained,
    /// The node has ended cleanly meanwhile.
    HasLeft,
    /// Why the node will not be drained.
    Failed(&'static str),
}

impl Progress {
    fn of(cluster: &Value, id: &Value) -> Self {
        let Some(node) = nodes(cluster).find(|node| node["id"] == *id) else { return Self::HasLeft };
        match node["state"].as_str() {
            Some("drained") => Self::Drained,
            Some("gone") => Self::Failed("is gone: its lease ran out before it was drained"),
            Some("running") => Self::Failed("is not draining any more: somebody wants it to keep its shards"),
            _ => Self::Left(left(cluster, node)),
        }
    }
}

/// What a node still has.
fn left(cluster: &Value, node: &Value) -> String {
    let (shards, in_flight) = (number(&node["shards"]), number(&node["inFlight"]));
    let is_alone = !nodes(cluster).any(|other| other["state"] == "running");
    let claims = match number(&cluster["claims"]) {
        // They wait for attempts of this node or of others: the server does not tell them apart.
        claims if claims > 0 && shards == 0 && in_flight == 0 => format!(", {} claimed", plural(claims, "attempt")),
        _ => String::new(),
    };
    let alone = if shards > 0 && is_alone { "; no other node is there to take them" } else { "" };
    format!("{} left, {} in flight{claims}{alone}", plural(shards, "shard"), plural(in_flight, "attempt"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A cluster of a node that is to be drained, and another one.
    fn cluster(state: &str, shards: u64, in_flight: u64, other: &str) -> Value {
        json!({
            "claims": 0,
            "nodes": [
                { "id": 3, "state": state, "shards": shards, "inFlight": in_flight },
                { "id": 4, "state": other, "shards": 256 - shards, "inFlight": 0 },
            ],
        })
    }

    fn left(cluster: &Value) -> String {
        match Progress::of(cluster, &json!(3)) {
            Progress::Left(left) => left,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_left_is_told_until_nothing_is() {
        assert_eq!(left(&cluster("draining", 41, 2, "running")), "41 shards left, 2 attempts in flight");
        assert_eq!(left(&cluster("draining", 0, 1, "running")), "0 shards left, 1 attempt in flight");
        let alone = "256 shards left, 0 attempts in flight; no other node is there to take them";
        assert_eq!(left(&cluster("draining", 256, 0, "gone")), alone);
        let mut claimed = cluster("draining", 0, 0, "running");
        claimed["claims"] = json!(2);
        assert_eq!(left(&claimed), "0 shards left, 0 attempts in flight, 2 attempts claimed");
        assert_eq!(Progress::of(&cluster("drained", 0, 0, "running"), &json!(3)), Progress::Drained);
    }

    #[test]
    fn a_node_that_will_not_be_drained_ends_the_waiting() {
        for state in ["gone", "running"] {
            let progress = Progress::of(&cluster(state, 0, 0, "running"), &json!(3));
            assert!(matches!(progress, Progress::Failed(_)), "{state}: {progress:?}");
        }
        assert_eq!(Progress::of(&cluster("draining", 1, 0, "running"), &json!(5)), Progress::HasLeft);
    }

    #[test]
    fn when_a_node_was_seen_is_told_by_the_clock_of_the_database() {
        let now = json!("2026-11-15T12:00:00Z");
        for (at, expected) in [
            ("2026-11-15T11:59:59.3Z", "now"),
            ("2026-11-15T11:59:58Z", "2 s ago"),
            ("2026-11-15T11:55:30Z", "4 min ago"),
            ("2026-11-15T12:00:05Z", "now"),
            ("never", "never"),
        ] {
            assert_eq!(seen(&json!(at), &now), expected);
        }
    }

    #[test]
    fn shards_without_an_owner_are_pointed_out() {
        let healthy = json!({ "shards": { "total": 256, "withoutOwner": 0 }, "claims": 0 });
        assert!(troubles(&healthy).is_empty());
        let troubled = json!({ "shards": { "total": 256, "withoutOwner": 85 }, "claims": 1 });
        assert_eq!(
            troubles(&troubled),
            [
                "85 of 256 shards have no owner: their jobs wait until a node takes them",
                "1 attempt in flight at nodes that have given the shard away",
            ]
        );
    }
}
