//! How long it takes to find the next occurrence, beside the two cron crates of the Rust world.
//!
//! `cargo bench -p punctual-benches --bench recurrence [-- [--check] [--output json]]`
//!
//! All contestants are asked the same questions, in turns: the first occurrence after each of 64 instants that are
//! spread over a month in which the clocks change, from one day and from 56 years after the anchor on. croner works on
//! chrono's and on jiff's types; the faster of the two counts in each row.

mod case;
mod contestant;
mod report;
mod row;

use std::process::ExitCode;

use punctual_benches::{Options, Output, conclude};

use crate::row::Row;

const ZONES: [&str; 3] = ["UTC", "Europe/Berlin", "America/New_York"];

fn main() -> ExitCode {
    let options = Options::of_program();
    let cases = case::all();
    let rows: Vec<Row> = cases.iter().flat_map(|case| ZONES.map(|zone| Row::measure(case, zone))).collect();
    let goals = report::goals(&rows);
    match options.output {
        Output::Table => report::print_table(&rows, &goals),
        Output::Json => report::print_json(&rows, &goals),
    }
    conclude(&goals, options.check)
}
