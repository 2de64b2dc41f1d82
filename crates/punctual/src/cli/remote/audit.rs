//! `punctual audit`.

use clap::Args;
use serde_json::{Value, json};

use super::client::Connection;
use super::table;
use super::token::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::Output;

/// Check that every time a job was due is accounted for: run, not run and why, or still open
#[derive(Args)]
pub(crate) struct Audit {
    /// The beginning of the time that is looked at, such as 2026-01-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    from: String,

    /// Its end, at most 31 days later [default: now]
    #[arg(long, value_name = "TIME")]
    to: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

/// Members of an answer that are added up.
const SUMS: [&str; 11] = [
    "/jobs",
    "/nominal",
    "/run",
    "/attempts",
    "/notRun/overlap",
    "/notRun/missed",
    "/notRun/disabled",
    "/notRun/deleted",
    "/open",
    "/unexplained",
    "/otherZones",
];

impl Audit {
    /// Asks for one part after the other, and adds them up. Anything unexplained is a failure.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let to = self.to.as_ref().map(|to| format!("&to={to}")).unwrap_or_default();
        let path = format!("/v1/audit?from={}{to}", self.from);
        let mut whole = server.call("GET", &path, None)?;
        // The first answer says up to when; the others look at the same time.
        let path = format!("/v1/audit?from={}&to={}", self.from, text(&whole["to"]));
        while !whole["continue"].is_null() {
            let part = server.call("GET", &format!("{path}&continue={}", text(&whole["continue"])), None)?;
            add(&mut whole, part);
        }
        if let Some(members) = whole.as_object_mut() {
            members.remove("continue");
        }
        match self.output {
            Output::Json => println!("{whole:#}"),
            Output::Table => print(&whole)?,
        }
        if whole["historyFrom"].as_str() > whole["from"].as_str() {
            print_note(&format!("history begins at {}; what ran before is not known", text(&whole["historyFrom"])));
        }
        match whole["unexplained"].as_u64() {
            Some(0) => Ok(()),
            _ => Err(Failure::Failed(anyhow::anyhow!("{} times are unexplained", whole["unexplained"]))),
        }
    }
}

fn add(whole: &mut Value, mut part: Value) {
    for sum in SUMS {
        let number = |value: &Value| value.pointer(sum).and_then(Value::as_u64).unwrap_or_default();
        let total = number(whole) + number(&part);
        if let Some(member) = whole.pointer_mut(sum) {
            *member = json!(total);
        }
    }
    if let (Some(all), Some(more)) = (whole["ranges"].as_array_mut(), part["ranges"].as_array_mut()) {
        all.append(more);
    }
    whole["continue"] = part["continue"].take();
}

fn print(whole: &Value) -> Result<(), Failure> {
    let row =
        |(name, pointer): (&str, &str)| vec![name.to_owned(), whole.pointer(pointer).map(text).unwrap_or_default()];
    let rows = [
        ("nominal times", "/nominal"),
        ("run", "/run"),
        ("  in attempts", "/attempts"),
        ("not run, overlap", "/notRun/overlap"),
        ("not run, missed", "/notRun/missed"),
        ("not run, disabled", "/notRun/disabled"),
        ("not run, deleted", "/notRun/deleted"),
        ("open", "/open"),
        ("unexplained", "/unexplained"),
    ];
    let jobs = format!("{} JOBS", whole["jobs"]);
    table::print(&[&jobs, "NUMBER"], &rows.map(row))?;
    let ranges = whole["ranges"].as_array().cloned().unwrap_or_default();
    if !ranges.is_empty() {
        let job = |range: &Value| {
            range["path"].as_str().map_or_else(|| format!("number {}, gone", range["job"]), ToOwned::to_owned)
        };
        let members = ["first", "last", "number"];
        let row = |range: &Value| [vec![job(range)], members.map(|name| text(&range[name])).into()].concat();
        let rows: Vec<_> = ranges.iter().map(row).collect();
        table::print(&["UNEXPLAINED OF", "FIRST", "LAST", "NUMBER"], &rows)?;
    }
    Ok(())
}
