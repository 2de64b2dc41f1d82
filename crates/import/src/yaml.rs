//! YAML as manifests are written: mappings, lists, texts in all their forms, and JSON inside. Anchors, aliases and tags are
//! refused by name: no tool that exports manifests writes them.

mod flow;

use punctual_arm::{Json, Value};
use punctual_model::Violation;

use crate::limits::YAML_DEPTH_MAX;

/// Reads the documents of a text.
pub(crate) fn parse(text: &str) -> Result<Vec<Json>, Violation> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        lines.push((offset, line.trim_end_matches(['\n', '\r'])));
        offset += line.len();
    }
    let mut reader = Reader { text, lines, at: 0, column: 0, depth: 0 };
    let mut documents = Vec::new();
    reader.settle(0);
    while reader.at < reader.lines.len() {
        if reader.is_mark() {
            let rest = reader.rest().trim_start_matches("---").trim_start();
            if reader.rest().starts_with("---") && !rest.is_empty() && !rest.starts_with('#') {
                return Err(
                    reader.wrong("a document that begins behind ---", "a document that begins in the next line")
                );
            }
            reader.settle(reader.at + 1);
            continue;
        }
        if reader.rest().starts_with('%') {
            reader.settle(reader.at + 1);
            continue;
        }
        let document = reader.node(0)?;
        documents.push(document);
        if reader.at < reader.lines.len() && !reader.is_mark() {
            return Err(reader.wrong(format!("{:?}", reader.rest()), "a line that belongs to what is above it"));
        }
    }
    Ok(documents)
}

