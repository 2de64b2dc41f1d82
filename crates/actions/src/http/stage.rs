//! How far an attempt has come, for the sentence about its time-out.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::time::timeout;

use super::status;
use crate::executor::Call;
use crate::failure::Failure;
use crate::trace::CallTrace;

/// How far an attempt has come. It is read after the attempt was given up.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    reached: AtomicU16,
    /// Whether the time for reading a body is over.
    is_over: AtomicBool,
    /// Where it is noted how the attempt goes, if somebody traces it.
    trace: Option<Arc<CallTrace>>,
}

const CONNECTS: u16 = 0;
const WAITS: u16 = 1;
const ASKS_FOR_TOKEN: u16 = 2;

impl Stage {
    /// The beginning of an attempt.
    pub(crate) fn of(call: &Call) -> Self {
        Self { trace: call.trace.clone(), ..Self::default() }
    }

    /// Where it is noted how the attempt goes.
    pub(crate) fn trace(&self) -> Option<&CallTrace> {
        self.trace.as_deref()
    }

    /// A connection is being made.
    pub(crate) fn connects(&self) {
        self.reached.store(CONNECTS, Ordering::Relaxed);
    }

    /// Somebody is asked for a token.
    pub(crate) fn asks_for_token(&self) {
        self.reached.store(ASKS_FOR_TOKEN, Ordering::Relaxed);
    }

    /// There is a connection; now for the answer.
    pub(crate) fn waits(&self) {
        self.reached.store(WAITS, Ordering::Relaxed);
    }

    /// The answer began with this status.
    pub(crate) fn reads_body(&self, status: u16) {
        self.reached.store(status, Ordering::Relaxed);
        if let Some(trace) = &self.trace {
            trace.note_status(status);
        }
    }

    /// Lets an attempt work for as long as the limit allows; none if nothing came of it in that time. If the time is up while the
    /// body of an answer is read, reading ends, and the attempt goes on with what was read: the target has done what was
    /// asked, and only takes its time to say so.
    pub(crate) async fn limit<T>(&self, limit: Duration, mut attempt: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        if let Ok(done) = timeout(limit, &mut attempt).await {
            return Some(done);
        }
        self.is_over.store(true, Ordering::Relaxed);
        // What reads a body ends when it is asked the next time; everything else still has nothing to show.
        timeout(Duration::ZERO, attempt).await.ok()
    }

    /// The next piece of a body; none if the time is over. It needs no waking: `limit` asks once more.
    pub(crate) async fn read_in_time<T>(&self, read: impl Future<Output = T>) -> Option<T> {
        let mut read = pin!(read);
        poll_fn(|cx| {
            let is_over = self.is_over.load(Ordering::Relaxed);
            if is_over { Poll::Ready(None) } else { read.as_mut().poll(cx).map(Some) }
        })
        .await
    }

    /// Why there is no outcome within the time. That there is no token says nothing about the target.
    pub(crate) fn failure(&self, limit: Duration) -> Failure {
        if self.reached.load(Ordering::Relaxed) == ASKS_FOR_TOKEN {
            Failure::Credentials(self.sentence(limit))
        } else {
            Failure::TimedOut(self.sentence(limit))
        }
    }

    /// What did not happen within the time.
    pub(crate) fn sentence(&self, limit: Duration) -> String {
        let seconds = limit.as_secs_f64();
        match self.reached.load(Ordering::Relaxed) {
            CONNECTS => format!("No connection within {seconds} s."),
            WAITS => format!("No answer within {seconds} s."),
            ASKS_FOR_TOKEN => format!("No token within {seconds} s."),
            status => {
                let name = status::name(status);
                format!("The answer '{name}' began, but its body did not end within {seconds} s.")
            }
        }
    }
}
