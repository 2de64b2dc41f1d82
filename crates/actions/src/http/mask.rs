//! Keeps secrets out of the record.
//!
//! Targets repeat what they are sent: an error page shows the query, a debugging endpoint all headers. Before an excerpt is
//! cut out of an answer, the secrets of the job are looked for in it, and blotted out: as they are, with any of their
//! characters escaped as in addresses, JSON or HTML, in hexadecimal digits, and inside base64, wherever in it they begin.

mod needles;
mod request;
mod spelling;

use std::borrow::Cow;
use std::ops::Range;

use self::needles::Needles;
use self::spelling::Rules;

const BLOT: &[u8] = b"***";

/// The secrets of one job.
pub(crate) struct Mask {
    needles: Needles,
}

impl Mask {
    /// Looks for these secrets, and for values that may be some. Very short ones are left: every text contains them.
    pub(crate) fn of(secrets: &[&str], values: &[&str]) -> Self {
        let mut needles = Needles::default();
        for secret in secrets {
            needles.secret(secret);
        }
        for value in values {
            needles.value(value);
        }
        Self::new(needles)
    }

    fn new(needles: Needles) -> Self {
        Self { needles }
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// A text of ours in which somebody else had a say, without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.apply(text.as_bytes(), false, usize::MAX)).into_owned()
    }

    /// The first bytes of the text without secrets, at least `bytes_max` of them if there are so many. If the text
    /// `is_cut`, what may be the beginning of a secret at its end is blotted out, too.
    pub(crate) fn apply(&self, text: &[u8], is_cut: bool, bytes_max: usize) -> Vec<u8> {
        if self.is_empty() {
            return text[..text.len().min(bytes_max)].to_vec();
        }
        let forms = self.needles.forms(text, is_cut);
        let by_first = by_first(&forms);
        let mut masked = Vec::with_capacity(text.len().min(bytes_max));
        let mut rest = text;
        while let Some(first) = rest.first().filter(|_| masked.len() < bytes_max) {
            let escaped = spelling::escape(rest, Rules::Any).map(|escape| escape.first());
            let firsts = [Some(*first), escaped.filter(|escaped| escaped != first)].into_iter().flatten();
            let lengths = firsts.filter_map(|first| {
                let mut forms = forms[by_first[usize::from(first)].clone()].iter();
                forms.find_map(|form| spelling::length(rest, form, is_cut))
            });
            let found = lengths.max();
            masked.extend_from_slice(found.map_or(&rest[..1], |_| BLOT));
            rest = &rest[found.unwrap_or(1)..];
        }
        masked
    }
}

/// Where the forms are that begin with each byte: most of a text is passed over by this.
fn by_first(forms: &[Cow<'_, [u8]>]) -> [Range<usize>; 256] {
    let mut ranges = [const { 0..0 }; 256];
    for (at, first) in forms.iter().enumerate().filter_map(|(at, form)| Some((at, form.first()?))) {
        let range = &mut ranges[usize::from(*first)];
        *range = if range.start == range.end { at..at + 1 } else { range.start..at + 1 };
    }
    ranges
}

#[cfg(test)]
mod tests;
