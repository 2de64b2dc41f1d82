//! A message as AMQP has it.

use fe2o3_amqp::Sendable;
use fe2o3_amqp::types::messaging::annotations::OwnedKey;
use fe2o3_amqp::types::messaging::{
    Annotations, ApplicationProperties, Data, Header, Message, MessageAnnotations, Properties,
};
use fe2o3_amqp::types::primitives::{self, Binary, SimpleValue, Symbol, Value};
use punctual_model::action::{BrokeredProperties, RESENT_PROPERTY, ServiceBusAction};
use punctual_model::time::{Span, TICKS_PER_SECOND, Timestamp};

use crate::executor::Call;

const TICKS_PER_MILLISECOND: i64 = TICKS_PER_SECOND / 1000;

/// A message that is ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing(Sendable<Data>);

impl Outgoing {
    /// What the action says, and the id of the occurrence unless it names another.
    pub(crate) fn new(call: &Call, action: &ServiceBusAction) -> Self {
        let brokered = &action.brokered;
        let custom = action.custom.iter().map(|(name, value)| (name.clone(), SimpleValue::String(value.clone())));
        let custom = ApplicationProperties(custom.collect());
        let message = Message::builder()
            .header(header(brokered))
            .message_annotations(annotations(brokered))
            .properties(properties(brokered, call))
            .application_properties((!custom.is_empty()).then_some(custom))
            .data(Binary::from(action.message.as_bytes()))
            .build();
        let mut outgoing = Self(Sendable::from(message));
        if call.is_resent {
            outgoing.mark_resent();
        }
        outgoing
    }

    /// Says that the broker may have got the same message before.
    pub(crate) fn mark_resent(&mut self) {
        let properties = self.0.message.application_properties.get_or_insert_default();
        properties.insert(RESENT_PROPERTY.to_owned(), SimpleValue::Bool(true));
    }

    pub(super) fn sendable(&self) -> &Sendable<Data> {
        &self.0
    }
}

fn header(brokered: &BrokeredProperties) -> Header {
    Header {
        // The Service Bus keeps every message on disk; other brokers lose what is not marked so when they are restarted.
        durable: brokered.force_persistence.unwrap_or(true),
        ttl: brokered.time_to_live.as_ref().map(|span| u32::try_from(milliseconds(span)).unwrap_or(u32::MAX)),
        ..Header::default()
    }
}

fn properties(brokered: &BrokeredProperties, call: &Call) -> Properties {
    let id = brokered.message_id.clone().unwrap_or_else(|| call.occurrence.to_string());
    let mut properties = Properties {
        message_id: Some(id.into()),
        to: brokered.to.clone(),
        subject: brokered.label.clone(),
        reply_to: brokered.reply_to.clone(),
        correlation_id: brokered.correlation_id.clone().map(Into::into),
        content_type: brokered.content_type.as_deref().map(symbol),
        group_id: brokered.session_id.clone(),
        reply_to_group_id: brokered.reply_to_session_id.clone(),
        ..Properties::default()
    };
    // The header holds 49 days. Who wants more says from when to when, as the libraries of the Service Bus do.
    let life = brokered.time_to_live.as_ref().filter(|span| u32::try_from(milliseconds(span)).is_err());
    if let Some(life) = life {
        properties.creation_time = Some(instant(call.started));
        properties.absolute_expiry_time = Some(instant(call.started.saturating_add(life.ticks())));
    }
    properties
}

fn annotations(brokered: &BrokeredProperties) -> Option<MessageAnnotations> {
    let text = |text: &Option<String>| text.clone().map(Value::String);
    let annotations = [
        ("x-opt-scheduled-enqueue-time", brokered.scheduled_enqueue_time.map(|at| Value::Timestamp(instant(at)))),
        ("x-opt-partition-key", text(&brokered.partition_key)),
        ("x-opt-via-partition-key", text(&brokered.via_partition_key)),
    ];
    let named = annotations.into_iter().filter_map(|(name, value)| Some((OwnedKey::from(name), value?)));
    let named: Annotations = named.collect();
    (!named.is_empty()).then_some(MessageAnnotations(named))
}

/// A symbol is in ASCII; the original's library wrote a question mark for everything else.
fn symbol(text: &str) -> Symbol {
    Symbol::new(text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect::<String>())
}

fn milliseconds(span: &Span) -> i64 {
    span.ticks() / TICKS_PER_MILLISECOND
}

fn instant(at: Timestamp) -> primitives::Timestamp {
    primitives::Timestamp::from_milliseconds(at.ticks().div_euclid(TICKS_PER_MILLISECOND))
}
