//! `punctual secrets`.

use clap::{Args, Subcommand};

use super::connection::Connection;
use super::table::text;
use crate::cli::failure::{Failure, print_note};

/// Look after the key that seals the actions of jobs
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Take a new key, seal everything with it, and forget the old one
    Rotate(Rotate),
}

#[derive(Args)]
pub(crate) struct Rotate {
    #[command(flatten)]
    connection: Connection,
}

impl Command {
    /// Does it, and says how far it has come.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Self::Rotate(Rotate { connection }) = self;
        let server = connection.open()?;
        let mut answer = server.call("POST", "/v1/secrets/rotate", None)?;
        let mut sealed = 0;
        loop {
            sealed += answer["jobs"].as_u64().unwrap_or_default();
            if answer["continue"].is_null() {
                break;
            }
            print_note(&format!("{sealed} jobs are sealed with the new key"));
            let path = format!("/v1/secrets/rotate?continue={}", text(&answer["continue"]));
            answer = server.call("POST", &path, None)?;
        }
        print_note(&format!("done: {sealed} jobs are sealed with the new key, and the old one is forgotten"));
        Ok(())
    }
}
