//! Columns of text.

use std::io::{self, BufWriter, Write};

/// Prints rows below headings, each column as wide as its widest cell. Nothing in a cell can move the cursor.
pub(super) fn print(headings: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let escaped = |cell: &String| cell.chars().flat_map(escape).collect::<String>();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(escaped).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<_> = (0..headings.len()).map(width).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    line(&mut headings.iter().copied())?;
    for row in &rows {
        line(&mut row.iter().map(String::as_str))?;
    }
    out.flush()
}

fn escape(character: char) -> Box<dyn Iterator<Item = char>> {
    if character.is_control() { Box::new(character.escape_default()) } else { Box::new(std::iter::once(character)) }
}
