//! The storage queue action.

use super::Secret;
use crate::time::{Span, TICKS_PER_SECOND};
use crate::{Expected, Violation, limits};

/// A message for a storage queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageQueueAction<S = Secret> {
    /// The storage account.
    pub account: String,
    /// The queue.
    pub queue: String,
    /// The shared access signature that allows to add messages.
    pub sas_token: S,
    /// The user's message.
    pub message: String,
    /// How the message is wrapped; the original's envelope by default.
    pub format: Option<MessageFormat>,
    /// How long the message lives on the queue.
    pub time_to_live: Option<Span>,
    /// How long it is hidden at first.
    pub visibility_delay: Option<Span>,
}

impl<S> StorageQueueAction<S> {
    /// Whether the message of another action goes to the same queue.
    pub(super) fn has_same_queue<T>(&self, other: &StorageQueueAction<T>) -> bool {
        self.account.eq_ignore_ascii_case(&other.account) && self.queue == other.queue
    }
}

/// What is put on the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFormat {
    /// The XML document of the original, in base64.
    Envelope,
    /// The message as it is.
    Raw,
    /// The message in base64.
    Base64,
}

impl MessageFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Envelope, Self::Raw, Self::Base64];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::Raw => "raw",
            Self::Base64 => "base64",
        }
    }
}

/// Checks the name of a storage account. Capitals are taken, as the original's documents write them: they mean nothing.
pub fn check_account(name: &str) -> Result<(), Expected> {
    let is_right = (3..=24).contains(&name.len()) && name.bytes().all(|c| c.is_ascii_alphanumeric());
    if is_right { Ok(()) } else { Err(Expected::new("a storage account name: 3 to 24 letters and digits")) }
}

/// Checks the name of a queue.
pub fn check_queue(name: &str) -> Result<(), Expected> {
    let is_right = (3..=63).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--");
    if is_right {
        Ok(())
    } else {
        Err(Expected::new("a queue name: 3 to 63 lower-case letters, digits and single hyphens between them"))
    }
}

/// Checks a shared access signature, which becomes the query of an address.
pub fn check_sas_token(token: &str) -> Result<(), Expected> {
    let is_right = (1..=limits::CREDENTIAL_CHARS_MAX).contains(&token.len())
        && token.bytes().all(|c| c.is_ascii_graphic() && c != b'#');
    if is_right {
        Ok(())
    } else {
        Err(Expected::new("a shared access signature: the query of an address such as ?sv=...&sig=..., in ASCII"))
    }
}

/// Checks how long a message lives and how long it is hidden. Paths are relative to `queueMessage`.
pub fn check_queue_times(time_to_live: Option<&Span>, visibility_delay: Option<&Span>) -> Vec<Violation> {
    let mut violations = Vec::new();
    if let Some(span) = time_to_live.filter(|span| span.ticks() < TICKS_PER_SECOND) {
        violations.push(Violation::new("timeToLive", span, "at least 1 second"));
    }
    if let Some(span) = visibility_delay {
        if span.ticks() > limits::VISIBILITY_DELAY_TICKS_MAX {
            violations.push(Violation::new("visibilityDelay", span, "at most 7 days"));
        } else if time_to_live.is_some_and(|life| life.ticks() <= span.ticks()) {
            violations.push(Violation::new("visibilityDelay", span, "less than timeToLive"));
        }
    }
    violations
}
