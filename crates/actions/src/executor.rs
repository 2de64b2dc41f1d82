//! The seam to the engine: one attempt in, how it went out.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use punctual_model::action::Target;
use punctual_model::failure::Failure as FailureReason;
use punctual_model::job::Definition;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::options::Success;
use punctual_model::settle::Verdict;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};

use crate::failure::Failure;
use crate::trace::{AttemptTrace, CallTrace};

/// Makes attempts. The engine has an executor behind a pointer; simulations have a scripted one.
#[async_trait]
pub trait Executor: Send + Sync {
    /// Makes one attempt. It ends within the time that the options of the job allow.
    async fn execute(&self, call: Call) -> Outcome;

    /// A job was edited or is gone: connections and tokens that were made with its credentials are not used again.
    fn forget(&self, _definition: &Definition) {}
}

/// One attempt that is to be made.
#[derive(Clone, Debug)]
pub struct Call {
    /// Whose action is done.
    pub definition: Arc<Definition>,
    /// Which of its two actions.
    pub phase: Phase,
    /// The job, as the target is told it.
    pub job_path: Arc<str>,
    /// The occurrence that the attempt belongs to.
    pub occurrence: OccurrenceId,
    /// The attempt itself.
    pub attempt_id: [u8; 16],
    /// The number of the attempt among those of the same action, from 1.
    pub attempt: u32,
    /// Why the last attempt of the main action failed, if an error action is to be done and it is known.
    pub failure: Option<Box<FailureReason>>,
    /// The time that the occurrence stands for.
    pub nominal: Timestamp,
    /// When the attempt is made: what is signed says so, and signatures end.
    pub started: Timestamp,
    /// Whether the same attempt may have been sent before, by a process that died.
    pub is_resent: bool,
    /// Where it is noted how the attempt goes, if somebody traces it.
    pub trace: Option<Arc<CallTrace>>,
}

impl Call {
    /// What is to be done; none where the error action is to be done and the job has none.
    pub(crate) fn target(&self) -> Option<&Target> {
        let action = &self.definition.action;
        match self.phase {
            Phase::Main => Some(&action.target),
            Phase::Error => action.error.as_ref().map(|error| &error.target),
        }
    }

    /// The `type` of the action, by which the history names it.
    pub(crate) fn kind(&self) -> &'static str {
        self.target().map_or("", Target::type_name)
    }

    /// When an HTTP answer counts as success, where the user said so: that is about the action, not about the error action.
    pub(crate) fn success(&self) -> Option<&Success> {
        self.definition.options.success().filter(|_| self.phase == Phase::Main)
    }

    /// How long the attempt may take.
    pub(crate) fn time_limit(&self) -> Duration {
        const TICKS_PER_MICROSECOND: i64 = TICKS_PER_SECOND / 1_000_000;
        Duration::from_micros((self.definition.options.timeout_ticks() / TICKS_PER_MICROSECOND).unsigned_abs())
    }

    /// The names of the subscription, the group, the collection and the job.
    pub(crate) fn names(&self) -> [&str; 4] {
        let mut names = self.job_path.split('/');
        std::array::from_fn(|_| names.next().unwrap_or_default())
    }

    /// The attempt, in the usual form of 128 bits: 8-4-4-4-12 hexadecimal digits.
    pub(crate) fn attempt_uuid(&self) -> String {
        let mut text = String::with_capacity(36);
        for (at, group) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
            if at > 0 {
                text.push('-');
            }
            push_hex(&mut text, &self.attempt_id[group]);
        }
        text
    }
}

/// How an attempt went: a value, never an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it succeeded.
    pub verdict: Verdict,
    /// What history keeps of it: bounded, in the original's format, without secrets.
    pub message: String,
    /// Why it failed, if it did: without secrets, too.
    pub failure: Option<FailureReason>,
    /// What the attempt says about the host.
    pub trouble: HostTrouble,
    /// How it went, step by step, if somebody traces it. Executors leave this to who has called them.
    pub trace: Option<Box<AttemptTrace>>,
}

impl Outcome {
    /// An attempt that succeeded.
    pub const fn succeeded(message: String) -> Self {
        Self { verdict: Verdict::Succeeded, message, failure: None, trouble: HostTrouble::None, trace: None }
    }

    /// An attempt that failed before the target had a part in it.
    pub(crate) fn failed(message: String, host: &str, failure: &Failure) -> Self {
        let reason = FailureReason::new(failure.class(), host, &failure.sentence());
        Self { verdict: failure.verdict(), message, failure: Some(reason), trouble: failure.trouble(), trace: None }
    }

    /// An attempt that the target refused, or answered with something that is no success.
    pub const fn refused(
        message: String,
        reason: FailureReason,
        retry_after_ticks: Option<i64>,
        trouble: HostTrouble,
    ) -> Self {
        Self { verdict: Verdict::Failed { retry_after_ticks }, message, failure: Some(reason), trouble, trace: None }
    }

    /// An attempt that was not made, since it cannot succeed before the job or the server is changed.
    pub(crate) fn hopeless(message: String, reason: FailureReason) -> Self {
        Self {
            verdict: Verdict::CannotSucceed,
            message,
            failure: Some(reason),
            trouble: HostTrouble::None,
            trace: None,
        }
    }
}

/// How hard a host finds it to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostTrouble {
    /// The host answered, or was not asked.
    None,
    /// The host could not be reached, or did not answer in time.
    Unreachable,
    /// The host asked to be left alone for a while.
    AskedToWait,
}

/// Adds bytes in hexadecimal digits. Every call has a hundred of them, and to format a number of 128 bits takes ten times as
/// long.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}
