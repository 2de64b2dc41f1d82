//! A listing on paper.

use std::io::{self, BufWriter, Write};

use punctual_model::time::{TICKS_PER_MINUTE, Timestamp, Weekday, Zone};
use serde::Serialize;

use super::super::failure::{Failure, complain};
use punctual_api::listing::{End, Listing};

/// For people: what it means, then one line an occurrence, in UTC and beside it in a zone.
pub(super) fn table(listing: &Listing, zone: Option<Zone>) -> Result<(), Failure> {
    for warning in &listing.warnings {
        complain(&format!("warning: {warning}"));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", listing.description)?;
    if !listing.occurrences.is_empty() {
        let zone = zone.or(listing.zone);
        let width = listing.occurrences.iter().map(|at| at.to_string().len()).max().unwrap_or_default();
        let mut line = |utc: &str, local: Option<String>| match local {
            Some(local) => writeln!(out, "{utc:width$}  {local}"),
            None => writeln!(out, "{utc}"),
        };
        line("", None)?;
        line("UTC", zone.map(|zone| zone.name().to_owned()))?;
        for at in &listing.occurrences {
            line(&at.to_string(), zone.map(|zone| local(*at, zone)))?;
        }
    }
    match listing.ends {
        Some(end) if listing.occurrences.is_empty() && listing.is_whole => {
            writeln!(out, "\nNever: ended by {}.", end.name())?;
        }
        Some(end) if listing.occurrences.is_empty() => {
            writeln!(out, "\nNone in this range: ended by {}.", end.name())?;
        }
        Some(end) => writeln!(out, "\nThen never again: ended by {}.", end.name())?,
        None if listing.occurrences.is_empty() => writeln!(out, "\nNone in this range.")?,
        None => {}
    }
    out.flush()?;
    Ok(())
}

#[derive(Serialize)]
struct Answer<'a> {
    description: &'a str,
    occurrences: Vec<String>,
    ends: Option<&'static str>,
    warnings: &'a [String],
}

/// For programs.
pub(super) fn json(listing: &Listing) -> Result<(), Failure> {
    let answer = Answer {
        description: &listing.description,
        occurrences: listing.occurrences.iter().map(ToString::to_string).collect(),
        ends: listing.ends.map(End::name),
        warnings: &listing.warnings,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, &answer).map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
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
