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
mod sign;
mod stage;
pub(crate) mod status;

pub(crate) use address::Address;
pub(crate) use answer::{Answer, Ending};
pub(crate) use client::Client;
pub(crate) use head::Head;
pub(crate) use http1::Http1;
pub(crate) use mask::{Mask, MaskThreads};
pub(crate) use message::Message;
pub(crate) use request::USER_AGENT;
pub(crate) use retry_after::ticks as retry_after_ticks;
pub(crate) use stage::Stage;

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;

use punctual_model::action::{Authentication, HttpAction};
use punctual_model::failure::{Failure as FailureReason, FailureClass};
use punctual_model::options::Success;

use self::request::Request;
use crate::certificates::Certificates;
use crate::credential::Credential;
use crate::executor::{Call, Outcome};
use crate::failure::Failure;
use crate::limits;
use crate::oauth::{Grant, Tokens};

/// Makes HTTP requests.
pub(crate) struct Http {
    client: Arc<Client>,
    certificates: Arc<Certificates>,
    tokens: Arc<Tokens>,
    mask_threads: MaskThreads,
}

impl Http {
    pub(crate) fn new(
        client: Arc<Client>,
        certificates: Arc<Certificates>,
        tokens: Arc<Tokens>,
        mask_threads: MaskThreads,
    ) -> Self {
        Self { client, certificates, tokens, mask_threads }
    }

    /// Makes one attempt, within the time that the job allows.
    pub(crate) async fn execute(&self, call: &Call, action: &HttpAction) -> Outcome {
        let Some(address) = Address::of(&action.uri) else {
            let text = "The address cannot be called. A host is an IP address, or a name of letters, digits, hyphens and \
                        dots; one with other letters has to be written in its xn-- form.";
            let reason = FailureReason::new(FailureClass::Protocol, "", text);
            return Outcome::hopeless(format!("Http Action - {text}"), reason);
        };
        let stage = Stage::of(call);
        let limit = call.time_limit();
        let mut request = Request::new(call, action, address.credentials.as_ref());
        let followed = {
            let follow = pin!(self.follow(&mut request, &address, &stage));
            stage.limit(limit, follow).await
        };
        match followed {
            // A text that the body must contain may have been in the part that did not come.
            Some(Ok((answer, _))) if answer.ending == Ending::TimedOut && !answer.body.is_found => {
                failed(&address.host, &stage.failure(limit))
            }
            Some(Ok((answer, host))) => self.judge(&request, &address, answer, host).await,
            Some(Err(failure @ Failure::NotHttp(_))) => {
                failed(&address.host, &failure.masked(&Mask::of_request(&request, &address)))
            }
            Some(Err(failure)) => failed(&address.host, &failure),
            None => failed(&address.host, &stage.failure(limit)),
        }
    }

    /// The credentials of an action are not used again: nothing that was made with them is kept.
    pub(crate) fn forget(&self, action: &HttpAction) {
        if let Some(credential) = action.authentication.as_ref().and_then(Credential::of) {
            self.tokens.forget(credential);
            self.certificates.forget(credential);
            self.client.forget(credential);
        }
    }

    /// Says what came of an answer. What the record keeps of it is searched for the secrets of the job.
    async fn judge(&self, request: &Request<'_>, start: &Address, answer: Answer, host: Option<String>) -> Outcome {
        let remark = request.remark();
        if MaskThreads::is_short(answer.bytes() + request.bytes()) {
            return judgement(request, start, &answer, host.as_deref(), remark);
        }
        let (call, action, tokens) = (request.call.clone(), request.action.clone(), request.tokens.clone());
        let start = start.clone();
        let judge = move || {
            let request = Request { tokens, ..Request::new(&call, &action, start.credentials.as_ref()) };
            judgement(&request, &start, &answer, host.as_deref(), remark)
        };
        Box::pin(self.mask_threads.run(judge)).await
    }

    /// Makes the request, and goes where the answer sends us. Gives the host that answered, if it is another one.
    async fn follow(
        &self,
        request: &mut Request<'_>,
        start: &Address,
        stage: &Stage,
    ) -> Result<(Answer, Option<String>), Failure> {
        match &request.action.authentication {
            None | Some(Authentication::Basic { .. }) => {}
            // Rare, and kept out of the future of a call without.
            Some(authentication) => Box::pin(self.prepare(request, authentication, start, stage)).await?,
        }
        let mut answer = self.send(request, start, stage).await?;
        let mut reached: Option<Address> = None;
        let mut hops = 0;
        while let Some(location) = redirect(request, &answer) {
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
            answer = match self.send(request, &next, stage).await {
                Ok(answer) => answer,
                // The target has chosen where to, and may have made a name of what it was sent.
                Err(failure) => return Err(failure.after_redirect().masked(&Mask::of_request(request, start))),
            };
            reached = Some(next);
        }
        Ok((answer, reached.map(|address| address.host)))
    }

    /// Gets what has to be had before the request can be made.
    async fn prepare(
        &self,
        request: &mut Request<'_>,
        authentication: &Authentication,
        start: &Address,
        stage: &Stage,
    ) -> Result<(), Failure> {
        if let Authentication::ClientCertificate { pfx, password, .. } = authentication {
            if !start.is_tls {
                let text = "A client certificate can only be shown to an https address.";
                return Err(Failure::Credentials(text.to_owned()));
            }
            request.certificate = Some(self.certificates.open(pfx, password).await?);
        }
        if let Some(grant) = Grant::of(authentication) {
            request.tokens.push(self.tokens.get(&grant, stage).await?);
        }
        Ok(())
    }

    /// Makes one request. If the target refuses a token, it is shown another one, once: the one that was kept may have been
    /// withdrawn. Such a request was not accepted, so the next one is not a second one.
    async fn send(&self, request: &mut Request<'_>, to: &Address, stage: &Stage) -> Result<Answer, Failure> {
        let rule = request.call.success();
        let wanted = rule.and_then(|success| success.body_contains.as_deref());
        let answer = self.client.send(request, to, wanted, stage).await.map_err(|failure| request.explain(failure))?;
        let is_refused = answer.head.status == 401
            && answer.ending != Ending::TimedOut
            && !request.is_astray
            && !Success::accepts(rule, 401);
        let grant = request.action.authentication.as_ref().filter(|_| is_refused).and_then(Grant::of);
        let (Some(grant), [refused]) = (grant, &*request.tokens) else { return Ok(answer) };
        let token = Box::pin(self.tokens.renew(&grant, refused, stage)).await?;
        request.tokens.push(token);
        self.client.send(request, to, wanted, stage).await
    }
}

/// Where an answer sends us, if we go: for requests that only read, and unless the job takes such a status for success.
fn redirect<'a>(request: &Request<'_>, answer: &'a Answer) -> Option<&'a str> {
    let status = answer.head.status;
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308) && answer.ending != Ending::TimedOut;
    let is_followed = is_redirect && request.is_read() && !Success::accepts(request.call.success(), status);
    if is_followed { answer.head.get("location") } else { None }
}

fn judgement(
    request: &Request<'_>,
    start: &Address,
    answer: &Answer,
    host: Option<&str>,
    remark: Option<String>,
) -> Outcome {
    let mask = Mask::of_request(request, start);
    let host = host.map_or(Cow::Borrowed(&*start.host), |host| Cow::Owned(mask.text(host)));
    answer.outcome(&host, request.call.success(), &mask, remark)
}

fn failed(host: &str, failure: &Failure) -> Outcome {
    Outcome::failed(format!("Http Action - Request to host '{host}' failed: {failure}"), host, failure)
}
