//! What is looked for: secrets, in the forms in which they may be written.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use punctual_model::action::looks_secret;
use punctual_model::placeholder::GAP;
use serde::de::DeserializeSeed;

use super::values::Values;
use crate::limits;

/// Gathers what is looked for. It is done for every answer, and so nothing is copied that stands in the request as it is.
#[derive(Default)]
pub(super) struct Needles<'a> {
    secrets: Vec<Cow<'a, [u8]>>,
    literals: Vec<Cow<'a, [u8]>>,
}

/// One way to write a secret.
pub(super) struct Form<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Whether it is all of the secret, or only as much as there is room for at the end of a text that was cut.
    pub(super) is_whole: bool,
}

/// How long something in a text can be.
#[derive(Clone, Copy)]
struct Room {
    /// That is there as a whole.
    longest: usize,
    /// That the end of the text cuts; 0 if the text was not cut.
    open: usize,
}

impl<'a> Needles<'a> {
    /// How long they are together.
    pub(super) fn bytes(&self) -> usize {
        self.secrets.iter().chain(&self.literals).map(|needle| needle.len()).sum()
    }

    /// The same needles, for another thread.
    pub(super) fn into_owned(self) -> Needles<'static> {
        let owned = |needles: Vec<Cow<'a, [u8]>>| needles.into_iter().map(|it| Cow::Owned(it.into_owned())).collect();
        Needles { secrets: owned(self.secrets), literals: owned(self.literals) }
    }

    /// All of them, in all forms that the text is long enough for, in the order of their bytes.
    pub(super) fn forms(&self, text: &[u8], is_cut: bool) -> Vec<Form<'_>> {
        let whole = Room { longest: text.len(), open: if is_cut { text.len() } else { 0 } };
        let raw = self.secrets.iter().chain(&self.literals);
        let mut forms: Vec<_> = raw.filter_map(|it| whole.fit(Cow::Borrowed(it), true)).collect();
        // Most answers are shorter than what was sent: their words need not be measured.
        let may_fit = |secret: &&Cow<'_, [u8]>| is_cut || encoded_bytes_min(secret) <= text.len();
        let mut longer = self.secrets.iter().filter(may_fit).peekable();
        let word = if longer.peek().is_some() { Room::of_words(text, is_cut) } else { Room { longest: 0, open: 0 } };
        for secret in longer.filter(|secret| word.open > 0 || encoded_bytes_min(secret) <= word.longest) {
            // Encoded texts are longer than the secret: of a secret that is longer than the room only a beginning can be there.
            let beginning = &secret[..secret.len().min(word.longest.max(word.open))];
            let is_whole = beginning.len() == secret.len();
            forms.extend(encoded(beginning).filter_map(|form| word.fit(Cow::Owned(form), is_whole)));
        }
        forms.sort_unstable_by(|a, b| (&a.bytes, b.is_whole).cmp(&(&b.bytes, a.is_whole)));
        forms.dedup_by(|later, kept| later.bytes == kept.bytes);
        forms
    }

    /// Something that is a secret for sure. What stands between two gaps is a secret of its own.
    pub(super) fn secret(&mut self, secret: impl Into<Cow<'a, str>>) {
        self.add_pieces(secret.into(), limits::MASKED_SECRET_BYTES_MIN);
    }

    /// The same for something long that is never sent: only as it is.
    pub(super) fn literal(&mut self, secret: &'a str) {
        if secret.len() >= limits::MASKED_SECRET_BYTES_MIN {
            self.literals.push(Cow::Borrowed(secret.as_bytes()));
        }
    }

    /// Something that may be one.
    pub(super) fn value(&mut self, value: impl Into<Cow<'a, str>>) {
        self.add_pieces(value.into(), limits::MASKED_VALUE_BYTES_MIN);
    }

    /// The pieces of a text between its gaps that are long enough.
    fn add_pieces(&mut self, text: Cow<'a, str>, bytes_min: usize) {
        // Most values are short words, and need not be searched for gaps.
        if text.len() < bytes_min {
            return;
        }
        match text {
            Cow::Borrowed(text) => self.secrets.extend(pieces(text, bytes_min).map(Cow::Borrowed)),
            Cow::Owned(text) => self.secrets.extend(pieces(&text, bytes_min).map(|piece| Cow::Owned(piece.to_vec()))),
        }
    }

    /// A text whose parts are looked for, too. With gaps in it there is no whole, and what is between them are names and marks.
    fn whole(&mut self, text: &'a str) {
        if !text.contains(GAP) {
            self.value(text);
        }
    }

    /// A user with a password.
    pub(super) fn user(&mut self, user: &str, password: &'a str) {
        self.secret(password);
        self.secret(format!("{user}:{password}"));
    }

    /// A header value, what follows a scheme such as `Bearer`, and the values of `name=value` in it: a cookie has several, which
    /// a target shows one by one.
    pub(super) fn header(&mut self, value: &'a str) {
        self.value(value);
        if let Some((scheme, credentials)) = value.split_once(' ') {
            self.value(credentials.trim());
            if scheme.eq_ignore_ascii_case("basic") {
                self.basic(credentials.trim());
            }
        }
        for part in value.split([';', ',', '&', ' ']) {
            if let Some((_, value)) = part.split_once('=') {
                let value = value.trim().trim_matches('"');
                self.value(value);
                self.value(percent_decode_str(value).decode_utf8_lossy());
            }
        }
    }

    /// User and password, as Basic authentication writes them.
    fn basic(&mut self, credentials: &str) {
        let decoded = STANDARD_NO_PAD.decode(credentials.trim_end_matches('=')).ok();
        let text = decoded.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        if let Some((user, password)) = text.split_once(':') {
            self.secret(password.to_owned());
            self.secret(format!("{user}:{password}"));
        }
    }

    /// The segments of a path that look like secrets: those of webhooks are all that is asked of a caller.
    pub(super) fn path(&mut self, path: &'a str) {
        for segment in path.split(['/', GAP]).filter(|segment| looks_secret(segment)) {
            self.secret(segment);
        }
    }

    /// The query of an address, and the values in it.
    pub(super) fn query(&mut self, query: &'a str) {
        self.whole(query);
        for pair in query.split('&') {
            let value = pair.split_once('=').map_or(pair, |(_, value)| value);
            self.value(percent_decode_str(value).decode_utf8_lossy());
        }
    }

    /// A body, and the values in it where it is JSON or a form.
    pub(super) fn body(&mut self, body: &'a str) {
        let is_json = body.trim_start().starts_with(['{', '[']);
        if is_json && self.json(body) {
            self.whole(body);
        } else if body.contains('=') && !body.contains(char::is_whitespace) {
            self.query(body);
        } else {
            self.value(body);
        }
    }

    /// The values in a text, if it is JSON, which is returned.
    fn json(&mut self, text: &'a str) -> bool {
        let before = self.secrets.len();
        let mut reader = serde_json::Deserializer::from_str(text);
        let is_read = Values(self).deserialize(&mut reader).and_then(|()| reader.end()).is_ok();
        if !is_read {
            self.secrets.truncate(before);
        }
        is_read
    }
}

