//! How an answer is printed.

use std::fmt::Display;
use std::io::{self, Write};

use clap::ValueEnum;
use serde_json::Value;

use super::yaml;

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    Table,
    /// For programs
    Json,
    /// For programs and people
    Yaml,
    /// Only names, one on each line
    Name,
}

impl Output {
    /// Prints an answer, unless it is to be a table; returns whether it did. `name` is the name of one item: of each in a list, or in
    /// the `value` of an answer, else of the answer itself.
    pub(crate) fn print(self, answer: &Value, name: impl Fn(&Value) -> String) -> io::Result<bool> {
        match self {
            Self::Table => return Ok(false),
            Self::Json => print_json(answer)?,
            Self::Yaml => print_yaml(answer)?,
            Self::Name => print_names(answer, name)?,
        }
        Ok(true)
    }
}

/// Prints a list as it comes, in one piece for who reads it.
pub(crate) struct ListPrinter {
    output: Output,
    is_begun: bool,
}

impl ListPrinter {
    pub(crate) const fn new(output: Output) -> Self {
        Self { output, is_begun: false }
    }

    /// Prints further items. A table is printed elsewhere.
    pub(crate) fn print(&mut self, items: &[Value], name: impl Fn(&Value) -> String) -> io::Result<()> {
        match self.output {
            Output::Table => {}
            Output::Name => print_names(&Value::Array(items.to_vec()), name)?,
            Output::Yaml if items.is_empty() => {}
            Output::Yaml => print_yaml(&Value::Array(items.to_vec()))?,
            Output::Json => {
                for item in items {
                    let before = if self.is_begun { "," } else { "[" };
                    self.is_begun = true;
                    print_bytes(&format!("{before}\n{}", indented(&format!("{item:#}"))))?;
                }
            }
        }
        self.is_begun |= !items.is_empty();
        Ok(())
    }

    /// Ends the list.
    pub(crate) fn end(self) -> io::Result<()> {
        match (self.output, self.is_begun) {
            (Output::Json, true) => print_lines("\n]"),
            (Output::Json | Output::Yaml, false) => print_lines("[]"),
            _ => Ok(()),
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn print_names(answer: &Value, name: impl Fn(&Value) -> String) -> io::Result<()> {
    let items = answer.as_array().or_else(|| answer["value"].as_array());
    let names: Vec<_> = items.map_or_else(|| vec![name(answer)], |items| items.iter().map(&name).collect());
    if names.is_empty() {
        Ok(())
    } else {
        print_lines(names.iter().map(|name| visible(name)).collect::<Vec<_>>().join("\n"))
    }
}

/// Prints an answer for programs and people on stdout.
pub(crate) fn print_yaml(answer: &Value) -> io::Result<()> {
    print_lines(yaml::write(answer).map_err(io::Error::other)?)
}

/// Prints lines that were asked for on stdout. A pipe that was closed is an error here, which ends the command quietly: see
/// [`Failure::report`](super::failure::Failure::report).
pub(crate) fn print_lines(lines: impl Display) -> io::Result<()> {
    // In one piece: a terminal is shown no half of an answer, and a line takes no call of its own.
    print_bytes(&format!("{lines}\n"))
}

fn print_bytes(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
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
