//! A preview on paper.

use std::io::{self, BufWriter, Write};

use punctual_model::time::{TICKS_PER_MINUTE, Timestamp, Weekday, Zone};
use serde::Serialize;
use serde_json::json;

use super::super::failure::{Failure, print_note};
use super::super::output::{Output, print_lines};
use punctual_api::preview::{End, Preview};

/// For people: what it means, then one line an occurrence, in UTC and beside it in a zone.
pub(super) fn table(preview: &Preview, zone: Option<Zone>) -> Result<(), Failure> {
    for warning in &preview.warnings {
        print_note(&format!("warning: {warning}"));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", preview.description)?;
    if !preview.occurrences.is_empty() {
        let zone = zone.or(preview.zone);
        let width = preview.occurrences.iter().map(|at| at.to_string().len()).max().unwrap_or_default();
        let mut line = |utc: &str, local: Option<String>| match local {
            Some(local) => writeln!(out, "{utc:width$}  {local}"),
            None => writeln!(out, "{utc}"),
        };
        line("", None)?;
        line("UTC", zone.map(|zone| zone.name().to_owned()))?;
        for at in &preview.occurrences {
            line(&at.to_string(), zone.map(|zone| local(*at, zone)))?;
        }
    }
    match preview.ends {
        Some(end) if preview.occurrences.is_empty() && preview.is_whole => {
            writeln!(out, "\nNever: ended by {}.", end.name())?;
        }
        Some(end) if preview.occurrences.is_empty() => {
            writeln!(out, "\nNone in this range: ended by {}.", end.name())?;
        }
        Some(end) => writeln!(out, "\nThen never again: ended by {}.", end.name())?,
        None if preview.occurrences.is_empty() => writeln!(out, "\nNone in this range.")?,
        None => {}
    }
    out.flush()?;
    Ok(())
}

/// For programs.
pub(super) fn data(preview: &Preview, output: Output) -> Result<(), Failure> {
    let occurrences: Vec<String> = preview.occurrences.iter().map(ToString::to_string).collect();
    if output == Output::Name {
        output.print(&json!(occurrences), |it| it.as_str().unwrap_or_default().to_owned())?;
        return Ok(());
    }
    let answer = Answer {
        description: &preview.description,
        occurrences,
        ends: preview.ends.map(End::name),
        warnings: &preview.warnings,
    };
    if output == Output::Json {
        // In the order of its members, which people read as well.
        return Ok(print_lines(serde_json::to_string_pretty(&answer).map_err(io::Error::from)?)?);
    }
    output.print(&json!(answer), |_| String::new())?;
    Ok(())
}

#[derive(Serialize)]
struct Answer<'a> {
    description: &'a str,
    occurrences: Vec<String>,
    ends: Option<&'static str>,
    warnings: &'a [String],
}

/// What the clock on the wall shows, with its weekday and its offset from UTC.
fn local(at: Timestamp, zone: Zone) -> String {
    let wall = zone.wall(at);
    let minutes = (wall.ticks() - at.ticks()) / TICKS_PER_MINUTE;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
    let weekday = &Weekday::of_day_number(wall.day()).name()[..3];
    format!("{weekday} {wall:?} {sign}{hours:02}:{minutes:02}")
}
