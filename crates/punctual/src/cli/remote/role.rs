//! `punctual role`.

use clap::{Args, Subcommand};
use serde_json::json;

use super::connection::Connection;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, print_lines};

/// Assign roles to people and programs that an identity provider knows
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Assign a role to everyone whose claim has a value
    Assign(Assign),
    /// List the assignments
    List(List),
    /// Take an assignment back
    Remove(Remove),
}

#[derive(Args)]
pub(crate) struct Assign {
    /// The issuer, as it is configured
    #[arg(long, value_name = "URL")]
    issuer: String,

    /// The name of a claim, such as groups, sub or realm_access.roles
    #[arg(long, value_name = "NAME")]
    claim: String,

    /// What the claim must be or hold
    #[arg(long, value_name = "TEXT")]
    value: String,

    /// What they may do: reader, contributor or owner
    #[arg(long, value_name = "ROLE")]
    role: String,

    /// Where: / is the whole server, a name is a collection, else the path of a subscription, a resource group or a collection
    #[arg(long, value_name = "PATH", default_value = "/")]
    scope: String,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct List {
    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Remove {
    /// The number of the assignment, as `role list` shows it
    id: u64,

    #[command(flatten)]
    connection: Connection,
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Assign(Assign { issuer, claim, value, role, scope, connection }) => {
                let body = json!({ "issuer": issuer, "claim": claim, "value": value, "role": role, "scope": scope });
                let made = connection.open()?.call("POST", "/v1/assignments", Some(&body))?;
                Ok(print_lines(&made["id"])?)
            }
            Self::List(arguments) => list(arguments),
            Self::Remove(Remove { id, connection }) => {
                connection.open()?.call("DELETE", &format!("/v1/assignments/{id}"), None)?;
                print_note(&format!("assignment {id} is taken back"));
                Ok(())
            }
        }
    }
}

fn list(arguments: &List) -> Result<(), Failure> {
    let answer = arguments.connection.open()?.call("GET", "/v1/assignments", None)?;
    let assignments = answer["value"].as_array().cloned().unwrap_or_default();
    if arguments.output.print(&answer["value"], |it| text(&it["id"]))? {
        return Ok(());
    }
    let members = ["id", "role", "scope", "issuer", "claim", "value"];
    let rows: Vec<_> = assignments.iter().map(|it| members.iter().map(|name| text(&it[*name])).collect()).collect();
    Ok(table::print(&["ID", "ROLE", "SCOPE", "ISSUER", "CLAIM", "VALUE"], &rows)?)
}
