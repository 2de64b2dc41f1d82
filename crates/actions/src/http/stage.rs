//! How far an attempt has come, for the sentence about its time-out.

use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use super::status;
use crate::failure::Failure;

/// How far an attempt has come. It is read after the attempt was given up.
#[derive(Debug, Default)]
pub(crate) struct Stage(AtomicU16);

const CONNECTS: u16 = 0;
const WAITS: u16 = 1;
const ASKS_FOR_TOKEN: u16 = 2;

impl Stage {
    /// A connection is being made.
    pub(crate) fn connects(&self) {
        self.0.store(CONNECTS, Ordering::Relaxed);
    }

    /// Somebody is asked for a token.
    pub(crate) fn asks_for_token(&self) {
        self.0.store(ASKS_FOR_TOKEN, Ordering::Relaxed);
    }

    /// There is a connection; now for the answer.
    pub(crate) fn waits(&self) {
        self.0.store(WAITS, Ordering::Relaxed);
    }

    /// The answer began with this status.
    pub(crate) fn reads_body(&self, status: u16) {
        self.0.store(status, Ordering::Relaxed);
    }

    /// Why there is no outcome within the time. That there is no token says nothing about the target.
    pub(crate) fn failure(&self, limit: Duration) -> Failure {
        if self.0.load(Ordering::Relaxed) == ASKS_FOR_TOKEN {
            Failure::Credentials(self.sentence(limit))
        } else {
            Failure::TimedOut(self.sentence(limit))
        }
    }

    /// What did not happen within the time.
    pub(crate) fn sentence(&self, limit: Duration) -> String {
        let seconds = limit.as_secs_f64();
        match self.0.load(Ordering::Relaxed) {
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
