//! The job that delivers a message.

use sha2::{Digest, Sha256};

use super::AlertScope;
use crate::action::Action;
use crate::job::{Definition, Job, Uid};
use crate::options::Options;
use crate::retry::{RetryKind, RetryPolicy};
use crate::revise::{self, EditContext, Refusal};
use crate::time::{Span, Timestamp};

/// What stands in the record of an e-mail before the readers whom the mail server refused.
pub const NOT_ALL_TOLD: &str = "Not everybody is told: ";

/// Retries of a message where the alert names none: with intervals that double from half a minute, they go on for four hours.
const RETRIES: i64 = 9;

/// The job that delivers a message of an alert with that scope: it runs once, now. The scope decides which keys of the operator
/// the job may use.
pub fn delivery_job(action: Action, scope: &AlertScope, uid: Uid, now: Timestamp) -> Result<Job, Refusal> {
    let retry = action.retry.clone().or_else(|| {
        RetryPolicy::new(Some(RetryKind::Exponential), Some(Span::from_seconds(30)), None, Some(RETRIES)).ok()
    });
    let action = Action { retry, ..action };
    let definition = Definition {
        start: None,
        action,
        recurrence: None,
        options: Options::default().with_key_scope(scope.scope.clone()),
    };
    revise::create_now(definition, &EditContext::of_new(uid, now)).map(|revision| revision.job)
}

/// What receivers know an incident by that has that number, of an alert with that random number.
pub fn incident_key(alert: Uid, number: i64) -> String {
    format!("{alert:?}-{number}")
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
