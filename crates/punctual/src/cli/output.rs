//! How an answer is printed.

use std::fmt::Display;
use std::io::{self, Write};

use clap::ValueEnum;
use serde_json::Value;

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    Table,
    /// For programs
    Json,
}

/// Prints lines that were asked for on stdout. A pipe that was closed is an error here, which ends the command quietly: see
/// [`Failure::report`](super::failure::Failure::report).
pub(crate) fn print_lines(lines: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    // In one piece: a terminal is shown no half of an answer, and a line takes no call of its own.
    out.write_all(format!("{lines}\n").as_bytes())?;
    out.flush()
}

/// Moves the cursor home and clears what is below it.
pub(crate) fn print_clear() -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(b"\x1b[H\x1b[2J")?;
    out.flush()
}

/// Prints an answer for programs on stdout.
pub(crate) fn print_json(answer: &Value) -> io::Result<()> {
    print_lines(format_args!("{answer:#}"))
}

/// A name as a shell takes it for one word of a command, and for nothing else. One that begins like an option stands behind the mark
/// after which there are none.
pub(crate) fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '-');
    let mark = if name.starts_with('-') { "-- " } else { "" };
    if !name.is_empty() && name.chars().all(is_plain) {
        format!("{mark}{name}")
    } else {
        format!("{mark}'{}'", name.replace('\'', r"'\''"))
    }
}

/// A text from elsewhere, which cannot move the cursor.
pub(crate) fn visible(text: &str) -> String {
    let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_a_shell() {
        for (name, expected) in [
            ("ops", "ops"),
            ("a b ü+&", "'a b ü+&'"),
            ("it's", r"'it'\''s'"),
            ("-x", "-- -x"),
            ("-x y", "-- '-x y'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(name), expected);
        }
    }
}
