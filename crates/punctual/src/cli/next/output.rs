//! A listing on paper.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table, presets};
use punctual_model::time::{TICKS_PER_MINUTE, Timestamp, Weekday, Zone};
use serde_json::json;

use super::super::failure::Failure;
use super::listing::Listing;

/// For people: what it means, then one line an occurrence, in UTC and beside it in a zone.
pub(super) fn table(listing: &Listing, zone: Option<Zone>) -> Result<(), Failure> {
    for warning in &listing.warnings {
        eprintln!("warning: {warning}");
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{}", listing.description)?;
    if !listing.occurrences.is_empty() {
        let zone = zone.or(listing.zone);
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(["UTC"].into_iter().chain(zone.map(Zone::name)));
        for at in &listing.occurrences {
            table.add_row([at.to_string()].into_iter().chain(zone.map(|zone| local(*at, zone))));
        }
        writeln!(out, "\n{}", table.trim_fmt())?;
    }
    match (listing.ends, listing.left_out) {
        (Some(end), _) if listing.occurrences.is_empty() => writeln!(out, "\nNever: ended by {}.", end.name())?,
        (Some(end), _) => writeln!(out, "\nThen never again: ended by {}.", end.name())?,
        (None, 0) if listing.occurrences.is_empty() => writeln!(out, "\nNone in this range.")?,
        (None, 0) => {}
        (None, left_out) => writeln!(out, "\n{left_out} more up to --to.")?,
    }
    Ok(())
}

/// For programs.
pub(super) fn json(listing: &Listing) -> Result<(), Failure> {
    let occurrences: Vec<_> = listing.occurrences.iter().map(ToString::to_string).collect();
    let answer = json!({
        "description": listing.description,
        "occurrences": occurrences,
        "ends": listing.ends.map(super::listing::End::name),
        "warnings": listing.warnings,
    });
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &answer).map_err(io::Error::from)?;
    writeln!(out)?;
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
