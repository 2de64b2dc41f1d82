//! Colors, where somebody sees them and wants them.

use std::io::{self, IsTerminal};

use super::remote::variable;

const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// Whether what goes to stdout is colored: a terminal shows it, and neither `NO_COLOR` nor the terminal says otherwise.
pub(crate) fn is_on() -> bool {
    io::stdout().is_terminal() && variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|term| term != "dumb")
}

/// A word that says how something stands, in its color; any other text as it is.
pub(crate) fn paint(word: &str, is_colored: bool) -> String {
    let color = match word {
        "failed" | "givenUp" | "faulted" | "NO" => RED,
        "succeeded" | "arrived" => GREEN,
        "notRun" | "waiting" | "disabled" | "suspended" => YELLOW,
        _ => return word.to_owned(),
    };
    if is_colored { format!("\u{1b}[{color}m{word}\u{1b}[0m") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::paint;

    #[test]
    fn only_words_of_outcomes_are_colored() {
        assert_eq!(paint("failed", true), "\u{1b}[31mfailed\u{1b}[0m");
        assert_eq!(paint("failed", false), "failed");
        assert_eq!(paint("ops/failed", true), "ops/failed");
    }
}
