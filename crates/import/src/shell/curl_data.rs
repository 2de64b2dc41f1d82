//! What curl sends as a body.

use std::fmt::Write;

use crate::draft::Draft;
use crate::fill::Fills;

/// The data that several options give together.
#[derive(Debug, Default)]
pub(super) struct Data<'a> {
    parts: Vec<String>,
    pub(super) is_json: bool,
    stdin: Option<&'a str>,
}

/// The name of the file in `@file`.
pub(super) fn files(text: &str) -> Option<&str> {
    text.strip_prefix('@')
}

impl<'a> Data<'a> {
    pub(super) fn new(stdin: Option<&'a str>) -> Self {
        Self { stdin, ..Self::default() }
    }

    pub(super) fn add(&mut self, long: &str, text: &str, fills: &Fills<'_>, draft: &Draft) {
        let part = match long {
            "data-raw" => text.to_owned(),
            "data-urlencode" => self.url_encoded(text, fills, draft),
            "data-binary" => self.content(text, fills, draft),
            "json" => {
                self.is_json = true;
                let content = self.content(text, fills, draft);
                // What several --json give is put together as it is.
                match self.parts.pop() {
                    Some(before) => before + &content,
                    None => content,
                }
            }
            // From a file, curl takes line ends out.
            _ if files(text).is_some() => self.content(text, fills, draft).replace(['\r', '\n', '\0'], ""),
            _ => text.to_owned(),
        };
        self.parts.push(part);
    }

    /// The text itself, or what is in the file `@file`: a hole, unless that is standard input.
    fn content(&self, text: &str, fills: &Fills<'_>, draft: &Draft) -> String {
        match files(text) {
            None => text.to_owned(),
            Some("-") if self.stdin.is_some() => self.stdin.unwrap_or_default().to_owned(),
            Some(file) => {
                let name = file.rsplit('/').next().unwrap_or(file);
                fills.text(name, &format!("the content of the file {file}"), draft.line)
            }
        }
    }

    /// `content`, `=content`, `name=content`, `@file`, `name@file`.
    pub(super) fn url_encoded(&self, text: &str, fills: &Fills<'_>, draft: &Draft) -> String {
        let at = text.find(['=', '@']);
        match at.map(|at| (&text[..at], &text[at..=at], &text[at + 1..])) {
            None => percent_encoded(text),
            Some(("", "=", content)) => percent_encoded(content),
            Some((name, "=", content)) => format!("{name}={}", percent_encoded(content)),
            Some((name, _, file)) => {
                let content = percent_encoded(&self.content(&format!("@{file}"), fills, draft));
                if name.is_empty() { content } else { format!("{name}={content}") }
            }
        }
    }

    /// All of it, if there is any.
    pub(super) fn body(&self) -> Option<String> {
        (!self.parts.is_empty()).then(|| self.parts.join("&"))
    }
}

/// As curl encodes: everything but letters, digits and `-._~`; a blank is a plus. Characters that stand for something missing
/// stay.
pub(super) fn percent_encoded(text: &str) -> String {
    let mut made = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || "-._~".contains(c) || crate::fill::has_hole(c.encode_utf8(&mut [0; 4])) {
            made.push(c);
            continue;
        }
        if c == ' ' {
            made.push('+');
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            let _ = write!(made, "%{byte:02X}");
        }
    }
    made
}

pub(super) fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
