//! How many runs came to which outcome, minute by minute.

use crate::health::{self, RecentOutcome};
use crate::history::{Record, Status};
use crate::limits;
use crate::time::{TICKS_PER_MINUTE, Timestamp};

/// A minute, by its number since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minute(pub i64);

impl Minute {
    /// The minute in which an instant lies.
    pub const fn of(at: Timestamp) -> Self {
        Self(at.ticks().div_euclid(TICKS_PER_MINUTE))
    }

    /// The instant at which the minute begins, held at the first or last one that can be written.
    pub const fn begins(self) -> Timestamp {
        Timestamp::EPOCH.saturating_add(self.0.saturating_mul(TICKS_PER_MINUTE))
    }
}

/// Counts by outcome. Each attempt counts once: one that failed is either tried again or given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Attempts that succeeded.
    pub succeeded: u64,
    /// Attempts that failed and are followed by a retry.
    pub failed: u64,
    /// Nominal times that were not run.
    pub not_run: u64,
    /// Attempts that failed and are not followed by a retry.
    pub given_up: u64,
}

impl Tally {
    /// What one record adds. Error actions, tests and backfills add nothing, as they say nothing about the health of a job.
    pub fn of(record: &Record) -> Option<Self> {
        let none = Self::default();
        Some(match (health::outcome(record)?, record.status) {
            (RecentOutcome::Succeeded, _) => Self { succeeded: 1, ..none },
            (RecentOutcome::Failed, _) if record.retry_at.is_some() => Self { failed: 1, ..none },
            (RecentOutcome::Failed, _) => Self { given_up: 1, ..none },
            (RecentOutcome::NotRun, Status::Postponed(range)) => {
                Self { not_run: range.number.min(limits::NOT_RUN_COUNTED_MAX), ..none }
            }
            (RecentOutcome::NotRun, _) => return None,
        })
    }

    /// The sum of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            succeeded: self.succeeded.saturating_add(other.succeeded),
            failed: self.failed.saturating_add(other.failed),
            not_run: self.not_run.saturating_add(other.not_run),
            given_up: self.given_up.saturating_add(other.given_up),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{NotRun, Reason};
    use crate::job::Uid;
    use crate::occurrence::{Origin, Phase};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds).unwrap_or(Timestamp::EPOCH)
    }

    fn record(status: Status, retry_at: Option<Timestamp>) -> Record {
        let range = NotRun::one(at(0), Reason::Missed);
        Record { status, retry_at, ..Record::of_not_run(Uid::from_bytes([1; 16]), range, at(0)) }
    }

    #[test]
    fn every_record_of_the_action_counts_once() {
        let range = NotRun { first: at(0), last: at(60), number: 7, reason: Reason::Overlap };
        let records = [
            record(Status::Completed(at(0)), None),
            record(Status::Failed(at(0)), Some(at(30))),
            record(Status::Failed(at(0)), Some(at(60))),
            record(Status::Failed(at(0)), None),
            record(Status::Postponed(range), None),
        ];
        let counted = records.iter().filter_map(Tally::of).fold(Tally::default(), Tally::plus);
        assert_eq!(counted, Tally { succeeded: 1, failed: 2, not_run: 7, given_up: 1 });
    }

    #[test]
    fn error_actions_and_tests_do_not_count() {
        let failed = record(Status::Failed(at(0)), None);
        assert_eq!(Tally::of(&Record { phase: Phase::Error, ..failed.clone() }), None);
        assert_eq!(Tally::of(&Record { origin: Origin::Test, ..failed }), None);
    }

    #[test]
    fn a_minute_holds_60_seconds_before_1970_too() {
        let minutes = [-61, -60, -1, 0, 59, 60].map(|seconds| Minute::of(at(seconds)).0);
        assert_eq!(minutes, [-2, -1, -1, 0, 0, 1]);
        assert_eq!(Minute(2).begins(), at(120));
        assert_eq!((Minute(i64::MIN).begins(), Minute(i64::MAX).begins()), (Timestamp::MIN, Timestamp::MAX));
    }
}
