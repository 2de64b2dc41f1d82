//! What stands in quotes or brackets in YAML, over one line or several.

use punctual_arm::{Json, Value};
use punctual_model::Violation;

use super::resolved;
use crate::limits::YAML_DEPTH_MAX;

/// Reads a value that begins at `start`; and where it ends.
pub(super) fn read(text: &str, start: usize, line: u32) -> Result<(Value, usize), Violation> {
    let mut reader = Reader { text, at: start, line, depth: 0 };
    let value = reader.value()?.value;
    Ok((value, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        self.line += u32::from(c == '\n');
        Some(c)
    }

    fn wrong(&self, expected: &str) -> Violation {
        let given = self.rest().chars().next().map_or_else(|| "the end".to_owned(), |c| format!("{c:?}"));
        Violation::new(format!("line {}", self.line), given, expected)
    }

    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with(char::is_whitespace) {
                self.take();
            } else {
                return;
            }
        }
    }

    fn value(&mut self) -> Result<Json, Violation> {
        self.depth += 1;
        if self.depth > YAML_DEPTH_MAX {
            return Err(self.wrong(&format!("at most {YAML_DEPTH_MAX} levels")));
        }
        let line = self.line;
        let value = match self.rest().chars().next() {
            Some('{') => self.object()?,
            Some('[') => self.list()?,
            Some('"') => Value::Text(self.double()?),
            Some('\'') => Value::Text(self.single()?),
            _ => self.plain()?,
        };
        self.depth -= 1;
        Ok(Json { line, value })
    }

    fn list(&mut self) -> Result<Value, Violation> {
        self.take();
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.rest().starts_with(']') {
                self.take();
                return Ok(Value::List(items));
            }
            items.push(self.value()?);
            self.separator(']')?;
        }
    }

    fn object(&mut self) -> Result<Value, Violation> {
        self.take();
        let mut members = Vec::new();
        loop {
            self.blanks();
            if self.rest().starts_with('}') {
                self.take();
                return Ok(Value::Object(members));
            }
            let name = match self.rest().chars().next() {
                Some('"') => self.double()?,
                Some('\'') => self.single()?,
                _ => {
                    let rest = self.rest();
                    let end = rest.find([':', ',', '}', '\n']).unwrap_or(rest.len());
                    self.at += end;
                    rest[..end].trim().to_owned()
                }
            };
            self.blanks();
            if !self.rest().starts_with(':') {
                return Err(self.wrong("a colon after a name"));
            }
            self.take();
            self.blanks();
            let value = self.value()?;
            members.push((name, value));
            self.separator('}')?;
        }
    }

    fn separator(&mut self, end: char) -> Result<(), Violation> {
        self.blanks();
        if self.rest().starts_with(',') {
            self.take();
            return Ok(());
        }
        if self.rest().starts_with(end) { Ok(()) } else { Err(self.wrong(&format!("a comma or {end}"))) }
    }

    fn plain(&mut self) -> Result<Value, Violation> {
        let rest = self.rest();
        let end = rest.find([',', ']', '}', '\n']).unwrap_or(rest.len());
        let end = rest[..end].find(": ").map_or(end, |at| at.min(end));
        let text = rest[..end].trim_end();
        if text.is_empty() || text.starts_with(['&', '*', '!']) {
            return Err(self.wrong("a value"));
        }
        self.at += end;
        Ok(resolved(text))
    }

    fn single(&mut self) -> Result<String, Violation> {
        self.take();
        let mut text = String::new();
        loop {
            match self.take() {
                None => return Err(self.wrong("the ' that ends a text")),
                Some('\'') if self.rest().starts_with('\'') => {
                    self.take();
                    text.push('\'');
                }
                Some('\'') => return Ok(text),
                Some('\n') => self.fold(&mut text),
                Some(c) => text.push(c),
            }
        }
    }

    fn double(&mut self) -> Result<String, Violation> {
        self.take();
        let mut text = String::new();
        loop {
            match self.take() {
                None => return Err(self.wrong("the \" that ends a text")),
                Some('"') => return Ok(text),
                Some('\n') => self.fold(&mut text),
                Some('\\') => self.escape(&mut text)?,
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<(), Violation> {
        let digits = match self.take() {
            Some('n') => {
                return {
                    text.push('\n');
                    Ok(())
                };
            }
            Some('t') => {
                return {
                    text.push('\t');
                    Ok(())
                };
            }
            Some('r') => {
                return {
                    text.push('\r');
                    Ok(())
                };
            }
            Some('0') => {
                return {
                    text.push('\0');
                    Ok(())
                };
            }
            Some('e') => {
                return {
                    text.push('\u{1b}');
                    Ok(())
                };
            }
            Some('\n') => {
                let rest = self.rest();
                self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
                return Ok(());
            }
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(c @ ('"' | '\\' | '/' | ' ')) => {
                return {
                    text.push(c);
                    Ok(())
                };
            }
            _ => return Err(self.wrong("an escape of YAML after \\")),
        };
        let code = self.rest().get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(c) = code.and_then(char::from_u32) else { return Err(self.wrong("hexadecimal digits")) };
        self.at += digits;
        text.push(c);
        Ok(())
    }

    /// The end of a line inside of quotes is a blank; an empty line is a line end.
    fn fold(&mut self, text: &mut String) {
        text.truncate(text.trim_end_matches([' ', '\t']).len());
        let mut ends = 0;
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
            if !self.rest().starts_with('\n') {
                break;
            }
            self.take();
            ends += 1;
        }
        if ends == 0 { text.push(' ') } else { text.push_str(&"\n".repeat(ends)) }
    }
}
