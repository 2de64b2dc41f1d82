//! The job that delivers a message.

use sha2::{Digest, Sha256};

use crate::action::Action;
use crate::job::{Definition, Job, Uid};
use crate::options::Options;
use crate::retry::{RetryKind, RetryPolicy};
use crate::revise::{self, EditContext, Refusal};
use crate::time::{Span, Timestamp};

/// Retries of a message where the alert names none: with intervals that double from half a minute, they go on for four hours.
const RETRIES: i64 = 9;

/// The job that delivers a message: it runs once, now.
pub fn delivery_job(action: Action, uid: Uid, now: Timestamp) -> Result<Job, Refusal> {
    let retry = action.retry.clone().or_else(|| {
        RetryPolicy::new(Some(RetryKind::Exponential), Some(Span::from_seconds(30)), None, Some(RETRIES)).ok()
    });
    let action = Action { retry, ..action };
    let definition = Definition { start: None, action, recurrence: None, options: Options::default() };
    revise::create_now(definition, &EditContext::of_new(uid, now)).map(|revision| revision.job)
}

/// The number of a message, derived from its alert and what it tells: a message that is written again is the same one.
pub fn delivery_uid(alert: Uid, incident: &str, at: Timestamp) -> Uid {
    let mut hash = Sha256::new();
    hash.update(alert.bytes());
    hash.update(incident.as_bytes());
    hash.update(at.ticks().to_be_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    Uid::from_bytes(bytes)
}
