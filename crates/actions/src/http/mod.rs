//! The HTTP action: one request, redirects included, and what came of it.

mod address;
mod answer;
mod body;
mod client;
mod framing;
mod head;
mod http1;
mod http2;
mod mask;
mod message;
mod pool;
mod request;
mod retry_after;
mod stage;
mod status;

pub(crate) use client::Client;
pub(crate) use http1::Http1;

use std::sync::Arc;
use std::time::Duration;

use punctual_model::action::{Authentication, HttpAction};
use punctual_model::limits;
use punctual_model::time::TICKS_PER_SECOND;
use tokio::time::timeout;

use self::address::Address;
use self::answer::{Answer, accepts_status};
use self::mask::Mask;
use self::request::Request;
use self::stage::Stage;
use crate::failure::Failure;
use crate::perform::{Call, Outcome, Strain};

const TICKS_PER_MICROSECOND: i64 = TICKS_PER_SECOND / 1_000_000;

/// Makes HTTP requests.
pub(crate) struct Http {
    client: Arc<Client>,
}

impl Http {
    pub(crate) fn new(client: Arc<Client>) -> Self {
        Self { client }
    }

    /// Makes one attempt, within the time that the job allows.
    pub(crate) async fn perform(&self, call: &Call, action: &HttpAction) -> Outcome {
        let Some(address) = Address::parse(&action.uri) else {
            let text = "Http Action - The address cannot be called. A host is an IP address, or a name of letters, digits, \
                        hyphens and dots; one with other letters has to be written in its xn-- form.";
            return Outcome::failed(text.to_owned(), Strain::None);
        };
        if let Some(kind) = unsupported(action) {
            let message = format!(
                "Http Action - Request to host '{}' failed: {kind} authentication is not supported yet.",
                address.host
            );
            return Outcome::failed(message, Strain::None);
        }
        let stage = Stage::default();
        let options = &call.definition.options;
        let limit = Duration::from_micros((options.timeout_ticks() / TICKS_PER_MICROSECOND).unsigned_abs());
        match timeout(limit, self.follow(call, action, &address, &stage)).await {
            Ok(Ok((answer, host))) => {
                answer.outcome(host.as_deref().unwrap_or(&address.host), options, &Mask::new(action, &address))
            }
            Ok(Err(failure)) => failed(&address.host, &failure),
            Err(_) => {
                self.client.abandon(&address);
                failed(&address.host, &Failure::TimedOut(stage.sentence(limit)))
            }
        }
    }

    /// Makes the request, and goes where the answer sends us. Gives the host that answered, if it is another one.
    async fn follow(
        &self,
        call: &Call,
        action: &HttpAction,
        start: &Address,
        stage: &Stage,
    ) -> Result<(Answer, Option<String>), Failure> {
        let mut request = Request {
            call,
            action,
            credentials: start.credentials.as_ref(),
            is_astray: false,
            is_resent: call.is_resent,
        };
        let success = call.definition.options.success();
        let wanted = success.and_then(|success| success.body_contains.as_deref());
        let mut answer = self.client.send(&mut request, start, wanted, stage).await?;
        let mut reached: Option<Address> = None;
        let mut hops = 0;
        while let Some(location) = redirect(&request, &answer) {
            if hops == limits::REDIRECTS_MAX {
                let text = format!("The target redirects more than {} times.", limits::REDIRECTS_MAX);
                return Err(Failure::Redirect(text.into()));
            }
            hops += 1;
            let from = reached.as_ref().unwrap_or(start);
            let next = from.join(location).ok_or(Failure::Redirect("The target redirects to no address.".into()))?;
            if from.is_tls && !next.is_tls {
                return Err(Failure::Redirect("The target redirects from https to http.".into()));
            }
            // Once away from the origin, nothing of the job is shown again, not even back there.
            request.is_astray |= !next.is_same_origin(start);
            answer = self.client.send(&mut request, &next, wanted, stage).await?;
            reached = Some(next);
        }
        Ok((answer, reached.map(|address| address.host)))
    }
}

/// Where an answer sends us, if we go: for requests that only read, and unless the job takes such a status for success.
fn redirect<'a>(request: &Request<'_>, answer: &'a Answer) -> Option<&'a str> {
    let status = answer.head.status;
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308);
    let is_followed = is_redirect && request.is_read() && !accepts_status(&request.call.definition.options, status);
    if is_followed { answer.head.get("location") } else { None }
}

fn unsupported(action: &HttpAction) -> Option<&'static str> {
    match &action.authentication {
        Some(kind @ (Authentication::ClientCertificate { .. } | Authentication::OAuth { .. })) => {
            Some(kind.type_name())
        }
        Some(Authentication::Basic { .. }) | None => None,
    }
}

fn failed(host: &str, failure: &Failure) -> Outcome {
    Outcome::failed(format!("Http Action - Request to host '{host}' failed: {failure}"), failure.strain())
}
