//! Claims-based security: tokens that allow to use a queue or topic, put on a node of the broker's by that name.
//!
//! A request goes out on one link, its answer comes in on another; both have the same session. They are kept as long as the
//! connection, and replaced if the broker has detached them.

use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::messaging::{ApplicationProperties, Body, Message, MessageId, Properties};
use fe2o3_amqp::types::primitives::{SimpleValue, Value};
use fe2o3_amqp::{Delivery, Receiver, Sender};
use punctual_model::action::Secret;
use punctual_model::failure::FailureClass;

use super::broken::{Broken, When};
use super::refused::{Refused, comment};
use crate::executor::HostTrouble;

/// The node of the broker that takes tokens.
const NODE: &str = "$cbs";
/// What we call the place that answers go to; it is ours alone on our connection.
const REPLIES: &str = "punctual-cbs";
/// The kind of token that is made of a shared access key.
const TOKEN_TYPE: &str = "servicebus.windows.net:sastoken";
/// An answer has a number and a sentence.
const REPLY_BYTES_MAX: u64 = 16_384;

/// The links on which tokens are put.
pub(crate) struct Cbs {
    requests: Sender,
    replies: Receiver,
    request_count: u64,
    /// The last to be dropped: links are detached before their session ends.
    session: SessionHandle<()>,
}

impl Cbs {
    /// Attaches both links to a new session.
    pub(crate) async fn attach(mut session: SessionHandle<()>) -> Result<Self, Broken> {
        let replies = Receiver::builder()
            .name("punctual-cbs-replies")
            .source(NODE)
            .target(REPLIES)
            .max_message_size(REPLY_BYTES_MAX)
            .attach(&mut session)
            .await
            .map_err(|error| Broken::attaching_replies(error, NODE))?;
        let requests = Sender::attach(&mut session, "punctual-cbs-requests", NODE)
            .await
            .map_err(|error| Broken::attaching(error, NODE))?;
        Ok(Self { requests, replies, request_count: 0, session })
    }

    /// Puts a token for an audience, and waits until the broker has looked at it.
    pub(crate) async fn put_token(&mut self, audience: &str, key_name: &str, token: &Secret) -> Result<(), Broken> {
        self.request_count += 1;
        let id = MessageId::Ulong(self.request_count);
        let request = Message::builder()
            .properties(Properties::builder().message_id(id.clone()).reply_to(REPLIES).build())
            .application_properties(
                ApplicationProperties::builder()
                    .insert("operation", "put-token")
                    .insert("type", TOKEN_TYPE)
                    .insert("name", audience)
                    .build(),
            )
            .value(token.expose())
            .build();
        let Self { requests, replies, session, .. } = self;
        let answering = async {
            let sent = requests.send(request).await;
            let outcome = sent.map_err(|error| Broken::sending(error, When::Before, audience))?;
            Refused::check(outcome, audience).map_err(Broken::answered)?;
            let reply = reply_to(&id, replies, audience).await?;
            judge(&reply, audience, key_name).map_err(Broken::answered)
        };
        tokio::select! {
            answer = answering => answer,
            // Who waits for the outcome of a message is not told.
            _ = session.on_end() => Err(Broken::over()),
        }
    }
}

/// Waits for the answer to this request. One to an earlier request, which was given up, is passed over.
async fn reply_to(id: &MessageId, replies: &mut Receiver, audience: &str) -> Result<Delivery<Body<Value>>, Broken> {
    loop {
        let reply = replies.recv::<Body<Value>>().await.map_err(|error| Broken::receiving(error, audience))?;
        // Whether the broker learns that we have read it makes no difference to us.
        drop(replies.accept(&reply).await);
        let Some(properties) = &reply.message().properties else { continue };
        // A broker that takes no tokens has made a queue of that name, and gives our own request back.
        if properties.correlation_id.as_ref().or(properties.message_id.as_ref()) == Some(id) {
            return Ok(reply);
        }
    }
}

/// What the broker thinks of a token.
fn judge(reply: &Delivery<Body<Value>>, audience: &str, key_name: &str) -> Result<(), Refused> {
    let property = |name: &str| reply.message().application_properties.as_ref()?.get(name);
    let status = match property("status-code") {
        Some(SimpleValue::Int(status)) => Some(i64::from(*status)),
        Some(SimpleValue::Uint(status)) => Some(i64::from(*status)),
        Some(SimpleValue::Long(status)) => Some(*status),
        _ => None,
    };
    let description = match property("status-description") {
        Some(SimpleValue::String(text)) => comment(Some(text)),
        _ => String::new(),
    };
    match status {
        Some(200..=299) => Ok(()),
        Some(status @ (401 | 403)) => Err(Refused {
            class: FailureClass::Credential,
            ..Refused::new(format!(
                "UnauthorizedAccess The broker does not take the key '{key_name}' for '{audience}' ({status}{description})."
            ))
        }),
        Some(404) => {
            Err(Refused::new(format!("EntityNotFound The broker does not know '{audience}' (404{description}).")))
        }
        Some(status) => Err(Refused {
            class: FailureClass::Credential,
            trouble: if status >= 500 { HostTrouble::Unreachable } else { HostTrouble::None },
            ..Refused::new(format!(
                "UnauthorizedAccess The broker did not take a token for '{audience}' ({status}{description})."
            ))
        }),
        None => {
            Err(Refused::new("ServerProtocolViolation The broker takes no tokens; it may take a user and a password."))
        }
    }
}
