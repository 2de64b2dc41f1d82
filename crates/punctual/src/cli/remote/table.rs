//! Columns of text.

use std::io::{self, BufWriter, Write};

use crate::cli::output::visible;

/// Prints rows below headings, each column as wide as its widest cell. Nothing in a cell can move the cursor.
pub(super) fn print(headings: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
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
