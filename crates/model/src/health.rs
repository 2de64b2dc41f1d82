//! How the last attempts of a job ended.

use crate::history::{Record, Status};
use crate::occurrence::{Origin, Original, Phase};
use crate::time::Timestamp;

/// How the last attempts of a job's action ended, whoever asked for them; tests and backfills do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// How many attempts have failed since one succeeded.
    pub failures_in_a_row: u32,
    /// When the last attempt started that succeeded.
    pub last_success: Option<Timestamp>,
    /// The last outcomes.
    pub recent: RecentOutcomes,
}

impl Health {
    /// How the job stands after what was recorded, in that order.
    #[must_use]
    pub fn after(self, change: HealthChange) -> Self {
        let HealthChange { last_attempt, pushed, number } = change;
        let recent = RecentOutcomes(self.recent.0.checked_shl(BITS * number).unwrap_or(0) | pushed.0);
        match last_attempt {
            None => Self { recent, ..self },
            Some((started, true)) => {
                Self { failures_in_a_row: 0, last_success: self.last_success.max(Some(started)), recent }
            }
            Some((_, false)) => Self { failures_in_a_row: self.failures_in_a_row.saturating_add(1), recent, ..self },
        }
    }
}

/// Two bits for each outcome.
const BITS: u32 = 2;

/// The last 32 outcomes of a job: two bits each, those of the latest one lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecentOutcomes(pub u64);

/// What came of an attempt, or of times that were not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum RecentOutcome {
    Succeeded = 1,
    Failed = 2,
    NotRun = 3,
}

impl RecentOutcome {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::NotRun => "notRun",
        }
    }
}

impl RecentOutcomes {
    /// The outcomes, the latest first.
    pub fn latest_first(self) -> impl Iterator<Item = RecentOutcome> {
        let cells = (0..u64::BITS / BITS).map(move |at| (self.0 >> (BITS * at)) & 0b11);
        cells.map_while(|bits| match bits {
            1 => Some(RecentOutcome::Succeeded),
            2 => Some(RecentOutcome::Failed),
            3 => Some(RecentOutcome::NotRun),
            _ => None,
        })
    }

    const fn push(self, outcome: RecentOutcome) -> Self {
        Self((self.0 << BITS) | outcome as u64)
    }
}

/// What records add to how a job stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HealthChange {
    /// When the last attempt among them started, and whether it succeeded.
    pub last_attempt: Option<(Timestamp, bool)>,
    /// Their outcomes.
    pub pushed: RecentOutcomes,
    /// How many outcomes that are.
    pub number: u32,
}

impl HealthChange {
    /// What these records of one job, one attempt at most among them, add.
    pub fn of<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        records.filter_map(|record| Some((record, outcome(record)?))).fold(
            Self::default(),
            |change, (record, outcome)| {
                let attempt = match outcome {
                    RecentOutcome::Succeeded => Some((record.started, true)),
                    RecentOutcome::Failed => Some((record.started, false)),
                    RecentOutcome::NotRun => None,
                };
                Self {
                    last_attempt: attempt.or(change.last_attempt),
                    pushed: change.pushed.push(outcome),
                    number: change.number + 1,
                }
            },
        )
    }

    /// By how many bits the outcomes before are moved.
    pub const fn shift(&self) -> u32 {
        BITS * self.number
    }
}

/// What a record says about the health of its job; nothing if it is of an error action, a test or a backfill.
pub fn outcome(record: &Record) -> Option<RecentOutcome> {
    let is_counted = match record.origin {
        Origin::Schedule | Origin::Manual(_) => true,
        Origin::Rerun(original) => original != Original::Backfill,
        Origin::Backfill | Origin::Test => false,
    };
    let outcome = match record.status {
        Status::Completed(_) => RecentOutcome::Succeeded,
        Status::Failed(_) => RecentOutcome::Failed,
        Status::Postponed(_) => RecentOutcome::NotRun,
    };
    Some(outcome).filter(|_| is_counted && record.phase == Phase::Main)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{NotRun, Reason};
    use crate::job::Uid;
    use crate::occurrence::Occurrence;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds).unwrap_or(Timestamp::EPOCH)
    }

    fn record(origin: Origin, phase: Phase, status: Status, started: i64) -> Record {
        let of_not_run = Record::of_not_run(Uid::from_bytes([1; 16]), NotRun::one(at(0), Reason::Missed), at(started));
        let occurrence = Occurrence::asked_for(origin, at(0), at(0)).id(Uid::from_bytes([1; 16]));
        Record { occurrence, origin, phase, status, ..of_not_run }
    }

    fn lived(records: &[Record]) -> Health {
        records.iter().fold(Health::default(), |health, record| health.after(HealthChange::of([record].into_iter())))
    }

    fn names(health: Health) -> Vec<&'static str> {
        health.recent.latest_first().map(RecentOutcome::name).collect()
    }

    #[test]
    fn what_fails_is_counted_until_something_succeeds() {
        let attempt = |status, started| record(Origin::Schedule, Phase::Main, status, started);
        let mut records = vec![
            attempt(Status::Completed(at(1)), 1),
            attempt(Status::Failed(at(2)), 2),
            attempt(Status::Postponed(NotRun::one(at(3), Reason::Overlap)), 3),
            attempt(Status::Failed(at(4)), 4),
        ];
        let health = lived(&records);
        assert_eq!((health.failures_in_a_row, health.last_success), (2, Some(at(1))));
        assert_eq!(names(health), ["failed", "notRun", "failed", "succeeded"]);
        records.push(record(Origin::Manual(1), Phase::Main, Status::Completed(at(5)), 5));
        assert_eq!(lived(&records).failures_in_a_row, 0);
        assert_eq!(lived(&records).last_success, Some(at(5)));
    }

    #[test]
    fn error_actions_tests_and_backfills_do_not_count() {
        let failed = Status::Failed(at(1));
        let others = [
            record(Origin::Schedule, Phase::Error, failed, 1),
            record(Origin::Test, Phase::Main, failed, 1),
            record(Origin::Backfill, Phase::Main, failed, 1),
            record(Origin::Rerun(Original::Backfill), Phase::Main, failed, 1),
        ];
        assert_eq!(lived(&others), Health::default());
    }

    #[test]
    fn the_last_32_outcomes_are_known() {
        let failed = record(Origin::Schedule, Phase::Main, Status::Failed(at(1)), 1);
        let succeeded = record(Origin::Schedule, Phase::Main, Status::Completed(at(1)), 1);
        let records: Vec<Record> = std::iter::once(failed).chain(std::iter::repeat_n(succeeded, 32)).collect();
        assert_eq!(names(lived(&records)), vec!["succeeded"; 32]);
    }
}
