//! Columns of text.

use std::io::{self, BufWriter, Write};

use rustix::termios;

use crate::cli::output::visible;

/// The least of the last column that is shown, however narrow the terminal is.
const LAST_CHARS_MIN: usize = 20;

/// Prints rows as [`print()`] does. On a terminal the last column ends where the terminal does.
pub(super) fn print_fitting(headings: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let columns = termios::tcgetwinsize(io::stdout()).map_or(0, |size| usize::from(size.ws_col));
    let Some(last) = headings.len().checked_sub(1).filter(|_| columns > 0) else { return print(headings, rows) };
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or_default() + 2
    };
    let room = columns.saturating_sub((0..last).map(widest).sum()).max(LAST_CHARS_MIN);
    let fit = |row: &Vec<String>| {
        let mut row = row.clone();
        if row[last].chars().count() > room {
            row[last] = row[last].chars().take(room - 1).chain(['…']).collect();
        }
        row
    };
    print(headings, &rows.iter().map(fit).collect::<Vec<_>>())
}

/// Prints rows below headings, each column as wide as its widest cell. Nothing in a cell can move the cursor.
pub(crate) fn print(headings: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
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