/// What stands between the gaps of a text, where it is long enough.
fn pieces(text: &str, bytes_min: usize) -> impl Iterator<Item = &[u8]> {
    text.split(GAP).map(str::as_bytes).filter(move |piece| piece.len() >= bytes_min)
}

impl Room {
    /// The room for encoded forms. They are words: they have no blanks, quotes, brackets, commas and colons, not even with
    /// their characters escaped. Most answers have short words only, and need no forms.
    fn of_words(text: &[u8], is_cut: bool) -> Self {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>()[]{},:".contains(byte);
        let longest = text.split(ends).map(<[u8]>::len).max().unwrap_or(0);
        let last = || text.rsplit(ends).next().map_or(0, <[u8]>::len);
        Self { longest, open: if is_cut { last() } else { 0 } }
    }

    /// The form, or as much of it as there is room for; none if it cannot be there.
    fn fit(self, bytes: Cow<'_, [u8]>, is_whole: bool) -> Option<Form<'_>> {
        if bytes.len() <= self.longest && is_whole {
            return Some(Form { bytes, is_whole });
        }
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..bytes.len().min(self.open)]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(self.open);
                Cow::Owned(bytes)
            }
        };
        (!bytes.is_empty()).then_some(Form { bytes, is_whole: false })
    }
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
