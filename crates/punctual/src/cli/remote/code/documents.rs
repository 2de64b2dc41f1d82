//! The documents in files: YAML with `---` between documents, or JSON. Of a file of YAML one document is in memory at a time.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use punctual_model::Violation;
use serde_json::Value;

use crate::cli::document;
use crate::cli::failure::Failure;
use crate::cli::yaml;
use crate::limits::{DOCUMENT_BYTES_MAX, JSON_BYTES_MAX};

/// The names of files that are read in a directory.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "jsonc"];

/// One document of a file.
pub(super) struct Document {
    /// The file and the line at which the document begins.
    pub(super) place: String,
    /// Where files that the document names are looked for.
    pub(super) directory: PathBuf,
    pub(super) value: Value,
}

/// The files that are meant by what was given: files as they are, and those in directories, in the order of their paths.
pub(super) fn find_files(given: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for name in given {
        let path = PathBuf::from(name);
        if name != "-" && path.is_dir() {
            let before = found.len();
            walk(&path, &mut found)?;
            found[before..].sort();
        } else if name == "-" || path.exists() {
            found.push(path);
        } else {
            return Err(Failure::NotFound(format!("{name:?}: no such file or directory")));
        }
    }
    Ok(found)
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let cannot_read = || format!("cannot read {}", directory.display());
    for entry in fs::read_dir(directory).with_context(cannot_read)? {
        let path = entry.with_context(cannot_read)?.path();
        let is_hidden = path.file_name().and_then(|name| name.to_str()).is_none_or(|name| name.starts_with('.'));
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        if is_hidden {
            // Not meant to be read.
        } else if path.is_dir() {
            walk(&path, found)?;
        } else if extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str())) {
            found.push(path);
        }
    }
    Ok(())
}

/// Reads a file, and hands over its documents one by one. What cannot be read is a sentence in `wrong`, and the rest is read.
pub(super) fn read_file(
    file: &Path,
    wrong: &mut Vec<String>,
    each: &mut dyn FnMut(Document) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = file.display().to_string();
    let source: Box<dyn Read> = if name == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot read {name}"))?)
    };
    let directory = file.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut reader = Pieces { lines: BufReader::new(source), number: 0, name: &name };
    while let Some((line, text)) = reader.next()? {
        let place = format!("{name}:{line}");
        match parse(&text, &name, line) {
            Ok(values) => {
                for value in values {
                    each(Document { place: place.clone(), directory: directory.clone(), value })?;
                }
            }
            Err(sentence) => wrong.push(sentence),
        }
    }
    Ok(())
}

/// A file, piece by piece: the documents of YAML, or the whole of anything else.
struct Pieces<'a, R> {
    lines: BufReader<R>,
    number: usize,
    name: &'a str,
}

impl<R: Read> Pieces<'_, R> {
    /// The text of the next document that says something, and the line at which it begins.
    fn next(&mut self) -> Result<Option<(usize, String)>, Failure> {
        let (mut text, mut begins) = (String::new(), self.number + 1);
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).with_context(|| format!("cannot read {}", self.name))?;
            let is_end = read == 0;
            self.number += usize::from(!is_end);
            if is_end || is_marker(&line) {
                if !is_blank(&text) {
                    return Ok(Some((begins, text)));
                }
                if is_end {
                    return Ok(None);
                }
                text.clear();
                begins = self.number + 1;
                // What stands behind the marker belongs to the document.
                let rest = line[3..].trim();
                if !rest.is_empty() && !rest.starts_with('#') {
                    text = format!("{rest}\n");
                    begins = self.number;
                }
                continue;
            }
            text.push_str(&line);
            self.check(&text)?;
        }
    }

    fn check(&self, text: &str) -> Result<(), Failure> {
        let first = text.trim_start_matches('\u{feff}').trim_start();
        let most = if first.starts_with(['{', '[']) { JSON_BYTES_MAX } else { DOCUMENT_BYTES_MAX };
        if text.len() > most {
            let expected = format!("documents of at most {most} bytes");
            return Err(Violation::new(self.name, "a longer one", expected).into());
        }
        Ok(())
    }
}

/// Whether a line ends a document of YAML. Nothing else of YAML or JSON can begin so.
fn is_marker(line: &str) -> bool {
    let rest = line.strip_prefix("---").or_else(|| line.strip_prefix("..."));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// Whether there are only comments in a text.
fn is_blank(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim_start_matches('\u{feff}').trim();
        line.is_empty() || line.starts_with('#') || line.starts_with('%')
    })
}

/// The values of one piece of a file: that of a document of YAML; of JSON one, or each of a list, which may be what GET has answered.
fn parse(text: &str, name: &str, line: usize) -> Result<Vec<Value>, String> {
    let value = if document::is_yaml(text, name) {
        yaml::parse(text).map_err(|wrong| format!("{name}: {}", with_line(&wrong, line - 1)))?
    } else {
        let json = document::parse(text, name).map_err(|failure| format!("{name}: {}", sentence(failure)))?;
        document::to_value(&json).map_err(sentence)?
    };
    Ok(match value {
        Value::Array(items) => items,
        Value::Object(mut members) if members.len() <= 2 && members.get("value").is_some_and(Value::is_array) => {
            match members.remove("value") {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            }
        }
        other => vec![other],
    })
}

fn sentence(failure: Failure) -> String {
    match failure {
        Failure::Invalid(violations) => violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        Failure::Refused(sentences) => sentences.join("; "),
        Failure::Failed(error) | Failure::Unreachable(error) => error.to_string(),
        Failure::NotFound(text) | Failure::NotAllowed(text) => text,
        Failure::NotEmpty => String::new(),
    }
}

/// A sentence about a document, with the lines of its file.
fn with_line(sentence: &str, before: usize) -> String {
    let Some((start, rest)) = sentence.split_once(" at line ") else {
        return format!("{sentence} (in the document at line {})", before + 1);
    };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let line: usize = rest[..digits].parse().unwrap_or(1);
    format!("{start} at line {}{}", line + before, &rest[digits..])
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::{Pieces, parse};

    fn pieces(text: &str) -> Vec<(usize, String)> {
        let mut pieces = Pieces { lines: BufReader::new(Cursor::new(text.to_owned())), number: 0, name: "a.yaml" };
        std::iter::from_fn(|| pieces.next().unwrap()).collect()
    }

    #[test]
    fn documents_begin_where_yaml_says() {
        let text = "# a comment\n---\na: 1\n--- # the next\nb: |\n  ---\n  x\n...\n---\n\n---\n{c: 1}\n";
        let found: Vec<_> = pieces(text).into_iter().map(|(line, text)| format!("{line}: {text:?}")).collect();
        assert_eq!(found, [r#"3: "a: 1\n""#, r#"5: "b: |\n  ---\n  x\n""#, r#"12: "{c: 1}\n""#]);
        assert_eq!(pieces("--- {a: 1}\n---x: 1\n"), [(1, "{a: 1}\n---x: 1\n".to_owned())]);
    }

    #[test]
    fn mistakes_are_named_by_the_lines_of_the_file() {
        assert_eq!(
            parse("a: 1\na: 2\n", "x.yaml", 10).unwrap_err(),
            "x.yaml: duplicate mapping key: a at line 11, column 1"
        );
        assert_eq!(parse("{\"value\": [{}, {}]}", "x.json", 1).unwrap().len(), 2);
        assert_eq!(parse("// a comment\n{\"name\": \"a\",}", "x.json", 1).unwrap().len(), 1);
    }
}
