//! What goes wrong with the store, said once and counted.

use std::sync::Arc;

use punctual_metrics::{Metrics, STORE_TASKS};
use punctual_store::{Error, WorkId};

/// What the store is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreTask {
    ReadDue,
    ReadWork,
    ReadDefinitions,
    SetWatermark,
    Write,
    Maintain,
    Alert,
    KeepLease,
}

impl StoreTask {
    const ALL: [Self; 8] = [
        Self::ReadDue,
        Self::ReadWork,
        Self::ReadDefinitions,
        Self::SetWatermark,
        Self::Write,
        Self::Maintain,
        Self::Alert,
        Self::KeepLease,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::ReadDue => "read what is due",
            Self::ReadWork => "read rows of work",
            Self::ReadDefinitions => "read definitions",
            Self::SetWatermark => "set the watermark",
            Self::Write => "write what came of attempts",
            Self::Maintain => "do its maintenance",
            Self::Alert => "look after alerts",
            Self::KeepLease => "keep the lease of this node",
        }
    }
}

/// Failures of the store by task. A failure is logged when it begins, and when it is over with how long it lasted; what
/// comes in between is counted.
#[derive(Debug, Default)]
pub(crate) struct Troubles {
    failing: [Option<Failing>; StoreTask::ALL.len()],
    counts: TroubleCounts,
    metrics: Arc<Metrics>,
}

/// The metrics have a name for every task, in the same order.
const _: () = assert!(STORE_TASKS.len() == StoreTask::ALL.len());

#[derive(Clone, Copy, Debug)]
struct Failing {
    /// The reading of the steady clock when it began.
    since: i64,
    failures: u64,
}

/// How often something went wrong since the start of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TroubleCounts {
    /// Calls of the store that failed.
    pub store_errors: u64,
    /// Rows that cannot be read or written, and were set aside.
    pub rows_set_aside: u64,
    /// Steps of a row that nobody thought of.
    pub impossible_steps: u64,
}

impl Troubles {
    /// Troubles that are counted there.
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, ..Self::default() }
    }

    pub(crate) fn counts(&self) -> TroubleCounts {
        self.counts
    }

    /// Takes note that the store could do something, or could not for this reason.
    pub(crate) fn record(&mut self, task: StoreTask, error: Option<&Error>, steady: i64) {
        if error.is_some() {
            self.counts.store_errors += 1;
            self.metrics.engine.store_errors[task as usize].increment();
        }
        let failing = &mut self.failing[task as usize];
        match (error, failing.as_mut()) {
            (None, None) => {}
            (Some(error), None) => {
                *failing = Some(Failing { since: steady, failures: 1 });
                tracing::error!(task = task.name(), "the store cannot {}: {error}; it is tried again", task.name());
            }
            (Some(_), Some(failing)) => failing.failures += 1,
            (None, Some(Failing { since, failures })) => {
                let seconds = (steady - *since) / punctual_model::time::TICKS_PER_SECOND;
                tracing::warn!(
                    task = task.name(),
                    failures,
                    seconds,
                    "the store can {} again, after {seconds} s and {failures} failures",
                    task.name()
                );
                *failing = None;
            }
        }
    }

    /// Takes note of a row that cannot be read or written.
    pub(crate) fn record_set_aside(&mut self, id: WorkId, reason: &str) {
        self.counts.rows_set_aside += 1;
        tracing::error!(
            row = id.0,
            "row {} of work is set aside and does not run: {reason}; it is tried again when its job is written",
            id.0
        );
    }

    /// Takes note of a step that nobody thought of. A debug build stops here; otherwise the row is read and goes on.
    pub(crate) fn record_impossible(&mut self, id: WorkId, what: &str) {
        self.counts.impossible_steps += 1;
        self.metrics.engine.impossible_steps.increment();
        tracing::error!(row = id.0, "an impossible step of row {}: {what}; the row is read again", id.0);
        debug_assert!(false, "an impossible step of row {}: {what}", id.0);
    }
}
