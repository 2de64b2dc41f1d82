//! `punctual collection`.

mod definition;

use std::io::{self, IsTerminal};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use punctual_api::wire::{Json, Unknown, parse_collection_json};
use punctual_model::Violation;
use serde_json::{Value, json};

use self::definition::Definition;
use super::address::{self, CollectionAddress};
use super::client::Server;
use super::connection::Connection;
use super::edit::{Subject, edit};
use super::job::{overtaken, print_warnings};
use super::pages::Pages;
use super::table::{Column, Table, text, text_or_dash};
use crate::cli::document;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{ListPrinter, Output, print_lines, shell_word, visible};

/// How commands about collections end.
const EXIT_STATUS: &str =
    "Exit status: 0 done, 1 failed, 2 invalid input, 3 no such collection, 4 not allowed, 5 unreachable.";

/// Look at collections of jobs, make them and change them
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List collections
    #[command(after_help = EXIT_STATUS, visible_alias = "ls")]
    List(List),
    /// Show a collection
    #[command(after_help = EXIT_STATUS)]
    Show(Show),
    /// Make a collection, from flags or from a file
    #[command(after_help = EXIT_STATUS)]
    Create(Create),
    /// Change what is given of a collection
    #[command(after_help = EXIT_STATUS)]
    Set(Set),
    /// Change a collection in your editor
    #[command(after_help = EXIT_STATUS)]
    Edit(Edit),
    /// Delete a collection with all its jobs and their history
    #[command(after_help = EXIT_STATUS, visible_alias = "rm")]
    Delete(Delete),
    /// Let the jobs of a collection run again
    #[command(after_help = EXIT_STATUS)]
    Enable(Named),
    /// Let no job of a collection run, until it is enabled
    #[command(after_help = EXIT_STATUS)]
    Disable(Named),
}

#[derive(Args)]
pub(crate) struct List {
    /// The subscription of the group whose collections are listed [default: that of the server]
    #[arg(long, value_name = "NAME", requires = "group")]
    subscription: Option<String>,

