//! How an answer is printed.

use clap::ValueEnum;

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    Table,
    /// For programs
    Json,
}

/// A text from elsewhere, which cannot move the cursor.
pub(crate) fn visible(text: &str) -> String {
    let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(visible).collect()
}
