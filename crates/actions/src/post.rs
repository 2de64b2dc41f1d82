//! A message that is sent in one POST to a messaging service, and what the service answered.

use std::borrow::Cow;
use std::pin::pin;

use punctual_model::failure::{Failure as FailureReason, FailureClass};

use crate::executor::{Call, HostTrouble, Outcome};
use crate::failure::Failure;
use crate::http::{Address, Answer, Client, Mask, MaskThreads, Message, Stage, USER_AGENT, retry_after_ticks};

/// One POST.
pub(crate) struct Post {
    /// The headers beside `User-Agent` and `Content-Length`.
    pub(crate) headers: Vec<(Cow<'static, str>, String)>,
    pub(crate) body: String,
}

/// What the history says about an attempt.
pub(crate) struct AttemptReport {
    /// The `type` of the action.
    pub(crate) kind: &'static str,
    pub(crate) host: String,
}

impl Post {
    /// Sends the message once, within the time that the job allows.
    pub(crate) async fn send(mut self, client: &Client, to: &Address, call: &Call) -> Result<Answer, Failure> {
        let (stage, limit) = (Stage::of(call), call.time_limit());
        let sent = stage.limit(limit, pin!(client.send(&mut self, to, None, &stage))).await;
        sent.unwrap_or_else(|| Err(stage.failure(limit)))
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

impl AttemptReport {
    /// The outcome of an attempt that was answered or failed. `explain` says what an answer other than success means; `mask` has
    /// the secrets that must not be in the history.
    pub(crate) async fn outcome(
        self,
        sent: Result<Answer, Failure>,
        explain: impl FnOnce(&Answer) -> String,
        mask: Mask<'static>,
        threads: &MaskThreads,
    ) -> Outcome {
        let answer = match sent {
            Ok(answer) => answer,
            Err(failure) => return self.failed(&failure.masked(&mask)),
        };
        // Only 201 means that the service has the message: a web page that answers 200 to everything is no service.
        let is_taken = answer.head.status == 201;
        let explanation = if is_taken { String::new() } else { explain(&answer) };
        let class = if explanation.is_empty() { FailureClass::Status } else { FailureClass::Target };
        let reason = FailureReason::answered(class, &self.host, answer.head.status, &explanation);
        let is_busy_status = matches!(answer.head.status, 429 | 503);
        let retry_after_ticks = retry_after_ticks(&answer.head);
        let is_short = MaskThreads::is_short(answer.bytes() + mask.bytes());
        let work = move || answer.message(self.kind, &self.host, &explanation, &mask);
        let message = if is_short { work() } else { threads.run(work).await };
        if is_taken {
            return Outcome::succeeded(message);
        }
        let is_busy = retry_after_ticks.is_some() || is_busy_status;
        let trouble = if is_busy { HostTrouble::AskedToWait } else { HostTrouble::None };
        Outcome::refused(message, reason, retry_after_ticks, trouble)
    }

    /// The outcome of an attempt that got no answer.
    pub(crate) fn failed(&self, failure: &Failure) -> Outcome {
        let Self { kind, host, .. } = self;
        Outcome::failed(format!("{kind} Action - Request to host '{host}' failed: {failure}"), host, failure)
    }
}

/// What a status means that the table of the service does not explain.
pub(crate) fn explain_status(status: u16) -> &'static str {
    match status {
        200..=299 => "The message may not have been taken: such a service answers 'Created'.",
        300..=399 => "Redirects are not followed; is the endpoint in the configuration right?",
        _ => "",
    }
}
