//! How a failed attempt is tried again.

use crate::collection::Sku;
use crate::time::Span;
use crate::{Violation, limits};

/// A retry policy as the user wrote it. A member that was not written has a default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    kind: RetryKind,
    interval: Option<Span>,
    interval_max: Option<Span>,
    count: Option<u32>,
}

/// Whether there are retries, and how the time between them grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryKind {
    /// No retries.
    None,
    /// The same interval before each retry.
    Fixed,
    /// An interval that doubles with each retry, up to a longest one.
    Exponential,
}

impl RetryKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::None, Self::Fixed, Self::Exponential];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Fixed => "Fixed",
            Self::Exponential => "Exponential",
        }
    }
}

impl RetryPolicy {
    /// The policy, or everything that is wrong with it. Paths are relative to it.
    pub fn new(
        kind: Option<RetryKind>,
        interval: Option<Span>,
        interval_max: Option<Span>,
        count: Option<i64>,
    ) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        let range = limits::RETRY_INTERVAL_TICKS_MIN..=limits::RETRY_INTERVAL_TICKS_MAX;
        for (member, span) in [("retryInterval", &interval), ("retryIntervalMax", &interval_max)] {
            if let Some(span) = span.as_ref().filter(|span| !range.contains(&span.ticks())) {
                violations.push(Violation::new(member, span, "15 seconds to 18 months (548 days)"));
            }
        }
        let kind = kind.unwrap_or(RetryKind::Fixed);
        if interval_max.is_some() && kind != RetryKind::Exponential {
            let text = "only retryType Exponential has a longest interval: leave it out, or change the type";
            violations.push(Violation::sentence("retryIntervalMax", text));
        }
        let right_count = count.map(|count| u32::try_from(count).ok().filter(|n| *n <= limits::RETRY_COUNT_MAX));
        if let (Some(given), Some(None)) = (count, right_count) {
            violations.push(Violation::new("retryCount", given, format!("0 to {}", limits::RETRY_COUNT_MAX)));
        }
        if violations.is_empty() {
            Ok(Self { kind, interval, interval_max, count: right_count.flatten() })
        } else {
            Err(violations)
        }
    }

    /// Whether there are retries, and how the time between them grows.
    pub fn kind(&self) -> RetryKind {
        self.kind
    }

    /// The interval the user wrote.
    pub fn interval(&self) -> Option<&Span> {
        self.interval.as_ref()
    }

    /// The longest interval the user wrote.
    pub fn interval_max(&self) -> Option<&Span> {
        self.interval_max.as_ref()
    }

    /// The number of retries the user wrote.
    pub fn count(&self) -> Option<u32> {
        self.count
    }
}

/// The time between attempts in ticks where a policy names none, in a collection of this plan or of none.
pub const fn retry_interval_ticks_default(sku: Option<Sku>) -> i64 {
    match sku {
        Some(Sku::Free) => limits::RETRY_INTERVAL_TICKS_FREE,
        _ => limits::RETRY_INTERVAL_TICKS_DEFAULT,
    }
}

/// A retry policy with its defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How many attempts may follow the first.
    pub count: u32,
    interval_ticks: i64,
    /// The longest interval, at which the doubling ends.
    interval_ticks_max: i64,
}

impl Retries {
    /// What a policy, or none, means where the time between attempts is `interval_ticks_default` unless the policy says.
    pub fn new(policy: Option<&RetryPolicy>, interval_ticks_default: i64) -> Self {
        let kind = policy.map_or(RetryKind::Fixed, |policy| policy.kind);
        let interval = policy.and_then(|policy| policy.interval.as_ref()).map_or(interval_ticks_default, Span::ticks);
        let interval_max = policy.and_then(|policy| policy.interval_max.as_ref()).map_or(
            // Without a bound, twenty doublings of a day would outlive everyone.
            limits::RETRY_INTERVAL_TICKS_MAX,
            Span::ticks,
        );
        Self {
            count: match kind {
                RetryKind::None => 0,
                _ => policy.and_then(|policy| policy.count).unwrap_or(limits::RETRY_COUNT_DEFAULT),
            },
            interval_ticks: interval,
            interval_ticks_max: if kind == RetryKind::Exponential { interval_max.max(interval) } else { interval },
        }
    }

    /// How long after the attempt numbered `attempt` (0 is the first) the next one comes, in ticks.
    pub fn delay_ticks(&self, attempt: u32) -> i64 {
        let doubled = self.interval_ticks.checked_mul(1_i64.checked_shl(attempt.min(62)).unwrap_or(i64::MAX));
        doubled.unwrap_or(i64::MAX).min(self.interval_ticks_max)
    }

    /// How long after the first attempt the last one comes, if each fails at once.
    pub fn delays_ticks(&self) -> i64 {
        (0..self.count).map(|attempt| self.delay_ticks(attempt)).sum()
    }
}
