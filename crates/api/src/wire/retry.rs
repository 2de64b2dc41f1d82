//! `retryPolicy`.

use punctual_model::Violation;
use punctual_model::retry::{RetryKind, RetryPolicy};

use super::object::Object;

pub(super) fn read(mut policy: Object<'_>) -> Option<RetryPolicy> {
    // A type that cannot be read was reported; Exponential is the one with which every other member is right.
    let unread = policy.has("retryType").then_some(RetryKind::Exponential);
    let kind = policy.choice("retryType", &RetryKind::ALL.map(|kind| (kind.name(), kind))).or(unread);
    let interval = policy.span("retryInterval");
    let interval_max = policy.span("retryIntervalMax");
    let count = policy.integer("retryCount");
    let built = RetryPolicy::new(kind, interval, interval_max, count);
    let built = built.map_err(|violations| policy.adopt(None, violations)).ok();
    for (short, name) in [("interval", "retryInterval"), ("count", "retryCount")] {
        if policy.value(short).is_some() {
            policy.report(Violation::sentence(policy.path_of(short), format!("did you mean {name}?")));
        }
    }
    policy.ignore_rest();
    built
}
