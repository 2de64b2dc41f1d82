//! The storage queue action: one message, put on a queue by its REST API.

mod explain;
mod message;

use std::sync::Arc;

use punctual_model::action::{MessageFormat, SasToken, StorageQueueAction, Target, escape_xml};
use punctual_model::failure::{Failure as FailureReason, FailureClass};
use punctual_model::limits;

use self::explain::explain;
use crate::endpoint::ServiceEndpoint;
use crate::executor::{Call, Outcome};
use crate::failure::Failure;
use crate::http::{Address, Client, Mask, MaskThreads};
use crate::post::{AttemptReport, Post};

/// What stands for the account in the address of the service.
pub const ACCOUNT: &str = "{account}";

/// The version of the service that is spoken: emulators know it, and messages may live longer than seven days in it.
const VERSION: &str = "2019-07-07";

/// What the operator decides about storage queues.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where they are, with a place for the account.
    pub endpoint: ServiceEndpoint,
}

/// Azure's.
impl Default for Settings {
    fn default() -> Self {
        let endpoint = ServiceEndpoint::http("https://{account}.queue.core.windows.net", ACCOUNT);
        Self { endpoint: endpoint.expect("the default is right") }
    }
}

/// Puts messages on storage queues.
pub(crate) struct StorageQueue {
    settings: Settings,
    client: Arc<Client>,
    mask_threads: MaskThreads,
}

impl StorageQueue {
    pub(crate) fn new(settings: Settings, client: Arc<Client>, mask_threads: MaskThreads) -> Self {
        Self { settings, client, mask_threads }
    }

    /// Makes one attempt, within the time that the job allows.
    pub(crate) async fn execute(&self, call: &Call, action: &StorageQueueAction) -> Outcome {
        let text = message::text(call, action);
        if text.len() > limits::QUEUE_TEXT_BYTES_MAX {
            let (bytes, max) = (text.len(), limits::QUEUE_TEXT_BYTES_MAX);
            let format = action.format().name();
            let text = format!(
                "The message is too large: it has {bytes} bytes in the format {format}, and a storage queue takes {max}."
            );
            let reason = FailureReason::new(FailureClass::Protocol, &action.account, &text);
            return Outcome::hopeless(format!("{} Action - {text}", call.kind()), reason);
        }
        let token = SasToken::new(&action.sas_token);
        let mask = mask(call, action, &token, &text);
        let address = match self.address(action) {
            Ok(address) => address,
            Err(failure) => {
                return AttemptReport { kind: call.kind(), host: action.account.clone() }.failed(&failure);
            }
        };
        let post = Post {
            headers: vec![
                ("x-ms-version".into(), VERSION.to_owned()),
                ("x-ms-client-request-id".into(), call.attempt_uuid()),
                ("Content-Type".into(), "application/xml".to_owned()),
            ],
            body: message::body(&text),
        };
        let sent = post.send(&self.client, &address, call).await;
        let report = AttemptReport { kind: call.kind(), host: address.host };
        report.outcome(sent, |answer| explain(answer, action, call.started), mask, &self.mask_threads).await
    }

    fn address(&self, action: &StorageQueueAction) -> Result<Address, Failure> {
        let mut address = self.settings.endpoint.address(&action.account)?;
        let query = message::query(action);
        address.target = format!("{}/{}/messages?{query}", address.target, action.queue);
        Ok(address)
    }
}

/// What the service may repeat and nobody shall read: the signature, and what the job says.
fn mask(call: &Call, action: &StorageQueueAction, token: &SasToken<'_>, text: &str) -> Mask<'static> {
    let signature = token.signature().unwrap_or_default();
    let with_gaps = call.target_with_gaps();
    let own = match &with_gaps {
        Some(Target::StorageQueue(own)) => own,
        _ => action,
    };
    let escaped = escape_xml(&own.message);
    // As it is, the text is the message, in which there are no gaps.
    let encoded = if action.format() == MessageFormat::Raw { "" } else { text };
    Mask::of(&[token.query(), &signature], &[&own.message, &escaped, encoded])
}
