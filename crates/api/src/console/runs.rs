//! Records put together: one run is one nominal time with all of its attempts, or a range of times that were not run.

use punctual_model::history::{NotRun, Status};
use punctual_model::occurrence::{Origin, Original, Phase};
use punctual_model::time::Timestamp;
use punctual_store::HistoryItem;

use super::glyph::Glyph;

/// A nominal time of a job, and what came of it.
#[expect(clippy::struct_field_names, reason = "what was not run is called so everywhere")]
pub(super) struct Run {
    /// The nominal time; of a range that was not run, the last one.
    pub(super) nominal: Timestamp,
    /// Who asked for it.
    pub(super) origin: Origin,
    /// Its attempts, the first one first; none if it was not run.
    pub(super) attempts: Vec<HistoryItem>,
    /// The times that were not run.
    pub(super) not_run: Option<NotRun>,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunOutcome {
    Ran,
    /// Ran after a retry.
    RanLater,
    Failed,
    Waiting(Timestamp),
    NotRun,
}

impl RunOutcome {
    pub(super) const fn glyph(self) -> Glyph {
        match self {
            Self::Ran => Glyph::Ran,
            Self::RanLater => Glyph::RanLater,
            Self::Failed => Glyph::Failed,
            Self::Waiting(_) => Glyph::Waiting,
            Self::NotRun => Glyph::NotRun,
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::RanLater => "ran after a retry",
            Self::Failed => "failed",
            Self::Waiting(_) => "waits for a retry",
            Self::NotRun => "not run",
        }
    }
}

impl Run {
    /// The attempts of the main action.
    pub(super) fn main(&self) -> impl DoubleEndedIterator<Item = &HistoryItem> {
        self.attempts.iter().filter(|item| item.entry.record.phase == Phase::Main)
    }

    /// The attempt that decided.
    pub(super) fn last(&self) -> Option<&HistoryItem> {
        self.main().rfind(|item| !item.entry.is_duplicate).or_else(|| self.main().next_back())
    }

    pub(super) fn outcome(&self) -> RunOutcome {
        let Some(last) = self.last() else { return RunOutcome::NotRun };
        match (&last.entry.record.status, last.entry.record.retry_at) {
            (Status::Completed(_), _) if self.main().count() > 1 => RunOutcome::RanLater,
            (Status::Completed(_), _) => RunOutcome::Ran,
            (_, Some(at)) => RunOutcome::Waiting(at),
            _ => RunOutcome::Failed,
        }
    }

    /// How late the first attempt started.
    pub(super) fn late_ticks(&self) -> i64 {
        let first = self.main().next().map(|item| item.entry.record.started);
        first.map_or(0, |started| started.since(self.nominal).max(0))
    }

    /// From the start of the first attempt to the end of the last one.
    pub(super) fn took_ticks(&self) -> i64 {
        let (first, last) = (self.main().next(), self.main().next_back());
        match (first, last) {
            (Some(first), Some(last)) => last.entry.record.ended.since(first.entry.record.started).max(0),
            _ => 0,
        }
    }

    /// How many attempts of the main action failed.
    pub(super) fn failures(&self) -> usize {
        self.main().filter(|item| matches!(item.entry.record.status, Status::Failed(_))).count()
    }
}

/// Puts records together, which come newest first. The runs come newest first, too.
pub(super) fn group(items: Vec<HistoryItem>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for item in items {
        let record = &item.entry.record;
        let (Status::Completed(nominal) | Status::Failed(nominal)) = record.status else {
            if let Status::Postponed(range) = record.status {
                let (nominal, origin) = (range.last, record.origin);
                runs.push(Run { nominal, origin, attempts: Vec::new(), not_run: Some(range) });
            }
            continue;
        };
        let original = original(record.origin);
        let known = runs
            .iter_mut()
            .find(|run| run.not_run.is_none() && run.nominal == nominal && self::original(run.origin) == original);
        match known {
            Some(run) => run.attempts.push(item),
            None => runs.push(Run { nominal, origin: record.origin, attempts: vec![item], not_run: None }),
        }
    }
    for run in &mut runs {
        run.attempts.reverse();
    }
    runs
}

/// What a run repeats, if it does: a rerun stands with what it repeats.
const fn original(origin: Origin) -> Option<Original> {
    origin.original()
}
