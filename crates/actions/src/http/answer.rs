//! What became of an answer: success or not, and what the history keeps of it.

use std::borrow::Cow;
use std::fmt::Write as _;

use punctual_model::failure::{Failure, FailureClass};
use punctual_model::limits::EXCERPT_CHARS_MAX;
use punctual_model::options::Success;

use super::body::Body;
use super::head::Head;
use super::mask::Mask;
use super::{retry_after, status};
use crate::executor::{HostTrouble, Outcome};
use crate::limits;

/// An answer, as far as it was read.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) head: Head,
    pub(crate) body: Body,
    pub(crate) ending: Ending,
}

/// Why no more of a body was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The body is complete.
    Complete,
    /// More of it is not needed.
    Enough,
    /// The time of the attempt was up.
    TimedOut,
    /// The connection ended first.
    CutShort {
        got_bytes: u64,
        /// What its length should have been, where that was said.
        of_bytes: Option<u64>,
    },
}

/// These are between the target and its caller, and never kept.
const PRIVATE_HEADERS: [&str; 7] = [
    "authentication-info",
    "authorization",
    "proxy-authenticate",
    "proxy-authorization",
    "set-cookie",
    "set-cookie2",
    "www-authenticate",
];

impl Answer {
    /// How much there is to search for secrets.
    pub(crate) fn bytes(&self) -> usize {
        let headers: usize = self.head.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        headers + self.body.kept.len()
    }

    /// Judges the answer of a host. The remark is for who reads why it is no success.
    pub(crate) fn outcome(
        &self,
        host: &str,
        rule: Option<&Success>,
        mask: &Mask<'_>,
        remark: Option<String>,
    ) -> Outcome {
        let problem = self.problem(rule, mask);
        let is_success = problem.is_none() && Success::accepts(rule, self.head.status);
        let problem = problem.or_else(|| remark.filter(|_| !is_success).map(Cow::Owned));
        let is_slow = self.ending == Ending::TimedOut;
        let problem = problem.or_else(|| is_slow.then_some(" (the body did not end in time)".into()));
        let message = self.message("Http", host, problem.as_deref().unwrap_or_default(), mask);
        if is_success {
            return Outcome::succeeded(message);
        }
        let failure = self.failure(host, rule, problem.as_deref().unwrap_or_default());
        let retry_after_ticks = retry_after::ticks(&self.head);
        let asks_to_wait = retry_after_ticks.is_some() || self.head.status == 429;
        let trouble = if asks_to_wait { HostTrouble::AskedToWait } else { HostTrouble::None };
        Outcome::refused(message, failure, retry_after_ticks, trouble)
    }

    /// Why the answer is no success.
    fn failure(&self, host: &str, rule: Option<&Success>, problem: &str) -> Failure {
        let status = self.head.status;
        if Success::accepts(rule, status) {
            let class = match self.ending {
                Ending::CutShort { .. } => FailureClass::Protocol,
                _ => FailureClass::SuccessRule,
            };
            return Failure::answered(class, host, status, problem);
        }
        match rule.map(|rule| rule.status.as_slice()) {
            None | Some([]) => Failure::answered(FailureClass::Status, host, status, problem),
            Some(ranges) => {
                let wanted: Vec<String> = ranges.iter().map(ToString::to_string).collect();
                let detail = format!(", and success is {} here.", wanted.join(", "));
                Failure::answered(FailureClass::SuccessRule, host, status, &detail)
            }
        }
    }

    /// What is wrong with an answer whose status is right, and what a reader should know about its body.
    fn problem(&self, rule: Option<&Success>, mask: &Mask<'_>) -> Option<Cow<'static, str>> {
        if !Success::accepts(rule, self.head.status) {
            return None;
        }
        match (self.ending, &self.body) {
            (Ending::CutShort { got_bytes, of_bytes: Some(of_bytes) }, _) => {
                Some(format!(", but the body broke off after {got_bytes} of {of_bytes} bytes.").into())
            }
            (Ending::CutShort { got_bytes, .. }, _) => {
                Some(format!(", but the body broke off after {got_bytes} bytes.").into())
            }
            (_, Body { is_found: true, .. }) => None,
            (_, Body { unreadable: Some(coding), .. }) => {
                let coding = mask.text(coding);
                Some(format!(", but the body is encoded as {coding} and cannot be searched.").into())
            }
            (Ending::Enough, _) => Some(
                format!(
                    ", but the body is too large: its first {} bytes do not contain the text that is success.",
                    limits::ANSWER_SEARCHED_BYTES_MAX
                )
                .into(),
            ),
            (Ending::Complete | Ending::TimedOut, _) => {
                Some(", but the body does not contain the text that is success.".into())
            }
        }
    }

    /// In the format of the original, for an action of this kind.
    pub(crate) fn message(&self, kind: &str, host: &str, problem: &str, mask: &Mask<'_>) -> String {
        let mut message = String::with_capacity(512);
        let name = status::name(self.head.status);
        for part in [kind, " Action - Response from host '", host, "': '", &name, "'", problem, " Response Headers: "] {
            message.push_str(part);
        }
        push_excerpt(&mut message, self.headers().as_bytes(), mask, false, limits::EXCERPT_HEADERS_CHARS_MAX);
        message.push_str(" Body: ");
        match &self.body.unreadable {
            Some(coding) if self.body.kept.is_empty() => {
                let _ = write!(message, "(encoded as {})", mask.text(coding));
            }
            _ => {
                let Body { kept, is_cut, .. } = &self.body;
                push_excerpt(&mut message, kept, mask, *is_cut, EXCERPT_CHARS_MAX);
            }
        }
        message
    }

    /// The headers, one a line. A name that comes again is joined to its first.
    fn headers(&self) -> String {
        let mut lines = String::with_capacity(256);
        for (at, (name, _)) in self.head.headers.iter().enumerate() {
            let is_private = PRIVATE_HEADERS.iter().any(|private| name.eq_ignore_ascii_case(private));
            let is_joined = self.head.headers[..at].iter().any(|(earlier, _)| earlier.eq_ignore_ascii_case(name));
            if is_private || is_joined {
                continue;
            }
            lines.push_str(name);
            lines.push_str(": ");
            for (at, value) in self.head.all(name).enumerate() {
                lines.push_str(if at == 0 { "" } else { ", " });
                lines.push_str(value);
            }
            lines.push_str("\r\n");
        }
        lines
    }
}

/// Appends the first characters of a text, without secrets: they are looked for before it is cut.
fn push_excerpt(message: &mut String, text: &[u8], mask: &Mask<'_>, is_cut: bool, chars_max: usize) {
    // A character has at most four bytes; one more, so that none is cut in two before the end.
    let beginning = mask.apply(text, is_cut, 4 * (chars_max + 1));
    let text = String::from_utf8_lossy(&beginning);
    // Text of so few bytes has no more characters.
    let end = if text.len() <= chars_max { None } else { text.char_indices().nth(chars_max) };
    message.push_str(end.map_or(&text, |(end, _)| &text[..end]));
}
