//! JSON as people write it in files: with comments and trailing commas.

/// Makes strict JSON of it. What is taken out is replaced by blanks, so that an error is still reported where it is.
pub(super) fn to_strict(text: &str) -> String {
    let mut strict = Strict { output: String::with_capacity(text.len()), comma_at: None, is_after_value: false };
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            // A comment without an end is none: the parser shall stumble over it.
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(1, |end| end + 4),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match first {
            '/' if length > 1 => strict.blank(token),
            _ => strict.token(token),
        }
        rest = after;
    }
    strict.output
}

struct Strict {
    output: String,
    /// Where a comma stands that follows a value, and after which nothing but blanks has come.
    comma_at: Option<usize>,
    /// Whether what came last, blanks aside, can be the end of a value.
    is_after_value: bool,
}

impl Strict {
    fn token(&mut self, token: &str) {
        if !token.trim().is_empty() {
            let comma_at = self.comma_at.take();
            match token {
                "," => self.comma_at = self.is_after_value.then_some(self.output.len()),
                "}" | "]" => {
                    if let Some(at) = comma_at {
                        self.output.replace_range(at..=at, " ");
                    }
                }
                _ => {}
            }
            self.is_after_value = !matches!(token, "," | ":" | "[" | "{");
        }
        self.output.push_str(token);
    }

    fn blank(&mut self, comment: &str) {
        self.output.extend(comment.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
    }
}

/// The length of the string literal at the start of `text`, or all of it if the literal has no end.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::to_strict;

    #[test]
    fn comments_and_trailing_commas_become_blanks() {
        for (written, strict) in [
            (r#"{"a": 1, // one"#, r#"{"a": 1,       "#),
            ("[1, /* two\n */ ]", "[1        \n    ]"),
            (r#"{"a": [1, 2, ], }"#, r#"{"a": [1, 2  ]  }"#),
            (r#"{"a": "// no, /* no */ ,]\"" }"#, r#"{"a": "// no, /* no */ ,]\"" }"#),
            ("[1,,]", "[1,,]"),
            ("[,]", "[,]"),
            ("[1 /*/ , */ ]", "[1          ]"),
            ("\"open", "\"open"),
            ("/* open", "/* open"),
            ("\u{feff}{}", "{}"),
        ] {
            assert_eq!(to_strict(written), strict);
        }
    }
}
