//! A message that goes out in one POST, to a service that takes messages so, and what the service says to it.

use std::borrow::Cow;
use std::time::Duration;

use punctual_model::settle::Verdict;
use tokio::time::timeout;

use crate::executor::{HostTrouble, Outcome};
use crate::failure::Failure;
use crate::http::{Address, Answer, Client, Mask, Message, Stage, USER_AGENT, retry_after_ticks};

/// One POST.
pub(crate) struct Post {
    /// Its headers, apart from those that each one has.
    pub(crate) headers: Vec<(Cow<'static, str>, String)>,
    pub(crate) body: String,
}

/// How an attempt is told about.
pub(crate) struct Teller<'a> {
    /// What the action is called.
    pub(crate) kind: &'a str,
    pub(crate) host: &'a str,
    /// What must not be told.
    pub(crate) mask: &'a Mask,
}

impl Post {
    /// Sends it once, within the time.
    pub(crate) async fn send(mut self, client: &Client, to: &Address, limit: Duration) -> Result<Answer, Failure> {
        let stage = Stage::default();
        let sent = timeout(limit, client.send(&mut self, to, None, &stage)).await;
        sent.unwrap_or_else(|_| Err(stage.failure(limit)))
    }
}

impl Message for Post {
    fn method(&self) -> &'static str {
        "POST"
    }

    fn body(&self) -> &str {
        &self.body
    }

    fn each_header(&self, put: &mut dyn FnMut(&str, &str)) {
        for (name, value) in &self.headers {
            put(name, value);
        }
        put("User-Agent", USER_AGENT);
        put("Content-Length", &self.body.len().to_string());
    }

    /// The Service Bus makes properties of headers, and their names are the user's.
    fn is_http1(&self) -> bool {
        true
    }

    /// A POST is not repeated within an attempt once any of it was sent.
    fn mark_resent(&mut self) {}
}

impl Teller<'_> {
    /// What became of a message. `explain` says what an answer means that is no success.
    pub(crate) fn outcome(&self, sent: Result<Answer, Failure>, explain: impl FnOnce(&Answer) -> String) -> Outcome {
        let answer = match sent {
            Ok(answer) => answer,
            Err(failure) => return self.failed(&failure),
        };
        // Nothing else means that the service has the message: an address that answers 200 to everything is not one.
        if answer.head.status == 201 {
            let message = answer.message(self.kind, self.host, "", self.mask);
            return Outcome { verdict: Verdict::Succeeded, message, trouble: HostTrouble::None };
        }
        let message = answer.message(self.kind, self.host, &explain(&answer), self.mask);
        let retry_after_ticks = retry_after_ticks(&answer.head);
        let is_busy = retry_after_ticks.is_some() || matches!(answer.head.status, 429 | 503);
        let trouble = if is_busy { HostTrouble::AskedToWait } else { HostTrouble::None };
        Outcome { verdict: Verdict::Failed { retry_after_ticks }, message, trouble }
    }

    /// There was no answer.
    pub(crate) fn failed(&self, failure: &Failure) -> Outcome {
        let Self { kind, host, .. } = self;
        Outcome::failed(format!("{kind} Action - Request to host '{host}' failed: {failure}"), failure.trouble())
    }
}

/// What any answer means that no table explains.
pub(crate) fn explain_status(status: u16) -> &'static str {
    match status {
        200..=299 => "The message may not have been taken: such a service answers 'Created'.",
        300..=399 => "Redirects are not followed; is the endpoint in the configuration right?",
        _ => "",
    }
}
