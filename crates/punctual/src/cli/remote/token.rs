//! `punctual token`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::connection::Connection;
use super::table::{self, text};
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, print_lines};

/// Make, list and revoke the tokens that clients of the API show
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a token; it is printed this once
    Create(Create),
    /// List the tokens, without what makes them tokens
    List(List),
    /// Revoke a token
    Revoke(Revoke),
}

#[derive(Args)]
pub(crate) struct Create {
    /// What its holder may do: reader, contributor or owner
    #[arg(long, value_name = "ROLE")]
    role: String,

    /// Where: / is the whole server, a name is a collection, else the path of a subscription, a resource group or a collection
    #[arg(long, value_name = "PATH", default_value = "/")]
    scope: String,

    /// What it is for
    #[arg(long, value_name = "TEXT", default_value = "")]
    description: String,

    /// When it is not taken any more, such as 2027-01-01 [default: never]
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

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
pub(crate) struct Revoke {
    /// The public part of the token, as `token list` shows it
    id: String,

    #[command(flatten)]
    connection: Connection,
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Create(arguments) => create(arguments),
            Self::List(arguments) => list(arguments),
            Self::Revoke(Revoke { id, connection }) => {
                connection.open()?.call("DELETE", &format!("/v1/tokens/{id}"), None)?;
                print_note(&format!("token {id} is revoked"));
                Ok(())
            }
        }
    }
}

fn create(arguments: &Create) -> Result<(), Failure> {
    let Create { role, scope, description, expires, output, connection } = arguments;
    let body = json!({
        "description": description,
        "expires": expires,
        "grants": [{ "role": role, "scope": scope }],
    });
    let token = connection.open()?.call("POST", "/v1/tokens", Some(&body))?;
    if output.print(&token, |it| text(&it["id"]))? {
        return Ok(());
    }
    print_note("this is the token; it is not shown again:");
    Ok(print_lines(text(&token["token"]))?)
}

fn list(arguments: &List) -> Result<(), Failure> {
    let answer = arguments.connection.open()?.call("GET", "/v1/tokens", None)?;
    let tokens = answer["value"].as_array().cloned().unwrap_or_default();
    if arguments.output.print(&answer["value"], |it| text(&it["id"]))? {
        return Ok(());
    }
    let row = |token: &Value| {
        let grants = token["grants"].as_array().into_iter().flatten();
        let grants = grants.map(|grant| format!("{} on {}", text(&grant["role"]), text(&grant["scope"])));
        let expires = if token["expires"].is_null() { "never".to_owned() } else { text(&token["expires"]) };
        vec![
            text(&token["id"]),
            grants.collect::<Vec<_>>().join(", "),
            text(&token["created"]),
            expires,
            text(&token["description"]),
        ]
    };
    let rows: Vec<_> = tokens.iter().map(row).collect();
    Ok(table::print(&["ID", "MAY", "CREATED", "EXPIRES", "DESCRIPTION"], &rows)?)
}
