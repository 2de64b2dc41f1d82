//! The text of a settings file, as keys, values and lines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use punctual_model::{Problem, Violation};
use serde::Deserialize;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Value};

use crate::limits;

/// What a text holds.
#[derive(Default)]
pub(super) struct Document {
    /// Every value outside of lists, in its order. A table is here only if it is empty.
    pub(super) entries: Vec<Entry>,
    /// The lines of what is inside lists, by path: `auth.issuers[1]`, `auth.issuers[1].audience`.
    pub(super) lines_in_lists: BTreeMap<String, usize>,
}

/// One value of a text.
pub(super) struct Entry {
    /// The dotted path. A part that is no plain word is quoted, so that a dot inside it is none of the path's.
    pub(super) key: String,
    pub(super) value: Value,
    /// The line the key stands on, from 1.
    pub(super) line: usize,
}

/// A settings file that has been read.
pub(super) struct SettingsFile {
    /// As the user names it.
    pub(super) name: String,
    pub(super) text: String,
}

impl SettingsFile {
    /// Reads a file. What cannot be opened is as wrong as what cannot be understood: the user has named it.
    pub(super) fn read(path: &Path) -> Result<Self, Violation> {
        let mut bytes = Vec::new();
        let name = path.display().to_string();
        let read = File::open(path).and_then(|file| file.take(limits::SETTINGS_BYTES_MAX + 1).read_to_end(&mut bytes));
        match read {
            Ok(length) if u64::try_from(length).is_ok_and(|length| length > limits::SETTINGS_BYTES_MAX) => {
                Err(Violation::new(name, "more", format!("at most {} bytes", limits::SETTINGS_BYTES_MAX)))
            }
            Ok(_) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Self { name, text }),
                Err(_) => Err(Violation::new(name, "other bytes", "text in UTF-8")),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Violation::new(name, "no such file", "a file with settings"))
            }
            Err(error) => Err(Violation::new(name, error, "a file that can be read")),
        }
    }
}

/// What stands in a text, or everything in it that is no TOML.
pub(super) fn parse(text: &str) -> Result<Document, Vec<Violation>> {
    let lines = Lines::of(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let mut wrong: Vec<_> = errors.iter().map(|error| (lines.of_error(error), error)).collect();
        wrong.sort_by_key(|(line, _)| *line);
        return Err(wrong.into_iter().map(|(line, error)| no_toml(line, error)).collect());
    }
    let mut document = Document::default();
    document.add_table("", table.into_inner(), &lines);
    document.entries.sort_by_key(|entry| entry.line);
    Ok(document)
}

/// What the parser says is wrong. The text itself is not repeated: it may be a secret with a quote too few.
fn no_toml(line: usize, error: &toml::de::Error) -> Violation {
    let (given, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), "TOML"));
    let problem = Problem::Value { given: format!("no TOML ({given})"), expected: expected.to_owned() };
    Violation { path: format!("line {line}"), problem }
}

impl Document {
    fn add_table(&mut self, section: &str, table: DeTable<'_>, lines: &Lines) {
        for (name, value) in table {
            let key = join(section, name.get_ref());
            match value.into_inner() {
                DeValue::Table(members) if !members.is_empty() => self.add_table(&key, members, lines),
                value => {
                    self.note_lines(&key, &value, lines);
                    self.entries.push(Entry { key, value: owned(value), line: lines.at(name.span().start) });
                }
            }
        }
    }

    fn note_lines(&mut self, path: &str, value: &DeValue<'_>, lines: &Lines) {
        for (at, item) in value.as_array().into_iter().flat_map(|items| items.iter().enumerate()) {
            let path = format!("{path}[{at}]");
            for (name, _) in item.get_ref().as_table().into_iter().flatten() {
                self.lines_in_lists.insert(join(&path, name.get_ref()), lines.at(name.span().start));
            }
            self.lines_in_lists.insert(path, lines.at(item.span().start));
        }
    }
}

fn owned(value: DeValue<'_>) -> Value {
    // Only a number that is too large is none of these values. No setting is a fraction, so this one is refused.
    let too_large = match &value {
        DeValue::Integer(number) => number.as_str().parse().unwrap_or(f64::INFINITY),
        _ => f64::INFINITY,
    };
    let deserializer = ValueDeserializer::from(Spanned::new(0..0, value));
    Value::deserialize(deserializer).unwrap_or(Value::Float(too_large))
}

/// The path of a member.
pub(super) fn join(section: &str, name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let name = if is_plain { name.to_owned() } else { format!("{name:?}") };
    if section.is_empty() { name } else { format!("{section}.{name}") }
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    fn of_error(&self, error: &toml::de::Error) -> usize {
        self.at(error.span().unwrap_or_default().start)
    }

    /// The line that holds the byte at `offset`, from 1.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset) + 1
    }
}
