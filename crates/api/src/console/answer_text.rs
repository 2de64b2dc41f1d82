//! What a target answered, out of the record that history keeps in the words of the original.

/// The parts of a message that people read.
pub(super) struct AnswerText<'a> {
    /// The name of the status, such as `ServiceUnavailable`, if there was an answer.
    status: Option<&'a str>,
    /// What came with it.
    pub(super) body: &'a str,
}

impl<'a> AnswerText<'a> {
    /// Takes a message apart; one of another form is all body.
    pub(super) fn of(message: &'a str) -> Self {
        let status = message.split_once("Response from host '").and_then(|(_, rest)| rest.split_once("': '"));
        let status = status.and_then(|(_, rest)| rest.split_once('\'')).map(|(status, _)| status);
        let body = match status {
            Some(_) => message.split_once("Body:").map_or("", |(_, body)| body),
            None => message,
        };
        Self { status, body: body.trim() }
    }

    /// Whether there was an answer.
    pub(super) const fn is_answer(&self) -> bool {
        self.status.is_some()
    }

    /// The status in words: `NoContent` is "No Content".
    pub(super) fn status(&self) -> Option<String> {
        let status = self.status?;
        let mut words = String::new();
        let mut was_lower = false;
        for character in status.chars() {
            if character.is_ascii_uppercase() && was_lower {
                words.push(' ');
            }
            was_lower = character.is_ascii_lowercase();
            words.push(character);
        }
        Some(words)
    }

    /// The beginning of the body in one line, without signs that no one can see.
    pub(super) fn line(&self, chars_max: usize) -> String {
        let seen: String = self.body.chars().map(|c| if c.is_control() { ' ' } else { c }).take(chars_max).collect();
        seen.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::AnswerText;

    #[test]
    fn the_body_and_the_status_are_found() {
        let text = "Http Action - Response from host 'h': 'ServiceUnavailable' Response Headers: a: b\r\nBody: {\"error\":\n\u{7}1}";
        let answer = AnswerText::of(text);
        assert_eq!(answer.status().unwrap(), "Service Unavailable");
        assert_eq!(answer.line(100), "{\"error\": 1}");
        assert_eq!(AnswerText::of("Response from host 'h': 'OK' x").status().unwrap(), "OK");
        let other = AnswerText::of("something else");
        assert_eq!((other.status(), other.body), (None, "something else"));
    }
}
