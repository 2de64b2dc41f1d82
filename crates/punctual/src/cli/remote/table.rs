//! Columns of text.

use std::io::{self, BufWriter, Write};

use rustix::termios;
use serde_json::Value;

use crate::cli::color;
use crate::cli::output::visible;

/// The least of the last column that is shown, however narrow the terminal is.
const LAST_CHARS_MIN: usize = 20;

/// What is between two columns.
const GAP: &str = "  ";

/// A column: its heading, and how soon it gives way where the terminal is narrow. The highest goes first; 0 stays.
pub(crate) type Column = (&'static str, u8);

/// A table that is printed as its rows come. Columns only become wider.
pub(crate) struct Table {
    headings: Vec<String>,
    gives_way: Vec<u8>,
    widths: Vec<usize>,
    /// The columns that are shown: known when the first rows are.
    shown: Option<Vec<usize>>,
    /// How many characters the terminal has in a line; none where it is no terminal.
    room: Option<usize>,
}

impl Table {
    /// On a terminal, columns give way until the rest fits, and the last one ends where the terminal does.
    pub(crate) fn new(columns: &[Column]) -> Self {
        let room =
            termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|room| *room > 0);
        Self::with_room(columns, room)
    }

    fn with_room(columns: &[Column], room: Option<usize>) -> Self {
        let headings: Vec<_> = columns.iter().map(|(heading, _)| (*heading).to_owned()).collect();
        let widths = headings.iter().map(|heading| heading.chars().count()).collect();
        let gives_way = columns.iter().map(|(_, gives_way)| *gives_way).collect();
        Self { headings, gives_way, widths, shown: None, room }
    }

    /// Prints some rows; the first ones below the headings. Nothing in a cell can move the cursor.
    pub(crate) fn print(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let is_colored = color::is_on();
        let mut out = BufWriter::new(io::stdout().lock());
        for line in self.lines(rows, is_colored) {
            writeln!(out, "{line}")?;
        }
        out.flush()
    }

    fn lines(&mut self, rows: &[Vec<String>], is_colored: bool) -> Vec<String> {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
        for row in &rows {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let is_first = self.shown.is_none();
        let shown = self.shown.take().unwrap_or_else(|| fit(&self.widths, &self.gives_way, self.room));
        let mut lines = Vec::new();
        if is_first {
            lines.push(self.line(&self.headings, &shown, false));
        }
        lines.extend(rows.iter().map(|row| self.line(row, &shown, is_colored)));
        self.shown = Some(shown);
        lines
    }

    fn line(&self, cells: &[String], shown: &[usize], is_colored: bool) -> String {
        let Some((last, others)) = shown.split_last() else { return String::new() };
        let mut line = String::new();
        for column in others {
            let width = self.widths[*column];
            let blanks = " ".repeat(width.saturating_sub(cells[*column].chars().count()));
            line.extend([color::paint(&cells[*column], is_colored).as_str(), &blanks, GAP]);
        }
        let before: usize = others.iter().map(|column| self.widths[*column] + GAP.len()).sum();
        let room = self.room.map_or(usize::MAX, |room| room.saturating_sub(before).max(LAST_CHARS_MIN));
        line += &color::paint(&cut(&cells[*last], room), is_colored);
        line.trim_end().to_owned()
    }
}

/// The columns that are shown: those that give way first are left out, until the rest fits with the least of the last one.
fn fit(widths: &[usize], gives_way: &[u8], room: Option<usize>) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..widths.len()).collect();
    let Some(room) = room else { return shown };
    loop {
        let Some((last, others)) = shown.split_last() else { return shown };
        let needed = others.iter().map(|column| widths[*column] + GAP.len()).sum::<usize>();
        if needed + widths[*last].min(LAST_CHARS_MIN) <= room {
            return shown;
        }
        // Of those that give way equally soon, the right one.
        let first =
            shown.iter().copied().filter(|column| gives_way[*column] > 0).max_by_key(|column| gives_way[*column]);
        let Some(first) = first else { return shown };
        shown.retain(|column| *column != first);
    }
}

/// A text of at most so many characters.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room - 1).chain(['…']).collect()
}

/// Prints rows as [`print()`] does. On a terminal the last column ends where the terminal does.
pub(super) fn print_fitting(headings: &[&'static str], rows: &[Vec<String>]) -> io::Result<()> {
    let columns: Vec<Column> = headings.iter().map(|heading| (*heading, 0)).collect();
    Table::new(&columns).print(rows)
}

/// Prints rows below headings, each column as wide as its widest cell. Nothing in a cell can move the cursor.
pub(crate) fn print(headings: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let widths = headings.iter().map(|heading| heading.chars().count()).collect();
    let gives_way = vec![0; headings.len()];
    Table { headings, gives_way, widths, shown: None, room: None }.print(rows)
}

/// A text of an answer.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// A text of an answer, or a mark where there is none.
pub(crate) fn text_or_dash(value: &Value) -> String {
    if value.is_null() { "-".to_owned() } else { text(value) }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::Table;

    const COLUMNS: [super::Column; 4] = [("JOB", 0), ("STATE", 1), ("TARGET", 2), ("REASON", 0)];

    fn shown(room: Option<usize>) -> String {
        let row = |cells: [&str; 4]| cells.map(ToOwned::to_owned).to_vec();
        let mut table = Table::with_room(&COLUMNS, room);
        let first = row(["ops/nightly", "enabled", "api.example.com", "The server answered with the status 503"]);
        let mut lines = table.lines(&[first], false);
        lines.extend(table.lines(&[row(["ops/a-longer-name", "disabled", "b", "\u{1b}[2J"])], false));
        lines.join("\n")
    }

    #[test]
    fn a_wide_terminal_shows_everything() {
        assert_snapshot!(shown(None), @r#"
        JOB          STATE    TARGET           REASON
        ops/nightly  enabled  api.example.com  The server answered with the status 503
        ops/a-longer-name  disabled  b                \u{1b}[2J
        "#);
        assert_snapshot!(shown(Some(70)), @r#"
        JOB          STATE    TARGET           REASON
        ops/nightly  enabled  api.example.com  The server answered with the s…
        ops/a-longer-name  disabled  b                \u{1b}[2J
        "#);
    }

    #[test]
    fn columns_give_way_in_their_order() {
        assert_snapshot!(shown(Some(50)), @r#"
        JOB          STATE    REASON
        ops/nightly  enabled  The server answered with th…
        ops/a-longer-name  disabled  \u{1b}[2J
        "#);
        assert_snapshot!(shown(Some(30)), @r#"
        JOB          REASON
        ops/nightly  The server answered…
        ops/a-longer-name  \u{1b}[2J
        "#);
    }
}
