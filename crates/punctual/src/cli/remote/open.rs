//! `punctual open`.

use clap::Args;

use super::connection::Connection;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::print_lines;

/// Print a link to the console that signs you in
#[derive(Args)]
#[command(
    after_help = "The link works once, for 10 minutes, and lets its reader do what your token may: pass it to nobody."
)]
pub(crate) struct Open {
    #[command(flatten)]
    connection: Connection,
}

impl Open {
    /// Asks the server for a link.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let answer = self.connection.open()?.call("POST", "/v1/sign-in-link", None)?;
        print_lines(text(&answer["url"]))?;
        if answer["expires"].is_string() {
            print_note("it works once, for 10 minutes; open it in a browser");
        }
        Ok(())
    }
}
