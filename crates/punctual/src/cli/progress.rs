//! How far a long command has come, on stderr.

use std::io::{self, IsTerminal, Write};

use punctual_model::plural;

/// A line that says how far a command has come, and is written over again and again. It is shown only to a terminal, and only where
/// what the command prints goes elsewhere.
pub(crate) struct Progress {
    is_shown: bool,
    is_begun: bool,
    /// Whether it is told line by line.
    is_lines: bool,
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { is_shown: io::stderr().is_terminal() && !io::stdout().is_terminal(), is_begun: false, is_lines: false }
    }

    /// Shown also where that is no terminal, if that is wanted: then each word of it is a line.
    pub(crate) fn wanted(is_wanted: bool) -> Self {
        let usual = Self::new();
        Self { is_lines: is_wanted && !io::stderr().is_terminal(), is_shown: usual.is_shown || is_wanted, ..usual }
    }

    /// Says how many there were so far. If stderr is closed, there is nobody to tell.
    pub(crate) fn tell(&mut self, number: u64, what: &str) {
        if self.is_lines {
            let _ = writeln!(io::stderr(), "{} …", plural(number, what));
        } else if self.is_shown {
            self.is_begun = true;
            let _ = write!(io::stderr(), "\r\u{1b}[K{} …", plural(number, what));
            let _ = io::stderr().flush();
        }
    }

    /// Takes the line away.
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.is_begun) {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
