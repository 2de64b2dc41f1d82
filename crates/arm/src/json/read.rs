//! Reads JSON as templates are written: with comments, trailing commas and texts of several lines.

use std::collections::HashSet;

use punctual_model::Violation;

use super::{Json, Value};
use crate::limits::NESTING_MAX;

/// Reads a text. No object may have two members that are the same but for case.
pub fn parse(text: &str) -> Result<Json, Violation> {
    // Some tools of Windows put a byte order mark in front of everything they write.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, at: 0, line: 1, depth: 0 };
    let json = reader.value()?;
    reader.blanks()?;
    match reader.peek() {
        None => Ok(json),
        Some(c) => Err(reader.wrong(format!("{c:?}"), "the end, since the JSON is complete before it")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.line += u32::from(c == '\n');
        Some(c)
    }

    fn wrong(&self, given: impl std::fmt::Display, expected: &str) -> Violation {
        Violation::new(format!("line {}", self.line), given, expected)
    }

    /// What stands here, for a message.
    fn given(&self) -> String {
        self.peek().map_or_else(|| "the end of the text".to_owned(), |c| format!("{c:?}"))
    }

    /// Passes over blanks and comments.
    fn blanks(&mut self) -> Result<(), Violation> {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.at += length;
            } else if rest.starts_with("/*") {
                let Some(length) = rest.find("*/") else {
                    return Err(self.wrong("/*", "a comment that ends with */"));
                };
                self.line += u32::try_from(rest[..length].matches('\n').count()).unwrap_or_default();
                self.at += length + 2;
            } else if rest.starts_with(char::is_whitespace) {
                self.take();
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> Result<Json, Violation> {
        self.blanks()?;
        let line = self.line;
        let value = match self.peek() {
            Some('{') => self.deeper(Self::object)?,
            Some('[') => self.deeper(Self::list)?,
            Some('"') => Value::Text(self.string()?),
            Some(c) if c == '-' || c.is_ascii_digit() => self.number()?,
            _ => self.word()?,
        };
        Ok(Json { line, value })
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Result<Value, Violation>) -> Result<Value, Violation> {
        if self.depth >= NESTING_MAX {
            return Err(self.wrong("more", &format!("at most {NESTING_MAX} objects and lists inside each other")));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, Violation> {
        self.take();
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut names = HashSet::new();
        loop {
            self.blanks()?;
            match self.peek() {
                Some('}') => {
                    self.take();
                    return Ok(Value::Object(members));
                }
                Some('"') => {}
                _ => return Err(self.wrong(self.given(), "the name of a member in quotes, or }")),
            }
            let name = self.string()?;
            if !names.insert(name.to_lowercase()) {
                let expected = "each member once: names that differ only in case are the same";
                return Err(self.wrong(format!("{name:?} twice"), expected));
            }
            self.blanks()?;
            if self.peek() != Some(':') {
                return Err(self.wrong(self.given(), "a colon after the name of a member"));
            }
            self.take();
            let json = self.value()?;
            members.push((name, json));
            self.separator('}')?;
        }
    }

    fn list(&mut self) -> Result<Value, Violation> {
        self.take();
        let mut items = Vec::new();
        loop {
            self.blanks()?;
            if self.peek() == Some(']') {
                self.take();
                return Ok(Value::List(items));
            }
            items.push(self.value()?);
            self.separator(']')?;
        }
    }

    /// A comma, or the end, which stays.
    fn separator(&mut self, end: char) -> Result<(), Violation> {
        self.blanks()?;
        match self.peek() {
            Some(',') => {
                self.take();
                Ok(())
            }
            Some(c) if c == end => Ok(()),
            _ => Err(self.wrong(self.given(), &format!("a comma or {end}"))),
        }
    }

    fn string(&mut self) -> Result<String, Violation> {
        let first_line = self.line;
        self.take();
        let mut text = String::new();
        loop {
            let Some(c) = self.take() else {
                let begun = format!("a text that begins in line {first_line} and has no end");
                return Err(self.wrong(begun, "a quotation mark at its end"));
            };
            match c {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                // Azure takes texts of several lines.
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Violation> {
        Ok(match self.take() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('u') => {
                let first = self.unit()?;
                let is_pair = (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u");
                let code = if is_pair {
                    self.at += 2;
                    let second = self.unit()?;
                    0x1_0000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff)
                } else {
                    first
                };
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => {
                let given = other.map_or_else(|| "nothing".to_owned(), |c| format!("\\{c}"));
                return Err(self.wrong(given, "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u1234"));
            }
        })
    }

    fn unit(&mut self) -> Result<u32, Violation> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.wrong("\\u", "four hexadecimal digits after it"));
        };
        self.at += 4;
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, Violation> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let text = &rest[..length];
        let value = text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Float));
        let value = value.ok().filter(|value| !matches!(value, Value::Float(float) if !float.is_finite()));
        let value = value.ok_or_else(|| self.wrong(text, "a number"))?;
        self.at += length;
        Ok(value)
    }

    fn word(&mut self) -> Result<Value, Violation> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let value = match &rest[..length] {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            "null" => Value::Null,
            "" => return Err(self.wrong(self.given(), "a value")),
            word => return Err(self.wrong(word, "a value; a text stands in quotes")),
        };
        self.at += length;
        Ok(value)
    }
}
