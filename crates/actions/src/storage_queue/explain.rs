//! What the errors of the storage service mean, for someone who has to do something about them.

use std::borrow::Cow;

use punctual_model::action::{SasToken, StorageQueueAction};
use punctual_model::time::Timestamp;

use crate::http::Answer;
use crate::post::explain_status;

/// The code of an answer and what to do about it, to be put behind the name of its status.
pub(super) fn explain(answer: &Answer, action: &StorageQueueAction, now: Timestamp) -> String {
    let Some(code) = code(answer) else {
        return match explain_status(answer.head.status) {
            "" => String::new(),
            sentence => format!(". {sentence}"),
        };
    };
    let sentence = sentence(&code, action, now);
    let blank = if sentence.is_empty() { "" } else { " " };
    format!(" ({code}).{blank}{sentence}")
}

/// The code of the error: in a header, else in the XML.
fn code(answer: &Answer) -> Option<String> {
    let body = String::from_utf8_lossy(&answer.body.kept);
    let in_body = || body.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>")).map(|(code, _)| code);
    let code = answer.head.get("x-ms-error-code").or_else(in_body)?.trim();
    let is_code = (1..=64).contains(&code.len()) && code.bytes().all(|c| c.is_ascii_alphanumeric());
    is_code.then(|| code.to_owned())
}

fn sentence(code: &str, action: &StorageQueueAction, now: Timestamp) -> Cow<'static, str> {
    let StorageQueueAction { account, queue, .. } = action;
    let flaws = SasToken::new(&action.sas_token).flaws(now);
    let sentence = match code {
        code if is_about_signature(code) && !flaws.is_empty() => {
            return format!("About the signature (sasToken): {}. Send the job a new one.", flaws.join("; ")).into();
        }
        "AuthenticationFailed" | "InvalidAuthenticationInfo" | "NoAuthenticationInformation" => {
            "The signature (sasToken) is wrong, has ended, or was made with a key that was changed since. Send the job a new \
             one."
        }
        "AuthorizationPermissionMismatch" | "InsufficientAccountPermissions" => {
            "The signature (sasToken) does not allow to add messages. Send the job one with the permission a."
        }
        "AuthorizationServiceMismatch" | "AuthorizationResourceTypeMismatch" => {
            "The signature (sasToken) is not for the messages of queues. Send the job one with ss=q and srt=o, or one of the \
             queue itself."
        }
        "AuthorizationProtocolMismatch" => {
            "The signature (sasToken) demands https, and the configured endpoint is http."
        }
        "AuthorizationSourceIPMismatch" => {
            "The signature (sasToken) is not for the address that this server calls from."
        }
        "AuthorizationFailure" => {
            "The storage account lets nobody in from the address that this server calls from, or not with a signature."
        }
        "KeyBasedAuthenticationNotPermitted" => "The storage account takes no signatures that are made with its keys.",
        "AccountIsDisabled" => "The storage account is disabled.",
        "QueueNotFound" | "ResourceNotFound" => {
            return format!("There is no queue '{queue}' in the account '{account}'. Make it, or correct queueName.")
                .into();
        }
        "QueueBeingDeleted" | "QueueDisabled" => {
            return format!("The queue '{queue}' is being deleted or is disabled.").into();
        }
        "RequestBodyTooLarge" | "MessageTooLarge" => "The message is too large for the queue. Make it shorter.",
        "OutOfRangeQueryParameterValue" | "InvalidQueryParameterValue" => {
            "The service does not take this timeToLive or visibilityDelay, or something in the signature (sasToken)."
        }
        "ServerBusy" => "The service is busy, and asks to wait.",
        "OperationTimedOut" | "InternalError" => "The service has a problem of its own.",
        _ => "",
    };
    sentence.into()
}

/// Whether what the signature says about itself explains the error.
fn is_about_signature(code: &str) -> bool {
    code.starts_with("Authorization") || code.contains("Authentication")
}
