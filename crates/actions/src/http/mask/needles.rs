//! What is looked for: secrets, in the forms in which they may be written.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::limits;

/// Gathers what is looked for.
#[derive(Default)]
pub(super) struct Needles {
    secrets: Vec<Vec<u8>>,
    literals: Vec<Vec<u8>>,
}

impl Needles {
    pub(super) fn is_empty(&self) -> bool {
        self.secrets.is_empty() && self.literals.is_empty()
    }

    /// All of them, in all forms that the text is long enough for: by their first bytes, and among those of the same one the
    /// longest first, since one may contain another.
    pub(super) fn forms(&self, text: &[u8], is_cut: bool) -> Vec<Cow<'_, [u8]>> {
        let run = longest_run(text, is_cut);
        let mut forms: Vec<_> = self.secrets.iter().chain(&self.literals).map(|it| Cow::Borrowed(&**it)).collect();
        for secret in self.secrets.iter().filter(|secret| encoded_bytes_min(secret) <= run) {
            forms.extend(encoded(secret).map(Cow::Owned));
        }
        forms.sort_unstable_by(|a, b| (a.first(), b.len(), b).cmp(&(b.first(), a.len(), a)));
        forms.dedup();
        forms
    }

    /// Something that is a secret for sure.
    pub(super) fn secret(&mut self, secret: &str) {
        if secret.len() < limits::MASKED_SECRET_BYTES_MIN {
            return;
        }
        self.secrets.push(secret.as_bytes().to_vec());
    }

    /// The same for something long that is never sent: only as it is.
    pub(super) fn literal(&mut self, secret: &str) {
        if secret.len() >= limits::MASKED_SECRET_BYTES_MIN {
            self.literals.push(secret.as_bytes().to_vec());
        }
    }

    /// Something that may be one.
    pub(super) fn value(&mut self, value: &str) {
        if value.len() >= limits::MASKED_VALUE_BYTES_MIN {
            self.secret(value);
        }
    }

    /// A user with a password.
    pub(super) fn user(&mut self, user: &str, password: &str) {
        self.secret(password);
        self.secret(&format!("{user}:{password}"));
    }

    /// A header value, and what follows a scheme such as `Bearer`.
    pub(super) fn header(&mut self, value: &str) {
        self.value(value);
        if let Some((_, credentials)) = value.split_once(' ') {
            self.value(credentials.trim());
        }
    }

    /// The query of an address, and the values in it.
    pub(super) fn query(&mut self, query: &str) {
        self.value(query);
        for pair in query.split('&').take(limits::MASKED_VALUES_MAX) {
            let value = pair.split_once('=').map_or(pair, |(_, value)| value);
            self.value(&percent_decode_str(value).decode_utf8_lossy());
        }
    }

    /// A body, and the values in it where it is JSON or a form.
    pub(super) fn body(&mut self, body: &str) {
        let is_json = body.trim_start().starts_with(['{', '[']);
        match serde_json::from_str(body).ok().filter(|_| is_json) {
            Some(json) => {
                let mut values = Vec::new();
                gather(json, &mut values);
                values.sort_unstable_by_key(|value| std::cmp::Reverse(value.len()));
                values.iter().take(limits::MASKED_VALUES_MAX).for_each(|value| self.value(value));
                self.value(body);
            }
            None if body.contains('=') && !body.contains(char::is_whitespace) => self.query(body),
            None => self.value(body),
        }
    }
}

/// The values in JSON that are no words, with whatever is around them left off.
fn gather(json: Value, values: &mut Vec<String>) {
    match json {
        Value::String(text) => values.push(text),
        Value::Number(number) => values.push(number.to_string()),
        Value::Array(items) => items.into_iter().for_each(|item| gather(item, values)),
        Value::Object(members) => members.into_iter().for_each(|(_, value)| gather(value, values)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// The most bytes in a row of which some form could consist. Forms are words: they have no blanks, quotes, brackets, commas and
/// colons, not even with their characters escaped. Most answers have short words only, and need no forms.
fn longest_run(text: &[u8], is_cut: bool) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>()[]{},:".contains(byte);
    let runs = text.split(ends).map(<[u8]>::len);
    // Where the text was cut, a form may only have begun.
    let is_open = is_cut && text.last().is_some_and(|last| !ends(last));
    if is_open { usize::MAX } else { runs.max().unwrap_or(0) }
}

/// No form of a secret is shorter: the shortest is that of base64 without what depends on its neighbours.
fn encoded_bytes_min(secret: &[u8]) -> usize {
    (secret.len() * 4 / 3).saturating_sub(2)
}

/// A secret in base64 and in hexadecimal digits.
fn encoded(secret: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let hex = |digits: &[u8; 16]| {
        let digit = |half: u8| digits[usize::from(half)];
        secret.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect::<Vec<u8>>()
    };
    base64_forms(secret).chain([hex(b"0123456789abcdef"), hex(b"0123456789ABCDEF")])
}

/// A secret inside base64 has one of three forms, by the place in which it begins. What depends on its neighbours is left
/// off; what is left must be long enough not to be found by chance.
fn base64_forms(secret: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let forms = (0..3).flat_map(move |offset| {
        let mut bytes = vec![0; offset];
        bytes.extend_from_slice(secret);
        [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)].map(|text| {
            let first = (offset * 8).div_ceil(6);
            let last = (bytes.len() * 8) / 6;
            text.as_bytes()[first..last].to_vec()
        })
    });
    forms.filter(|form| form.len() > limits::MASKED_SECRET_BYTES_MIN)
}
