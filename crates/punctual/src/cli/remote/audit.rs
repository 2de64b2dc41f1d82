//! `punctual audit`.

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use punctual_model::time::{TICKS_PER_DAY, Timestamp};
use punctual_model::{Violation, plural};
use serde_json::{Value, json};

use super::client::Server;
use super::connection::Connection;
use super::table;
use super::table::text;
use crate::cli::failure::{Failure, print_note};
use crate::cli::instant;
use crate::cli::output::Output;

/// Check that every time a job was due is accounted for: run, not run and why, or still open
#[derive(Args)]
#[command(after_help = "\
Times are 24h, 7d, today, yesterday, a date or a date-time; in UTC where they name no zone.
Exit status: 0 everything is accounted for, 1 something is not (or, with --fail-on failed, an occurrence failed), 2 invalid input,
4 not allowed, 5 unreachable.")]
pub(crate) struct Audit {
    /// The beginning of the time that is looked at, such as 24h, yesterday or 2026-01-01T00:00:00Z
    #[arg(long, value_name = "TIME", default_value = "24h")]
    from: String,

    /// The end of that time
    #[arg(long, value_name = "TIME", default_value = "now")]
    to: String,

    /// What makes the exit status 1, besides times that are unexplained
    #[arg(long, value_enum, value_name = "WHAT")]
    fail_on: Option<FailOn>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Occurrences none of whose attempts succeeded
    Failed,
}

/// The longest time that the server audits in one answer.
const PART_TICKS: i64 = 31 * TICKS_PER_DAY;

/// Members of an answer that are added up.
const SUMS: [&str; 14] = [
    "/jobs",
    "/nominal",
    "/run",
    "/failed",
    "/attempts",
    "/notRun/overlap",
    "/notRun/missed",
    "/notRun/disabled",
    "/notRun/paused",
    "/notRun/shadow",
    "/notRun/deleted",
    "/open",
    "/unexplained",
    "/otherZones",
];

impl Audit {
    /// Asks for one part after the other, and adds them up. Anything unexplained is a failure.
    pub(crate) fn run(&self, now: Timestamp) -> Result<(), Failure> {
        let parse = |name: &str, text: &str| {
            instant::parse(text, now).map_err(|expected| Failure::from(expected.at(name, format!("{text:?}"))))
        };
        let (from, to) = (parse("--from", &self.from)?, parse("--to", &self.to)?);
        if to < from {
            return Err(Violation::new("--to", to, format!("an instant not before --from, {from}")).into());
        }
        let server = self.connection.open()?;
        let whole = whole(&server, from, to)?;
        let is_printed = match self.output {
            Output::Name => self.output.print(&whole["ranges"], |it| text(&it["path"]))?,
            output => output.print(&whole, text)?,
        };
        if !is_printed {
            print(&whole)?;
        }
        if whole["historyFrom"].as_str() > whole["from"].as_str() {
            print_note(&format!("history begins at {}; what ran before is not known", text(&whole["historyFrom"])));
        }
        let number = |name: &str| whole[name].as_u64().unwrap_or_default();
        let (unexplained, failed) = (number("unexplained"), number("failed"));
        if unexplained > 0 {
            return Err(Failure::Failed(anyhow!("{} unexplained", plural(unexplained, "time"))));
        }
        if failed > 0 && self.fail_on == Some(FailOn::Failed) {
            return Err(Failure::Failed(anyhow!("{} failed", plural(failed, "occurrence"))));
        }
        Ok(())
    }
}

/// The answers of the server about all of that time, added up.
fn whole(server: &Server, from: Timestamp, to: Timestamp) -> Result<Value, Failure> {
    let mut whole = Value::Null;
    let mut start = from;
    loop {
        let end = start.saturating_add(PART_TICKS).min(to);
        let path = format!("/v1/audit?from={start}&to={end}");
        let mut part = server.call("GET", &path, None)?;
        while !part["continue"].is_null() {
            let more = server.call("GET", &format!("{path}&continue={}", text(&part["continue"])), None)?;
            add(&mut part, more, &SUMS);
        }
        if whole.is_null() {
            whole = part;
        } else {
            // The jobs are the same ones in each part of the time.
            add(&mut whole, part, &SUMS[1..]);
            whole["to"] = json!(end.to_string());
        }
        if end >= to {
            break;
        }
        start = end;
    }
    if let Some(members) = whole.as_object_mut() {
        members.remove("continue");
    }
    Ok(whole)
}

fn add(whole: &mut Value, mut part: Value, sums: &[&str]) {
    for sum in sums {
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
        ("  of which failed", "/failed"),
        ("  in attempts", "/attempts"),
        ("not run, overlap", "/notRun/overlap"),
        ("not run, missed", "/notRun/missed"),
        ("not run, disabled", "/notRun/disabled"),
        ("not run, paused", "/notRun/paused"),
        ("not run, shadow", "/notRun/shadow"),
        ("not run, deleted", "/notRun/deleted"),
        ("open", "/open"),
        ("unexplained", "/unexplained"),
    ];
    let jobs = plural(whole["jobs"].as_u64().unwrap_or_default(), "job").to_uppercase();
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
