//! `punctual context`.

use std::path::{self, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use punctual_model::Violation;
use serde_json::{Value, json};

use super::contexts::{self, Context, Contexts};
use super::document;
use super::failure::{Failure, print_note};
use super::output::{Output, visible};
use super::remote::{table, variable};

/// How commands about contexts end.
const EXIT_STATUS: &str = "Exit status: 0 done, 1 failed, 2 invalid input, 3 no such context.";

/// Name the servers that you work with, and choose one of them
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Name a server, or change what its name stands for; the first one is used from then on
    #[command(after_help = EXIT_STATUS)]
    Add(Add),
    /// List the servers that have names
    #[command(after_help = EXIT_STATUS)]
    List(List),
    /// Ask this server from now on, where no other is named
    #[command(after_help = EXIT_STATUS)]
    Use(Named),
    /// Forget a server and its token
    #[command(after_help = EXIT_STATUS)]
    Remove(Named),
}

#[derive(Args)]
pub(crate) struct Add {
    /// The name of the context
    name: String,

    /// The address of the server
    #[arg(long, value_name = "URL")]
    url: String,

    /// A file with the token, which is copied; - is stdin [default: the token that PUNCTUAL_TOKEN holds, if any]
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,

    /// A file with the certificate that vouches for the server, as PEM
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct List {
    #[arg(long, value_enum, default_value = "table")]
    output: Output,
}

#[derive(Args)]
pub(crate) struct Named {
    /// The name of the context
    #[arg(add = super::remote::complete_contexts())]
    name: String,
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Add(arguments) => add(arguments),
            Self::List(arguments) => list(arguments),
            Self::Use(Named { name }) => {
                let mut contexts = Contexts::load()?;
                let url = contexts.find(name)?.url.clone();
                contexts.current = Some(name.clone());
                contexts.save()?;
                print_note(&format!("commands ask {} from now on", visible(&url)));
                Ok(())
            }
            Self::Remove(Named { name }) => {
                let mut contexts = Contexts::load()?;
                contexts.find(name)?;
                contexts.contexts.remove(name);
                let was_current = contexts.current.as_ref() == Some(name);
                contexts.current = contexts.current.filter(|current| current != name);
                contexts.save()?;
                let rest = if was_current { "; no context is in use now" } else { "" };
                print_note(&format!("context {} is removed{rest}", visible(name)));
                Ok(())
            }
        }
    }
}

fn add(arguments: &Add) -> Result<(), Failure> {
    let Add { name, url, token_file, ca } = arguments;
    if name.is_empty() || name.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Err(Violation::new("NAME", format!("{name:?}"), "a name without blanks").into());
    }
    super::remote::check_url(url)?;
    let token = match token_file {
        Some(file) => Some(document::read_text(file)?.trim().to_owned()),
        None => variable("PUNCTUAL_TOKEN"),
    };
    let absolute = |file: &PathBuf| path::absolute(file).with_context(|| format!("cannot find {}", file.display()));
    let ca = ca.as_ref().map(absolute).transpose()?;
    let mut contexts = Contexts::load()?;
    let has_token = token.is_some();
    contexts.contexts.insert(name.clone(), Context { url: url.clone(), token, ca });
    let current = contexts.current.get_or_insert_with(|| name.clone()).clone();
    contexts.save()?;
    let place = contexts::path().unwrap_or_default();
    let token = if has_token { "with its token" } else { "without a token" };
    let used = if current == *name {
        "commands ask it from now on".to_owned()
    } else {
        format!("commands ask {}; change that with: punctual context use {}", visible(&current), visible(name))
    };
    print_note(&format!("{} is in {} {token}; {used}", visible(name), place.display()));
    Ok(())
}

fn list(arguments: &List) -> Result<(), Failure> {
    let Contexts { current, contexts } = Contexts::load()?;
    let item = |(name, context): (&String, &Context)| {
        let is_current = current.as_ref() == Some(name);
        json!({ "name": name, "url": context.url, "hasToken": context.token.is_some(), "ca": context.ca, "isCurrent": is_current })
    };
    let items: Vec<Value> = contexts.iter().map(item).collect();
    if arguments.output.print(&Value::Array(items.clone()), |it| table::text(&it["name"]))? {
        return Ok(());
    }
    if items.is_empty() {
        print_note("no server has a name yet; give one: punctual context add NAME --url URL");
        return Ok(());
    }
    let row = |it: &Value| {
        let used = if it["isCurrent"] == true { "*" } else { "" };
        let token = if it["hasToken"] == true { "yes" } else { "no" };
        vec![used.to_owned(), table::text(&it["name"]), table::text(&it["url"]), token.to_owned()]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    Ok(table::print(&["USED", "NAME", "URL", "TOKEN"], &rows)?)
}