    /// The group whose collections are listed [default: that of the server]
    #[arg(long, value_name = "NAME")]
    group: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The name of the collection
    #[arg(value_name = "COLLECTION", add = super::complete::collections())]
    collection: CollectionAddress,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Create {
    /// The name of the collection
    #[arg(value_name = "COLLECTION")]
    collection: CollectionAddress,

    /// A file with the collection, as JSON (comments are fine) or YAML; - is stdin. Flags come on top of it
    #[arg(short, long, value_name = "FILE")]
    file: Option<String>,

    #[command(flatten)]
    definition: Definition,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Set {
    /// The name of the collection
    #[arg(value_name = "COLLECTION", add = super::complete::collections())]
    collection: CollectionAddress,

    #[command(flatten)]
    definition: Definition,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Edit {
    /// The name of the collection
    #[arg(value_name = "COLLECTION", add = super::complete::collections())]
    collection: CollectionAddress,

    /// Begin with the text in this file instead of the collection as it is
    #[arg(long, value_name = "FILE")]
    from: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Delete {
    /// The name of the collection
    #[arg(value_name = "COLLECTION", add = super::complete::collections())]
    collection: CollectionAddress,

    /// Delete it although it has jobs
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(crate) struct Named {
    /// The name of the collection
    #[arg(value_name = "COLLECTION", add = super::complete::collections())]
    collection: CollectionAddress,

    #[command(flatten)]
    connection: Connection,
}

const COLUMNS: [Column; 4] = [("COLLECTION", 0), ("STATE", 0), ("PLAN", 2), ("LIMITS", 1)];

impl Command {
    /// Does it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::List(arguments) => list(arguments),
            Self::Show(arguments) => show(arguments),
            Self::Create(arguments) => create(arguments),
            Self::Set(arguments) => set(arguments),
            Self::Edit(arguments) => edit_collection(arguments),
            Self::Delete(arguments) => delete(arguments),
            Self::Enable(arguments) => switch(arguments, "enable"),
            Self::Disable(arguments) => switch(arguments, "disable"),
        }
    }
}

fn list(arguments: &List) -> Result<(), Failure> {
    let List { subscription, group, output, connection } = arguments;
    let server = connection.open()?;
    let home = address::home(&server)?;
    let given = [("subscription", subscription), ("group", group)];
    let given = given
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", super::client::encode(value.as_ref()?))));
    let path = format!("/v1/collections?{}", given.collect::<Vec<_>>().join("&"));
    let mut pages = Pages::new(&server, path, usize::MAX);
    let name = |it: &Value| address::short(&text(&it["path"]), home.as_deref());
    let mut table = Table::new(&COLUMNS);
    let mut printer = ListPrinter::new(*output);
    while let Some(items) = pages.next("collection")? {
        if *output == Output::Table {
            let row = |it: &Value| vec![name(it), text(&it["state"]), text_or_dash(&it["sku"]["name"]), limits(it)];
            table.print(&items.iter().map(row).collect::<Vec<_>>())?;
        } else {
            printer.print(&items, name)?;
        }
    }
    printer.end()?;
    if *output == Output::Table && pages.count() == 0 {
        print_note("there are no collections; make one: punctual collection create NAME");
    }
    Ok(())
}

/// What a collection lets its jobs do, at most.
fn limits(collection: &Value) -> String {
    let quota = &collection["quota"];
    let jobs = quota["maxJobCount"].as_u64().map(|number| format!("{number} jobs"));
    let runs = quota["maxJobOccurrence"].as_u64().map(|number| format!("{number} runs a job"));
    let recurrence = &quota["maxRecurrence"];
    let often =
        recurrence["interval"].as_u64().map(|number| format!("every {number} {}", text(&recurrence["frequency"])));
    let parts: Vec<_> = [jobs, runs, often].into_iter().flatten().collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(", ") }
}

fn show(arguments: &Show) -> Result<(), Failure> {
    let Show { collection: address, output, connection } = arguments;
    let server = connection.open()?;
    let collection = server.call("GET", &address.path(""), None).map_err(|failure| address.advise(&server, failure))?;
    print(&collection, address, *output)
}

fn print(collection: &Value, address: &CollectionAddress, output: Output) -> Result<(), Failure> {
    if output.print(collection, |_| address.to_string())? {
        return Ok(());
    }
    let mut lines = vec![
        ("collection", address.to_string()),
        ("state", text(&collection["state"])),
        ("plan", text_or_dash(&collection["sku"]["name"])),
        ("limits", limits(collection)),
    ];
    for (tag, value) in collection["tags"].as_object().into_iter().flatten() {
        lines.push(("tag", format!("{tag}={}", text(value))));
    }
    let lines: Vec<_> = lines.iter().map(|(label, line)| format!("{label:10}  {}", visible(line))).collect();
    Ok(print_lines(lines.join("\n"))?)
}

fn create(arguments: &Create) -> Result<(), Failure> {
    let Create { collection: address, file, definition, output, connection } = arguments;
    let server = connection.open()?;
    let mut body = file.as_ref().map_or_else(|| Ok(json!({})), |file| document::read_value(file))?;
    super::job::lay_over(&mut body, definition.overlay()?);
    let word = visible(&shell_word(&address.to_string()));
    let made = server.write(&address.path(""), &body, None)?.ok_or_else(|| {
        anyhow!(
            "there is a collection {word} already, and it was not touched; change it: punctual collection edit {word}"
        )
    })?;
    print_warnings(&made);
    print(&made, address, *output)
}

fn set(arguments: &Set) -> Result<(), Failure> {
    let Set { collection: address, definition, output, connection } = arguments;
    let server = connection.open()?;
    let overlay = definition.overlay()?;
    if overlay.as_object().is_some_and(serde_json::Map::is_empty) {
        return Err(Violation::new("collection set", "nothing", "a flag that says what to change").into());
    }
    let (_, tag) = read(&server, address)?;
    let changed = server.patch(&address.path(""), &overlay, &tag)?.ok_or_else(|| overtaken(&address.to_string()))?;
    print_warnings(&changed);
    print(&changed, address, *output)
}

fn read(server: &Server, address: &CollectionAddress) -> Result<(Value, String), Failure> {
    let missing = || Failure::NotFound(format!("Collection '{}' cannot be found.", visible(&address.to_string())));
    server.read(&address.path(""))?.ok_or_else(|| address.advise(server, missing()))
}

fn edit_collection(arguments: &Edit) -> Result<(), Failure> {
    let Edit { collection: address, from, output, connection } = arguments;
    let server = connection.open()?;
    let known = read(&server, address)?;
    let (name, path) = (address.to_string(), address.path(""));
    let subject = Subject { name, command: "punctual collection edit", path, check };
    let Some(changed) = edit(&server, &subject, known, from.as_deref())? else { return Ok(()) };
    print_warnings(&changed);
    print(&changed, address, *output)
}

fn check(json: &Json) -> Result<(), Vec<Violation>> {
    parse_collection_json(json, Unknown::Refused).map(|_| ())
}

fn delete(arguments: &Delete) -> Result<(), Failure> {
    let Delete { collection: address, yes, connection } = arguments;
    let (server, name) = (connection.open()?, visible(&address.to_string()));
    let advise = |failure| address.advise(&server, failure);
    let jobs = server.call("GET", &address.path("/jobs?$top=1"), None).map_err(advise)?;
    let has_jobs = jobs["value"].as_array().is_some_and(|jobs| !jobs.is_empty());
    if has_jobs && !yes && !is_confirmed(&format!("{name} has jobs, which are deleted with it. Delete it? [y/N] "))? {
        return Err(anyhow!("{name} has jobs, which would be deleted with it; say so with --yes").into());
    }
    server.call("DELETE", &address.path(""), None)?;
    print_note(&format!("{name} is deleted"));
    Ok(())
}

/// Whether somebody at a terminal says yes; where there is nobody, nobody does.
fn is_confirmed(question: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    eprint!("{question}");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn switch(arguments: &Named, what: &str) -> Result<(), Failure> {
    let Named { collection: address, connection } = arguments;
    let server = connection.open()?;
    server
        .call("POST", &address.path(&format!("/{what}")), None)
        .map_err(|failure| address.advise(&server, failure))?;
    print_note(&format!("{} is {what}d", visible(&address.to_string())));
    Ok(())
}
