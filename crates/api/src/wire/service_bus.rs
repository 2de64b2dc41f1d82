//! `serviceBusQueueMessage` and `serviceBusTopicMessage`.

use punctual_model::Violation;
use punctual_model::action::{
    BrokeredProperties, Entity, SasKey, Secret, ServiceBusAction, Transport, check_credential, check_custom,
    check_custom_name, check_entity, check_message, check_namespace,
};
use punctual_model::time::{DateTime, Span, Zone};

use super::object::{Object, below};
use super::value::Value;

/// Reads a message whose member `entity` names where it goes.
pub(super) fn read(
    mut message: Object<'_>,
    entity: &'static str,
    to: impl Fn(String) -> Entity,
) -> Option<ServiceBusAction<Option<Secret>>> {
    message.require(entity, "where the message goes");
    message.require("namespace", "the namespace it goes to");
    message.require("message", "the text to send");
    let name = message.checked(entity, check_entity);
    let namespace = message.checked("namespace", check_namespace);
    let transport = message.choice("transportType", &Transport::ALL.map(|transport| (transport.name(), transport)));
    let authentication = message.object("authentication").and_then(authentication);
    let text = message.unseen("message", check_message);
    let brokered = message.object("brokeredMessageProperties").map(brokered).unwrap_or_default();
    let custom = custom(&mut message, transport);
    message.ignore_rest();
    Some(ServiceBusAction {
        entity: to(name?),
        namespace: namespace?,
        transport,
        authentication,
        message: text?,
        brokered,
        custom,
    })
}

fn custom(message: &mut Object<'_>, transport: Option<Transport>) -> Vec<(String, String)> {
    let path = message.path_of("customMessageProperties");
    let custom = message.texts("customMessageProperties");
    for (name, _) in custom.iter().filter(|(name, _)| !name.is_empty()) {
        if let Err(expected) = check_custom_name(name, transport) {
            message.report(Violation::sentence(below(&path, name), format!("this must be {expected}")));
        }
    }
    message.adopt(Some("customMessageProperties"), check_custom(&custom).err());
    custom
}

/// None also for `NotSpecified`, which is how a client says so.
fn authentication(mut object: Object<'_>) -> Option<SasKey<Option<Secret>>> {
    let is_key = object.choice("type", &[("SharedAccessKey", true), ("NotSpecified", false)]).unwrap_or(true);
    let read = is_key.then(|| {
        object.require("sasKeyName", "the name of the key");
        let name = object.checked("sasKeyName", check_credential);
        let key = object.secret("sasKey", check_credential);
        name.map(|name| SasKey { name, key: Some(key) })
    });
    object.ignore_rest();
    read.flatten()
}

fn brokered(mut object: Object<'_>) -> BrokeredProperties {
    let mut text = |name: &'static str| object.text(name).map(str::to_owned);
    let mut properties = BrokeredProperties {
        content_type: text("contentType"),
        correlation_id: text("correlationId"),
        label: text("label"),
        message_id: text("messageId"),
        partition_key: text("partitionKey"),
        reply_to: text("replyTo"),
        reply_to_session_id: text("replyToSessionId"),
        session_id: text("sessionId"),
        to: text("to"),
        via_partition_key: text("viaPartitionKey"),
        ..BrokeredProperties::default()
    };
    properties.force_persistence = object.boolean("forcePersistence");
    let enqueue = object.date_time("scheduledEnqueueTimeUtc");
    properties.scheduled_enqueue_time = enqueue.map(|written| written.resolve(Zone::utc()).instant());
    properties.time_to_live = object.value("timeToLive").and_then(|value| time_to_live(&value));
    object.adopt(None, properties.check());
    if let (Some(session), Some(partition)) = (&properties.session_id, &properties.partition_key)
        && session != partition
    {
        object.warn("partitionKey", "the broker refuses one that is not the same as the sessionId");
    }
    object.ignore_rest();
    properties
}

/// The API versions before 2016-03-01 had an instant here, which says nothing about a message that is sent again and again.
fn time_to_live(value: &Value<'_>) -> Option<Span> {
    match DateTime::parse(value.text()?) {
        Ok(_) => value.wrong("a duration such as P1D, as since API version 2016-03-01, and not a date-time"),
        Err(_) => value.span(),
    }
}
