//! Keeps secrets out of the record.
//!
//! Targets repeat what they are sent: an error page shows the query, a debugging endpoint all headers. Before an excerpt is
//! cut out of an answer, the secrets of the job are looked for in it, and blotted out: as they are, with any of their bytes
//! written as `%41`, `\u0041` or `\"`, and inside base64, wherever in it they begin.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use punctual_model::action::{Authentication, HttpAction, Secret};
use punctual_model::limits;

use super::address::Address;

const BLOT: &[u8] = b"***";

/// Values of these headers are no secrets, and often stand in answers.
const PUBLIC_HEADERS: [&str; 8] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "content-encoding",
    "content-type",
    "user-agent",
];

/// The secrets of one job.
pub(crate) struct Mask {
    /// The longest first: one may contain another.
    needles: Vec<Vec<u8>>,
    /// The bytes with which one of them may begin: most of a text is passed over by these.
    beginnings: [bool; 256],
}

impl Mask {
    /// Gathers what must not be shown: credentials, header values, the query and the body of the request.
    pub(crate) fn new(action: &HttpAction, address: &Address) -> Self {
        let mut mask = Self { needles: Vec::new(), beginnings: [false; 256] };
        match &action.authentication {
            Some(Authentication::Basic { username, password }) => mask.add_user(username, password),
            Some(Authentication::ClientCertificate { pfx, password, .. }) => {
                mask.add_secret(pfx.expose());
                mask.add_secret(password.expose());
            }
            Some(Authentication::OAuth { secret, .. }) => mask.add_secret(secret.expose()),
            None => {}
        }
        if let Some(credentials) = &address.credentials {
            let (user, password) = credentials.expose().split_once(':').unwrap_or((credentials.expose(), ""));
            mask.add_user(user, &Secret::new(password));
        }
        for (name, value) in &action.headers {
            if !PUBLIC_HEADERS.contains(&&*name.to_ascii_lowercase()) {
                mask.add_header(value);
            }
        }
        if let Some((_, query)) = address.target.split_once('?') {
            mask.add_value(query);
            for pair in query.split('&') {
                let value = pair.split_once('=').map_or(pair, |(_, value)| value);
                mask.add_value(&percent_decode_str(value).decode_utf8_lossy());
            }
        }
        if let Some(body) = &action.body {
            mask.add_value(body);
        }
        mask.needles.sort_unstable_by_key(|needle| std::cmp::Reverse(needle.len()));
        mask.needles.dedup();
        for first in mask.needles.iter().filter_map(|needle| needle.first()).chain(b"%\\+") {
            mask.beginnings[usize::from(*first)] = true;
        }
        mask
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// The first bytes of the text without secrets, at least `bytes_max` of them if there are so many. If the text
    /// `is_cut`, what may be the beginning of a secret at its end is blotted out, too.
    pub(crate) fn apply(&self, text: &[u8], is_cut: bool, bytes_max: usize) -> Vec<u8> {
        let mut masked = Vec::with_capacity(text.len().min(bytes_max));
        let mut rest = text;
        while let Some(first) = rest.first().filter(|_| masked.len() < bytes_max) {
            let may_begin = self.beginnings[usize::from(*first)];
            let found = self.needles.iter().filter(|_| may_begin).find_map(|needle| match_length(rest, needle, is_cut));
            masked.extend_from_slice(found.map_or(&rest[..1], |_| BLOT));
            rest = &rest[found.unwrap_or(1)..];
        }
        masked
    }

    fn add_user(&mut self, user: &str, password: &Secret) {
        self.add_secret(password.expose());
        self.add_secret(&format!("{user}:{}", password.expose()));
    }

    /// A header value, and what follows a scheme such as `Bearer`.
    fn add_header(&mut self, value: &str) {
        self.add_value(value);
        if let Some((_, credentials)) = value.split_once(' ') {
            self.add_value(credentials.trim());
        }
    }

    fn add_value(&mut self, value: &str) {
        if value.len() >= limits::MASKED_VALUE_BYTES_MIN {
            self.add_secret(value);
        }
    }

    fn add_secret(&mut self, secret: &str) {
        if secret.len() < limits::MASKED_SECRET_BYTES_MIN {
            return;
        }
        self.needles.extend(base64_forms(secret.as_bytes()));
        self.needles.push(secret.as_bytes().to_vec());
    }
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
    let mut forms: Vec<Vec<u8>> = forms.filter(|form| form.len() > limits::MASKED_SECRET_BYTES_MIN).collect();
    forms.dedup();
    forms.into_iter()
}

/// How many bytes of the text, from its beginning, are the needle in one of its spellings.
///
/// A percent sign or a backslash may be itself, or the beginning of another character: both are tried.
fn match_length(text: &[u8], needle: &[u8], is_cut: bool) -> Option<usize> {
    [itself_or_escape, escape_or_itself].into_iter().find_map(|spelling| {
        let mut at = 0;
        for wanted in needle {
            if at == text.len() {
                return is_cut.then_some(at);
            }
            at += spelling(&text[at..], *wanted)?;
        }
        Some(at)
    })
}

fn itself_or_escape(text: &[u8], wanted: u8) -> Option<usize> {
    if text.first() == Some(&wanted) { Some(1) } else { escape(text, wanted) }
}

fn escape_or_itself(text: &[u8], wanted: u8) -> Option<usize> {
    escape(text, wanted).or_else(|| itself_or_escape(text, wanted))
}

/// How many bytes at the beginning of the text are an escape for this byte, in an address or in JSON.
fn escape(text: &[u8], wanted: u8) -> Option<usize> {
    let is_hex = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok();
        digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) == Some(wanted)
    };
    match text {
        [b'%', high, low, ..] if is_hex(&[*high, *low]) => Some(3),
        [b'\\', b'u', b'0', b'0', high, low, ..] if is_hex(&[*high, *low]) => Some(6),
        [b'\\', c, ..] if *c == wanted && matches!(c, b'"' | b'\\' | b'/') => Some(2),
        [b'\\', b'n', ..] if wanted == b'\n' => Some(2),
        [b'+', ..] if wanted == b' ' => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
