//! How an attempt went, step by step, for those who trace it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::{Clock, Timestamp};

/// What an attempt that is traced carries with it. Attempts that nobody traces have none.
pub struct CallTrace {
    occurrence: OccurrenceId,
    attempt_id: [u8; 16],
    is_sampled: bool,
    clock: Arc<dyn Clock>,
    noted: Mutex<Noted>,
}

/// What was noted while the attempt was made.
#[derive(Debug, Default)]
struct Noted {
    steps: Vec<ConnectStep>,
    status: Option<u16>,
}

/// What is known of an attempt that was traced, once it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptTrace {
    /// The occurrence, whose id is the id of the trace.
    pub occurrence: OccurrenceId,
    /// The attempt.
    pub attempt_id: [u8; 16],
    /// Whether the target was told that the trace is recorded.
    pub is_sampled: bool,
    /// How connections to the target were made, if any were: a kept connection has no steps.
    pub connecting: Vec<ConnectStep>,
    /// The status code of the last answer.
    pub status: Option<u16>,
}

/// A step of making a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectStep {
    /// Which step.
    pub kind: ConnectStepKind,
    /// When it began.
    pub started: Timestamp,
    /// When it was done; none if it was not.
    pub ended: Option<Timestamp>,
}

/// The steps of making a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectStepKind {
    /// A name is looked up.
    Name,
    /// An address is connected to; with a proxy, its tunnel is made.
    Connect,
    /// TLS is agreed upon.
    Tls,
}

impl CallTrace {
    /// Nothing is known of the attempt yet. `clock` tells when its steps happen.
    pub fn new(occurrence: OccurrenceId, attempt_id: [u8; 16], is_sampled: bool, clock: Arc<dyn Clock>) -> Self {
        Self { occurrence, attempt_id, is_sampled, clock, noted: Mutex::default() }
    }

    /// What is known by now.
    pub fn finish(&self) -> AttemptTrace {
        let Noted { steps, status } = std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner));
        let Self { occurrence, attempt_id, is_sampled, .. } = *self;
        AttemptTrace { occurrence, attempt_id, is_sampled, connecting: steps, status }
    }

    /// Whether the target is told that the trace is recorded.
    pub(crate) fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// Notes the status code of an answer.
    pub(crate) fn note_status(&self, status: u16) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).status = Some(status);
    }

    /// Notes that a step begins; gives its number.
    fn begin(&self, kind: ConnectStepKind) -> usize {
        let started = self.clock.now();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.steps.push(ConnectStep { kind, started, ended: None });
        noted.steps.len() - 1
    }

    /// Notes that a step is done.
    fn end(&self, number: usize) {
        let ended = self.clock.now();
        if let Some(step) = self.noted.lock().unwrap_or_else(PoisonError::into_inner).steps.get_mut(number) {
            step.ended = Some(ended);
        }
    }
}

/// Does a step of making a connection, and notes when. A step that fails or is given up has no end.
pub(crate) async fn timed<T, E>(
    trace: Option<&CallTrace>,
    kind: ConnectStepKind,
    step: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let Some(trace) = trace else { return step.await };
    let number = trace.begin(kind);
    let done = step.await?;
    trace.end(number);
    Ok(done)
}

impl ConnectStepKind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Connect => "connect",
            Self::Tls => "tls",
        }
    }
}

impl fmt::Debug for CallTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallTrace").field("occurrence", &self.occurrence).finish_non_exhaustive()
    }
}