struct Reader<'a> {
    text: &'a str,
    /// Where each line begins, and what it is.
    lines: Vec<(usize, &'a str)>,
    /// The line that is read.
    at: usize,
    /// The column of it that is read, which is its indentation.
    column: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn line(&self) -> u32 {
        u32::try_from(self.at + 1).unwrap_or(u32::MAX)
    }

    fn wrong(&self, given: impl std::fmt::Display, expected: &str) -> Violation {
        Violation::new(
            format!("line {}", self.line().min(u32::try_from(self.lines.len()).unwrap_or(u32::MAX))),
            given,
            expected,
        )
    }

    fn rest(&self) -> &'a str {
        self.lines.get(self.at).map_or("", |(_, line)| line.get(self.column..).unwrap_or_default())
    }

    /// Goes to the line `at`, or to the next one that says something.
    fn settle(&mut self, at: usize) {
        self.at = at;
        while let Some((_, line)) = self.lines.get(self.at) {
            let inside = line.trim_start_matches(' ');
            self.column = line.len() - inside.len();
            if !inside.trim().is_empty() && !inside.starts_with('#') {
                return;
            }
            self.at += 1;
        }
    }

    /// Whether a document begins or ends here.
    fn is_mark(&self) -> bool {
        let is_mark = |mark: &str| self.rest() == mark || self.rest().starts_with(&format!("{mark} "));
        self.column == 0 && (is_mark("---") || is_mark("..."))
    }

    /// Whether there is a line that is indented at least so far.
    fn is_inside(&self, indent: usize) -> bool {
        self.at < self.lines.len() && self.column >= indent && !self.is_mark()
    }

    fn node(&mut self, indent: usize) -> Result<Json, Violation> {
        if !self.is_inside(indent) {
            return Ok(Json { line: self.line(), value: Value::Null });
        }
        if self.rest().starts_with('\t') {
            return Err(self.wrong("a tab", "blanks in front of a line"));
        }
        self.depth += 1;
        if self.depth > YAML_DEPTH_MAX {
            return Err(self.wrong("more", &format!("at most {YAML_DEPTH_MAX} levels")));
        }
        let node = if is_item(self.rest()) {
            self.list()
        } else if key(self.rest()).is_some() {
            self.mapping()
        } else {
            self.scalar(indent)
        };
        self.depth -= 1;
        node
    }

    fn list(&mut self) -> Result<Json, Violation> {
        let (line, column) = (self.line(), self.column);
        let mut items = Vec::new();
        while self.is_inside(column) && self.column == column && is_item(self.rest()) {
            let after = &self.rest()[1..];
            let inside = after.trim_start_matches(' ');
            if inside.is_empty() || inside.starts_with('#') {
                self.settle(self.at + 1);
            } else {
                // What follows the dash is indented by where it stands.
                self.column += 1 + after.len() - inside.len();
            }
            items.push(self.node(column + 1)?);
        }
        Ok(Json::new(line, items))
    }

    fn mapping(&mut self) -> Result<Json, Violation> {
        let (line, column) = (self.line(), self.column);
        let mut members: Vec<(String, Json)> = Vec::new();
        while self.is_inside(column) && self.column == column && !is_item(self.rest()) {
            let Some((name, length)) = key(self.rest()) else {
                return Err(self.wrong(format!("{:?}", self.rest()), "a name and a colon"));
            };
            if members.iter().any(|(known, _)| *known == name) {
                return Err(self.wrong(format!("{name:?} twice"), "each name once"));
            }
            let after = &self.rest()[length..];
            let inside = after.trim_start_matches(' ');
            let value = if inside.is_empty() || inside.starts_with('#') {
                let at = self.at;
                self.settle(self.at + 1);
                // A list may stand below its name without being indented.
                let is_list = self.is_inside(column) && self.column == column && is_item(self.rest());
                if is_list {
                    self.list()?
                } else if self.is_inside(column + 1) {
                    self.node(column + 1)?
                } else {
                    Json { line: u32::try_from(at + 1).unwrap_or(u32::MAX), value: Value::Null }
                }
            } else {
                self.column += length + after.len() - inside.len();
                self.scalar(column + 1)?
            };
            members.push((name, value));
        }
        if self.is_inside(column + 1) {
            return Err(self.wrong(format!("{:?}", self.rest()), "a line that is indented like those above it"));
        }
        Ok(Json { line, value: Value::Object(members) })
    }

    /// A text, a number, or JSON. `indent` is how far its further lines are indented at least.
    fn scalar(&mut self, indent: usize) -> Result<Json, Violation> {
        let line = self.line();
        let rest = self.rest();
        let value = match rest.chars().next() {
            Some(c @ ('&' | '*' | '!')) => {
                let what = match c {
                    '&' | '*' => "an anchor or an alias",
                    _ => "a tag",
                };
                return Err(self.wrong(what, "plain YAML; kubectl get -o yaml writes it"));
            }
            Some('|' | '>') => self.block(indent)?,
            Some('{') if rest.starts_with("{{") => {
                return Err(self.wrong("{{", "plain YAML; helm template, or kubectl get -o yaml, writes it"));
            }
            Some('{' | '[' | '"' | '\'') => {
                let start = self.lines[self.at].0 + self.column;
                let (value, end) = flow::read(self.text, start, line)?;
                let last = self.lines.partition_point(|(offset, _)| *offset < end).saturating_sub(1).max(self.at);
                let (offset, text) = self.lines[last];
                let behind = text.get(end - offset..).unwrap_or_default().trim_start();
                if !behind.is_empty() && !behind.starts_with('#') {
                    self.at = last;
                    return Err(self.wrong(format!("{behind:?}"), "the end of the line"));
                }
                self.settle(last + 1);
                value
            }
            _ => self.plain(indent)?,
        };
        Ok(Json { line, value })
    }

    /// A text without quotes, which goes on in lines that are indented.
    fn plain(&mut self, indent: usize) -> Result<Value, Violation> {
        let mut text = without_comment(self.rest()).trim_end().to_owned();
        let mut is_single = true;
        loop {
            self.settle(self.at + 1);
            if !self.is_inside(indent.max(1)) {
                break;
            }
            if key(self.rest()).is_some() {
                return Err(self.wrong(format!("{:?}", self.rest()), "a line that is indented like those above it"));
            }
            is_single = false;
            text.push(' ');
            text.push_str(without_comment(self.rest()).trim_end());
        }
        Ok(if is_single { resolved(&text) } else { Value::Text(text) })
    }

    /// `|` keeps its lines, `>` folds them.
    fn block(&mut self, indent: usize) -> Result<Value, Violation> {
        let header = without_comment(self.rest()).trim();
        let is_folded = header.starts_with('>');
        let (mut chomp, mut explicit) = (None, None);
        for c in header.chars().skip(1) {
            match c {
                '-' | '+' => chomp = Some(c),
                '1'..='9' => explicit = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()),
                _ => return Err(self.wrong(format!("{header:?}"), "|, >, and after it -, + or a digit")),
            }
        }
        let base = indent.saturating_sub(1);
        let mut at = self.at + 1;
        let mut lines: Vec<&str> = Vec::new();
        let mut width = explicit.map(|digit| base + digit);
        while let Some((_, line)) = self.lines.get(at) {
            let inside = line.trim_start_matches(' ');
            let column = line.len() - inside.len();
            if !inside.is_empty() {
                let width = *width.get_or_insert(column);
                if column < width || width < indent {
                    break;
                }
            }
            lines.push(line.get(width.unwrap_or(column).min(line.len())..).unwrap_or_default());
            at += 1;
        }
        let trailing = lines.iter().rev().take_while(|line| line.is_empty()).count();
        let body = &lines[..lines.len() - trailing];
        let mut text = if is_folded { folded(body) } else { body.join("\n") };
        match chomp {
            Some('-') => {}
            Some(_) => text.push_str(&"\n".repeat(trailing + 1)),
            None if body.is_empty() => {}
            None => text.push('\n'),
        }
        self.settle(at);
        Ok(Value::Text(text))
    }
}

