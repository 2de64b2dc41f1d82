//! Keeps secrets out of the record.
//!
//! Targets repeat what they are sent: an error page shows the query, a debugging endpoint all headers. Before an excerpt is
//! cut out of an answer, the secrets of the job are looked for in it, and blotted out: as they are, with any of their
//! characters escaped as in addresses, JSON or HTML, in hexadecimal digits, and inside base64, wherever in it they begin.

mod automaton;
mod needles;
mod request;
mod search;
mod spelling;
mod threads;
mod values;

pub(crate) use self::threads::MaskThreads;

use std::borrow::Cow;

use self::automaton::{Automaton, Needle};
use self::needles::{Form, Needles};
use self::search::Findings;
use crate::limits;

const BLOT: &[u8] = b"***";

/// The secrets of one job.
pub(crate) struct Mask<'a> {
    needles: Needles<'a>,
}

impl Mask<'static> {
    /// Looks for these secrets, and for values that may be some. Very short ones are left: every text contains them.
    pub(crate) fn of(secrets: &[&str], values: &[&str]) -> Self {
        let mut needles = Needles::default();
        for secret in secrets {
            needles.secret(*secret);
        }
        for value in values {
            needles.value(*value);
        }
        Self::new(needles.into_owned())
    }
}

impl<'a> Mask<'a> {
    fn new(needles: Needles<'a>) -> Self {
        Self { needles }
    }

    /// How many bytes of secrets there are.
    pub(crate) fn bytes(&self) -> usize {
        self.needles.bytes()
    }

    /// A text of ours in which somebody else had a say, without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.apply(text.as_bytes(), false, usize::MAX)).into_owned()
    }

    /// The first bytes of the text without secrets, at least `bytes_max` of them if there are so many. If the text
    /// `is_cut`, what may be the beginning of a secret at its end is blotted out, too.
    pub(crate) fn apply<'t>(&self, text: &'t [u8], is_cut: bool, bytes_max: usize) -> Cow<'t, [u8]> {
        let forms = self.needles.forms(text, is_cut);
        if forms.is_empty() {
            return Cow::Borrowed(&text[..text.len().min(bytes_max)]);
        }
        let Findings { hidden, .. } = search(&forms, text, is_cut);
        let mut masked = Vec::with_capacity(text.len().min(bytes_max));
        let mut is_blotted = false;
        for (byte, is_hidden) in text.iter().zip(hidden) {
            match (is_hidden, is_blotted) {
                (false, _) => masked.push(*byte),
                (true, false) => masked.extend_from_slice(BLOT),
                (true, true) => {}
            }
            is_blotted = is_hidden;
            if masked.len() >= bytes_max {
                break;
            }
        }
        Cow::Owned(masked)
    }
}

/// Looks for secrets in all their forms. The automaton of one pass is bounded, and so is its memory: more forms than fit into
/// one take further passes.
fn search(forms: &[Form<'_>], text: &[u8], is_cut: bool) -> Findings {
    let mut findings = Findings::none(text);
    let mut rest = forms;
    while !rest.is_empty() {
        let mut bytes = 0;
        let mut fits = |form: &Form<'_>| {
            bytes += form.bytes.len();
            bytes <= limits::MASK_PASS_BYTES_MAX
        };
        let count = rest.iter().take_while(|form| fits(form)).count().max(1);
        let (pass, later) = rest.split_at(count);
        let needles = pass.iter().map(|form| Needle { bytes: &form.bytes, is_whole: form.is_whole });
        findings.add(text, is_cut, &Automaton::new(needles));
        rest = later;
    }
    findings
}

#[cfg(test)]
mod tests;
