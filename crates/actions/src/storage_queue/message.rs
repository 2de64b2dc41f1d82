//! What is put on a queue.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use punctual_model::action::{MessageFormat, QueueEnvelope, SasToken, StorageQueueAction, escape_xml};
use punctual_model::time::{Span, TICKS_PER_SECOND};

use crate::executor::Call;

/// The text on the queue, whose bytes the service counts.
pub(super) fn text(call: &Call, action: &StorageQueueAction) -> String {
    match action.format() {
        MessageFormat::Raw => action.message.clone(),
        MessageFormat::Base64 => STANDARD.encode(&action.message),
        MessageFormat::Envelope => {
            let [_, _, collection, job] = call.names();
            let envelope = QueueEnvelope {
                occurrence: call.occurrence,
                attempt: &call.attempt_uuid(),
                nominal: call.nominal,
                job,
                collection,
                message: &action.message,
            };
            STANDARD.encode(envelope.to_string())
        }
    }
}

/// The body of the request.
pub(super) fn body(text: &str) -> String {
    format!("<QueueMessage><MessageText>{}</MessageText></QueueMessage>", escape_xml(text))
}

/// The query of the request: the signature, and how long the message is hidden and lives.
pub(super) fn query(action: &StorageQueueAction) -> String {
    let mut query = SasToken::new(&action.sas_token).query().to_owned();
    let mut add = |name: &str, seconds: i64| {
        // The service counts in 32 bits.
        let seconds = seconds.min(i64::from(i32::MAX));
        let _ = write!(query, "&{name}={seconds}");
    };
    // The service counts in whole seconds. The one is rounded down and the other up, so that the message does not end
    // before it is seen.
    if let Some(delay) = &action.visibility_delay {
        add("visibilitytimeout", delay.ticks() / TICKS_PER_SECOND);
    }
    if let Some(life) = &action.time_to_live {
        add("messagettl", seconds_up(life));
    }
    query
}

fn seconds_up(span: &Span) -> i64 {
    span.ticks().saturating_add(TICKS_PER_SECOND - 1) / TICKS_PER_SECOND
}