/// Lines of a folded text: one line end is a blank; those around an indented line stay.
fn folded(lines: &[&str]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        text.push_str(line);
        let Some(next) = lines.get(at + 1) else { break };
        let is_indented = |line: &str| line.starts_with([' ', '\t']);
        match (line.is_empty(), next.is_empty()) {
            _ if is_indented(line) || is_indented(next) => text.push('\n'),
            (false, false) => text.push(' '),
            (true, _) => text.push('\n'),
            (false, true) => {}
        }
    }
    text
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The name at the start of a line, and how long it is with its colon.
fn key(text: &str) -> Option<(String, usize)> {
    let quoted = |quote: char| {
        let inside = text.strip_prefix(quote)?;
        let end = inside.find(quote)?;
        inside[end + 1..].starts_with(':').then(|| (inside[..end].to_owned(), end + 3))
    };
    if text.starts_with(['"', '\'']) {
        let (name, length) = quoted('"').or_else(|| quoted('\''))?;
        let is_end = text.get(length..).is_none_or(|rest| rest.is_empty() || rest.starts_with(' '));
        return is_end.then_some((name, length));
    }
    if text.starts_with(['{', '[', '|', '>', '&', '*', '!', '#', '%', '\t']) {
        return None;
    }
    let text = without_comment(text);
    let at = text.find(": ").or_else(|| text.trim_end().ends_with(':').then(|| text.trim_end().len() - 1))?;
    Some((text[..at].trim_end().to_owned(), at + 1))
}

/// The line up to a comment, which begins with ` #`.
fn without_comment(text: &str) -> &str {
    text.find(" #").map_or(text, |at| &text[..at])
}

/// What a text without quotes means.
fn resolved(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Boolean(true),
        "false" | "False" | "FALSE" => Value::Boolean(false),
        _ => {
            let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
            let integer = text.parse().ok().map(Value::Integer).filter(|_| is_number);
            let float = || text.parse().ok().filter(|float: &f64| is_number && float.is_finite()).map(Value::Float);
            integer.or_else(float).unwrap_or_else(|| Value::Text(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests;
