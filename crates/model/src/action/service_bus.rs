//! The Service Bus actions: a queue or a topic.

use super::Secret;
use super::http::{is_of_the_connection, is_token};
use crate::time::{Span, Timestamp};
use crate::{Expected, Violation, limits};

/// The property by which a broker's clients know a message that may have been sent before.
pub const RESENT_PROPERTY: &str = "punctual-resent";

/// A message for a Service Bus queue or topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceBusAction<S = Secret> {
    /// The queue or topic.
    pub entity: Entity,
    /// The namespace it is in.
    pub namespace: String,
    /// The protocol; HTTPS where none is named.
    pub transport: Option<Transport>,
    /// The key that allows to send.
    pub authentication: Option<SasKey<S>>,
    /// The user's message.
    pub message: String,
    /// Properties the broker knows.
    pub brokered: BrokeredProperties,
    /// Properties the user made up.
    pub custom: Vec<(String, String)>,
}

/// Where the message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Entity {
    Queue(String),
    Topic(String),
}

/// The protocol to the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The client wrote `NotSpecified`.
    NotSpecified,
    /// HTTPS.
    NetMessaging,
    /// AMQP 1.0.
    Amqp,
}

/// A shared access key by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SasKey<S = Secret> {
    /// The name of the rule the key belongs to.
    pub name: String,
    /// The key; none means the one that the configuration holds for this namespace and name.
    pub key: Option<S>,
}

/// What the broker is told beside the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members of the API by their own names")]
pub struct BrokeredProperties {
    pub content_type: Option<String>,
    pub correlation_id: Option<String>,
    pub force_persistence: Option<bool>,
    pub label: Option<String>,
    pub message_id: Option<String>,
    pub partition_key: Option<String>,
    pub reply_to: Option<String>,
    pub reply_to_session_id: Option<String>,
    pub scheduled_enqueue_time: Option<Timestamp>,
    pub session_id: Option<String>,
    pub time_to_live: Option<Span>,
    pub to: Option<String>,
    pub via_partition_key: Option<String>,
}

impl<S> ServiceBusAction<S> {
    /// The member of an action in which the message stands.
    pub fn member(&self) -> &'static str {
        match self.entity {
            Entity::Queue(_) => "serviceBusQueueMessage",
            Entity::Topic(_) => "serviceBusTopicMessage",
        }
    }
}

impl Transport {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NotSpecified, Self::NetMessaging, Self::Amqp];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotSpecified => "NotSpecified",
            Self::NetMessaging => "NetMessaging",
            Self::Amqp => "AMQP",
        }
    }
}

impl BrokeredProperties {
    /// What is wrong with them. Paths are relative to them.
    pub fn check(&self) -> Vec<Violation> {
        let ids = [
            ("messageId", &self.message_id),
            ("partitionKey", &self.partition_key),
            ("replyToSessionId", &self.reply_to_session_id),
            ("sessionId", &self.session_id),
            ("viaPartitionKey", &self.via_partition_key),
        ];
        let others = [
            ("contentType", &self.content_type),
            ("correlationId", &self.correlation_id),
            ("label", &self.label),
            ("replyTo", &self.reply_to),
            ("to", &self.to),
        ];
        let ids = ids.into_iter().map(|(member, text)| (member, text, limits::BROKERED_ID_CHARS_MAX));
        let others = others.into_iter().map(|(member, text)| (member, text, limits::PROPERTIES_CHARS_MAX));
        let mut violations = Vec::new();
        for (member, text, max) in ids.chain(others) {
            let length = text.as_ref().map_or(0, |text| text.chars().count());
            if length > max {
                violations.push(Violation::new(member, format!("{length} characters"), format!("at most {max}")));
            }
        }
        // Over HTTPS it is a header, over AMQP a symbol; both are ASCII.
        let is_header = |text: &str| text.bytes().all(|c| c.is_ascii_graphic() || c == b' ');
        if self.content_type.as_deref().is_some_and(|text| !is_header(text)) {
            violations.push(Violation::new("contentType", "other characters", "printable ASCII, such as text/plain"));
        }
        if let Some(span) = self.time_to_live.as_ref().filter(|span| span.ticks() == 0) {
            violations.push(Violation::new("timeToLive", span, "more than no time"));
        }
        violations
    }
}

/// Checks the properties the user made up: how many, how long together, and that each has a name.
pub fn check_custom(properties: &[(String, String)]) -> Result<(), Violation> {
    if properties.len() > limits::PROPERTIES_MAX {
        let expected = format!("at most {}", limits::PROPERTIES_MAX);
        return Err(Violation::new("", format!("{} properties", properties.len()), expected));
    }
    let chars: usize = properties.iter().map(|(name, value)| name.chars().count() + value.chars().count()).sum();
    if chars > limits::PROPERTIES_CHARS_MAX {
        let expected = format!("at most {} in names and values together", limits::PROPERTIES_CHARS_MAX);
        return Err(Violation::new("", format!("{chars} characters"), expected));
    }
    let is_wrong = |name: &str| name.is_empty() || name.chars().any(char::is_control);
    match properties.iter().find(|(name, _)| is_wrong(name)) {
        Some((name, _)) => Err(Violation::new("", format!("{name:?}"), "names of one or more printable characters")),
        None => Ok(()),
    }
}

/// Checks the name of one property the user made up. Over HTTPS it travels as a header.
pub fn check_custom_name(name: &str, transport: Option<Transport>) -> Result<(), Expected> {
    const TAKEN: [&str; 5] = ["authorization", "brokerproperties", "content-encoding", "content-type", "user-agent"];
    let lower = name.to_ascii_lowercase();
    if lower == RESENT_PROPERTY {
        return Err(Expected::new("a property that Punctual does not set itself"));
    }
    if transport == Some(Transport::Amqp) {
        return Ok(());
    }
    if !is_token(name) {
        return Err(Expected::new(
            "a name that can be a header, of letters, digits and !#$%&'*+-.^_`|~; or the transportType AMQP",
        ));
    }
    if is_of_the_connection(&lower) || TAKEN.contains(&lower.as_str()) {
        return Err(Expected::new("a name that is no header of the request itself; or the transportType AMQP"));
    }
    Ok(())
}

/// Checks the name of a namespace.
pub fn check_namespace(name: &str) -> Result<(), Expected> {
    let is_right = (1..=50).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
        && !name.ends_with('-');
    if is_right {
        Ok(())
    } else {
        Err(Expected::new("a namespace: 1 to 50 letters, digits and hyphens, beginning with a letter"))
    }
}

/// Checks the name of a queue or the path of a topic.
pub fn check_entity(name: &str) -> Result<(), Expected> {
    let is_right_byte = |c: u8| c.is_ascii_alphanumeric() || b".-_/".contains(&c);
    let is_right = (1..=260).contains(&name.len())
        && name.bytes().all(is_right_byte)
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if is_right {
        Ok(())
    } else {
        Err(Expected::new("a queue or topic name: 1 to 260 letters, digits and . - _, with / between its parts"))
    }
}
