//! Puts back what a masked answer has hidden: whoever sends such an answer back has none of the hidden values to send.
//!
//! A mask stands for a stored value that goes to the same server, as in `complete.rs`, which does the same for credentials.

use super::{Action, HttpAction, MASK, Secret, ServiceBusAction, StorageQueueAction, Target, check_headers};
use crate::Violation;

impl Action<Option<Secret>> {
    /// Replaces each mask outside of credentials by the stored value that it stands for. A mask that stands for none is a
    /// violation.
    pub(super) fn unmask(&mut self, stored: Option<&Action>) -> Vec<Violation> {
        let mut violations = self.target.unmask(stored.map(|action| &action.target), "action");
        if let Some(error) = &mut self.error {
            let stored = stored.and_then(|action| action.error.as_ref());
            violations.extend(error.target.unmask(stored.map(|error| &error.target), "action.errorAction"));
        }
        violations
    }
}

impl Target<Option<Secret>> {
    fn unmask(&mut self, stored: Option<&Target>, path: &str) -> Vec<Violation> {
        let (member, violations) = match (self, stored) {
            (Self::Http(http), Some(Target::Http(stored))) => ("request", http.unmask(Some(stored))),
            (Self::Http(http), _) => ("request", http.unmask(None)),
            (Self::StorageQueue(queue), Some(Target::StorageQueue(stored))) => {
                ("queueMessage", queue.unmask(Some(stored)))
            }
            (Self::StorageQueue(queue), _) => ("queueMessage", queue.unmask(None)),
            (Self::ServiceBus(bus), Some(Target::ServiceBus(stored))) => (bus.member(), bus.unmask(Some(stored))),
            (Self::ServiceBus(bus), _) => (bus.member(), bus.unmask(None)),
            (Self::Email(_), _) => return Vec::new(),
        };
        violations.into_iter().map(|violation| violation.under(member).under(path)).collect()
    }
}

impl HttpAction<Option<Secret>> {
    fn unmask(&mut self, stored: Option<&HttpAction>) -> Vec<Violation> {
        const KNOWN_BY: &str = "scheme, host and port";
        let stored = stored.filter(|stored| stored.uri.origin() == self.uri.origin());
        let mut violations = Vec::new();
        if self.uri.is_masked() {
            match stored.and_then(|stored| self.uri.unmask(&stored.uri)) {
                Some(uri) => self.uri = uri,
                None => violations.push(Violation::sentence(
                    "uri",
                    "masked (***), and no stored address of this scheme, host and port looks like it: send the whole address",
                )),
            }
        }
        let known = stored.map(|stored| stored.headers.as_slice()).unwrap_or_default();
        violations.extend(unmask_pairs(&mut self.headers, known, "headers", KNOWN_BY));
        let half_masked = self.headers.iter().filter(|(name, value)| is_credential(name) && has_masked_part(value));
        violations.extend(half_masked.map(|(name, _)| {
            let text =
                format!("a part of the value is masked ({MASK}): send the whole value, or only {MASK} to keep it");
            Violation::sentence(format!("headers.{name}"), text)
        }));
        // Short masks may stand for long values.
        violations.extend(check_headers(&self.headers).err().map(|violation| violation.under("headers")));
        if let Some(body) = &mut self.body {
            let known = stored.and_then(|stored| stored.body.as_ref());
            violations.extend(unmask_text(body, known, "body", KNOWN_BY));
        }
        violations
    }
}

impl StorageQueueAction<Option<Secret>> {
    fn unmask(&mut self, stored: Option<&StorageQueueAction>) -> Vec<Violation> {
        let stored = stored.filter(|stored| self.has_same_queue(stored));
        let known = stored.map(|stored| &stored.message);
        Vec::from_iter(unmask_text(&mut self.message, known, "message", "storageAccount and queueName"))
    }
}

impl ServiceBusAction<Option<Secret>> {
    fn unmask(&mut self, stored: Option<&ServiceBusAction>) -> Vec<Violation> {
        let stored = stored.filter(|stored| stored.namespace.eq_ignore_ascii_case(&self.namespace));
        let known = stored.map(|stored| stored.custom.as_slice()).unwrap_or_default();
        let mut violations = unmask_pairs(&mut self.custom, known, "customMessageProperties", "namespace");
        violations.extend(unmask_text(&mut self.message, stored.map(|it| &it.message), "message", "namespace"));
        violations
    }
}

/// Unmasks values by their names, which are compared without case, as those of headers are.
fn unmask_pairs(
    pairs: &mut [(String, String)],
    stored: &[(String, String)],
    member: &str,
    known_by: &str,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, value) in pairs {
        let known = stored.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        violations.extend(unmask_text(value, known, &format!("{member}.{name}"), known_by));
    }
    violations
}

fn unmask_text(text: &mut String, stored: Option<&String>, member: &str, known_by: &str) -> Option<Violation> {
    if text != MASK {
        return None;
    }
    let Some(stored) = stored else {
        let sentence = format!("masked ({MASK}), and nothing is stored here for this {known_by}: send the value");
        return Some(Violation::sentence(member, sentence));
    };
    text.clone_from(stored);
    None
}

/// Whether a header holds a credential and something beside it.
fn is_credential(header: &str) -> bool {
    ["authorization", "cookie"].iter().any(|name| header.eq_ignore_ascii_case(name))
}

fn has_masked_part(value: &str) -> bool {
    value != MASK && value.split([' ', '\t', ';', ',', '=', ':', '"']).any(|part| part == MASK)
}
