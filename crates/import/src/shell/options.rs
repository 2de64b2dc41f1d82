//! Options of a command: which there are, and which of them take a value.

/// What an option means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionRow {
    /// Its letter, or 0.
    pub(super) short: char,
    /// Its long name.
    pub(super) long: &'static str,
    /// Whether a value follows.
    pub(super) has_value: bool,
}

pub(super) const fn flag(short: char, long: &'static str) -> OptionRow {
    OptionRow { short, long, has_value: false }
}

pub(super) const fn value(short: char, long: &'static str) -> OptionRow {
    OptionRow { short, long, has_value: true }
}

/// An option that was given, by its long name; or a word that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Option(&'static str, String),
    Word(String),
}

/// Reads arguments by a table: `-x value`, `-xvalue`, `-xy`, `--long value`, `--long=value`, and `--` before words.
pub(super) fn read(arguments: &[String], rows: &'static [OptionRow], name: &str) -> Result<Vec<Given>, String> {
    let mut given = Vec::new();
    let mut arguments = arguments.iter();
    let mut are_words = false;
    while let Some(argument) = arguments.next() {
        if are_words || argument == "-" || !argument.starts_with('-') {
            given.push(Given::Word(argument.clone()));
        } else if argument == "--" {
            are_words = true;
        } else if let Some(long) = argument.strip_prefix("--") {
            let (long, inline) = long.split_once('=').map_or((long, None), |(long, value)| (long, Some(value)));
            let row = rows.iter().find(|row| row.long == long);
            let row = row.ok_or_else(|| format!("{name} has an option that is not known here: --{long}"))?;
            let value = match (row.has_value, inline) {
                (false, _) => String::new(),
                (true, Some(value)) => value.to_owned(),
                (true, None) => arguments.next().ok_or_else(|| format!("--{long} has no value"))?.clone(),
            };
            given.push(Given::Option(row.long, value));
        } else {
            let mut letters = argument[1..].chars();
            while let Some(letter) = letters.next() {
                let row = rows.iter().find(|row| row.short == letter);
                let row = row.ok_or_else(|| format!("{name} has an option that is not known here: -{letter}"))?;
                if !row.has_value {
                    given.push(Given::Option(row.long, String::new()));
                    continue;
                }
                let rest: String = letters.by_ref().collect();
                let value = match rest.as_str() {
                    "" => arguments.next().ok_or_else(|| format!("-{letter} has no value"))?.clone(),
                    _ => rest,
                };
                given.push(Given::Option(row.long, value));
            }
        }
    }
    Ok(given)
}
