//! How a value is written, by where it stands.

use std::fmt::Write as _;

use super::values::percent_encoded;
use crate::action::is_xml;

/// What a template is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A path, a query or a form.
    Address,
    /// The value of a header.
    Header,
    Json,
    /// XML or HTML.
    Xml,
    /// A text of which nothing is known: values stand in it as they are.
    Plain,
}

impl Format {
    /// The format of a body, by its `Content-Type`.
    pub(super) fn of_media_type(content_type: &str) -> Self {
        let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match &*media_type {
            "application/x-www-form-urlencoded" => Self::Address,
            json if json.contains("json") => Self::Json,
            xml if xml.contains("xml") || xml == "text/html" => Self::Xml,
            _ => Self::Plain,
        }
    }

    /// Writes a text behind `written`, of which at most `bytes_max` are added: what is longer is cut between characters.
    pub(super) fn write_text(self, text: &str, bytes_max: usize, written: &mut String) {
        let text = if self == Self::Header { text.trim_matches(is_blank) } else { text };
        let end = written.len().saturating_add(bytes_max);
        for c in text.chars() {
            let start = written.len();
            self.write_char(c, written);
            if written.len() > end {
                written.truncate(start);
                return;
            }
        }
    }

    fn write_char(self, c: char, written: &mut String) {
        match (self, c) {
            (Self::Address, c) => written.push_str(&percent_encoded(c.encode_utf8(&mut [0; 4]))),
            (Self::Header, c) if c.is_control() => written.push(' '),
            (Self::Json, '"' | '\\') => written.extend(['\\', c]),
            (Self::Json, '\n') => written.push_str("\\n"),
            (Self::Json, c) if c.is_control() => {
                let _ = write!(written, "\\u{:04x}", u32::from(c));
            }
            (Self::Xml, '&') => written.push_str("&amp;"),
            (Self::Xml, '<') => written.push_str("&lt;"),
            (Self::Xml, '>') => written.push_str("&gt;"),
            (Self::Xml, '"') => written.push_str("&quot;"),
            // HTML 4 has no name for it.
            (Self::Xml, '\'') => written.push_str("&#39;"),
            // As they are, an attribute would hold blanks instead.
            (Self::Xml, '\t' | '\n' | '\r') => {
                let _ = write!(written, "&#{};", u32::from(c));
            }
            (Self::Xml, c) if !is_xml(c) => written.push(char::REPLACEMENT_CHARACTER),
            (_, c) => written.push(c),
        }
    }
}

/// What a header does not hold at the ends of its value.
fn is_blank(c: char) -> bool {
    c.is_control() || c.is_whitespace()
}

/// Whether a place in JSON is inside a string, while a text goes by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quotes {
    pub(super) is_open: bool,
    is_escaped: bool,
}

impl Quotes {
    pub(super) fn pass(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_open => self.is_escaped = true,
                b'"' => self.is_open = !self.is_open,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_escaped_by_where_it_stands() {
        let text = " a/b?c&d=\"é\"\r\n<\u{1}'%> \\\t";
        let written = |format: Format| {
            let mut written = String::new();
            format.write_text(text, usize::MAX, &mut written);
            format!("{format:?}: {written:?}")
        };
        let formats = [Format::Address, Format::Header, Format::Json, Format::Xml, Format::Plain];
        insta::assert_snapshot!(formats.map(written).join("\n"), @r#"
        Address: "%20a%2Fb%3Fc%26d%3D%22%C3%A9%22%0D%0A%3C%01%27%25%3E%20%5C%09"
        Header: "a/b?c&d=\"é\"  < '%> \\"
        Json: " a/b?c&d=\\\"é\\\"\\u000d\\n<\\u0001'%> \\\\\\u0009"
        Xml: " a/b?c&amp;d=&quot;é&quot;&#13;&#10;&lt;�&#39;%&gt; \\&#9;"
        Plain: " a/b?c&d=\"é\"\r\n<\u{1}'%> \\\t"
        "#);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let written = |format: Format, bytes_max| {
            let mut written = "-".to_owned();
            format.write_text("é\"é\"", bytes_max, &mut written);
            written
        };
        assert_eq!(written(Format::Address, 8), "-%C3%A9");
        assert_eq!(written(Format::Address, 9), "-%C3%A9%22");
        assert_eq!(written(Format::Json, 3), "-é");
        assert_eq!(written(Format::Plain, 4), "-é\"");
    }

    #[test]
    fn the_format_of_a_body() {
        let formats =
            ["application/json", "Application/Problem+JSON; charset=utf-8", "application/x-ndjson", "text/xml"];
        let others = ["application/soap+xml;a=b", "text/html", "application/x-www-form-urlencoded", "text/plain", ""];
        let told: Vec<_> =
            formats.iter().chain(&others).map(|text| format!("{:?}", Format::of_media_type(text))).collect();
        assert_eq!(told.join(" "), "Json Json Json Xml Xml Xml Address Plain Plain");
    }
}
