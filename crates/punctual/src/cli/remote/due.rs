//! `punctual due`.

use clap::Args;
use serde_json::Value;

use super::client::encode;
use super::connection::Connection;
use super::failures::whole;
use super::pause::PAUSED;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::Output;

/// Show what runs next, over all jobs
#[derive(Args)]
#[command(after_help = "\
The next time of each job, retries that wait, and runs that were asked for. What is due comes first: it is running, or waits
for its turn. The next time of its job is listed once it has ended.
Exit status: 0 told, 2 invalid input, 4 not allowed, 5 unreachable.")]
pub(crate) struct Due {
    /// How far ahead, such as 10m, 1h or 7d
    #[arg(long, value_name = "TIME", default_value = "1h")]
    within: String,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Due {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let whole = whole(&server, &format!("/v1/due?within={}", encode(&self.within)))?;
        if self.output.print(&whole, |it| text(&it["commandPath"]))? {
            return Ok(());
        }
        if whole["paused"] == true {
            print_note(PAUSED);
        }
        let value = whole["value"].as_array().map(Vec::as_slice).unwrap_or_default();
        if value.is_empty() {
            print_note(&format!("nothing is due before {}", text(&whole["until"])));
            return Ok(());
        }
        let row = |it: &Value| {
            let kind =
                if it["isDue"] == true { format!("{}, running or due", text(&it["kind"])) } else { text(&it["kind"]) };
            vec![text(&it["time"]), text(&it["commandPath"]), kind, text(&it["target"])]
        };
        let rows: Vec<_> = value.iter().map(row).collect();
        table::print_fitting(&["TIME", "JOB", "KIND", "TARGET"], &rows)?;
        Ok(())
    }
}
