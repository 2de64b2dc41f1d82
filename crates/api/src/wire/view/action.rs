//! What a job does.

use punctual_model::action::{
    Action, BrokeredProperties, EmailAction, Entity, ErrorAction, HttpAction, MessageFormat, ServiceBusAction,
    StorageQueueAction, Target, Transport,
};

use super::members::Members;
use super::{Writer, authentication, options};
use crate::wire::json::Json;

pub(super) fn write(action: &Action, writer: &Writer) -> Json {
    target(&action.target, writer)
        .add_some("retryPolicy", action.retry.as_ref().map(|policy| options::retry_policy(policy, writer)))
        .add_some("errorAction", action.error.as_ref().map(|error| error_action(error, writer)))
        .into_json()
}

fn error_action(error: &ErrorAction, writer: &Writer) -> Json {
    target(&error.target, writer)
        .add_some("retryPolicy", error.retry.as_ref().map(|policy| options::retry_policy(policy, writer)))
        .into_json()
}

fn target(target: &Target, writer: &Writer) -> Members {
    let (message, written) = match target {
        Target::Http(http) => ("request", request(http, writer)),
        Target::StorageQueue(queue) => ("queueMessage", queue_message(queue, writer)),
        Target::ServiceBus(bus) => match &bus.entity {
            Entity::Queue(_) => ("serviceBusQueueMessage", service_bus_message(bus, writer)),
            Entity::Topic(_) => ("serviceBusTopicMessage", service_bus_message(bus, writer)),
        },
        Target::Email(email) => ("email", email_message(email)),
    };
    Members::new().add(message, written).add("type", writer.dialect.as_described(target.type_name()))
}

fn request(http: &HttpAction, writer: &Writer) -> Json {
    Members::new()
        .add("uri", writer.guarded_uri(http.uri.as_str()))
        .add("method", &http.method)
        .add_some("headers", guarded_texts(&http.headers, writer))
        .add_some("body", http.body.as_ref().map(|body| writer.guarded(body)))
        .add_some("authentication", http.authentication.as_ref().map(|it| authentication::write(it, writer)))
        .into_json()
}

/// An object whose members the user named, and whose values may hold secrets.
fn guarded_texts(pairs: &[(String, String)], writer: &Writer) -> Option<Json> {
    let members: Vec<_> = pairs.iter().map(|(name, value)| (name.clone().into(), writer.guarded(value))).collect();
    (!members.is_empty()).then_some(Json::Object(members))
}

fn queue_message(queue: &StorageQueueAction, writer: &Writer) -> Json {
    Members::new()
        .add("storageAccount", &queue.account)
        .add("queueName", &queue.queue)
        .add("message", writer.guarded(&queue.message))
        .add_some("format", queue.format.map(MessageFormat::name))
        .add_some("timeToLive", queue.time_to_live.as_ref().map(|span| writer.duration(span)))
        .add_some("visibilityDelay", queue.visibility_delay.as_ref().map(|span| writer.duration(span)))
        .into_json()
}

fn service_bus_message(bus: &ServiceBusAction, writer: &Writer) -> Json {
    let (queue, topic) = match &bus.entity {
        Entity::Queue(queue) => (Some(queue), None),
        Entity::Topic(topic) => (None, Some(topic)),
    };
    let transport = bus.transport.map(Transport::name).map(|name| writer.dialect.lower_first(name));
    Members::new()
        .add_some("queueName", queue)
        .add_some("topicPath", topic)
        .add("namespace", &bus.namespace)
        .add_some("transportType", transport)
        .add_some("authentication", bus.authentication.as_ref().map(|key| authentication::sas_key(key, writer)))
        .add("message", writer.guarded(&bus.message))
        .add_some("brokeredMessageProperties", brokered_properties(&bus.brokered, writer))
        .add_some("customMessageProperties", guarded_texts(&bus.custom, writer))
        .into_json()
}

/// Whom an alert tells by e-mail. Their addresses are no secrets of the alert.
fn email_message(email: &EmailAction) -> Json {
    let to = email.to.iter().map(|address| Json::from(address.as_str())).collect();
    Members::new().add("to", Json::List(to)).into_json()
}

fn brokered_properties(properties: &BrokeredProperties, writer: &Writer) -> Option<Json> {
    Members::new()
        .add_some("contentType", properties.content_type.as_ref())
        .add_some("correlationId", properties.correlation_id.as_ref())
        .add_some("forcePersistence", properties.force_persistence)
        .add_some("label", properties.label.as_ref())
        .add_some("messageId", properties.message_id.as_ref())
        .add_some("partitionKey", properties.partition_key.as_ref())
        .add_some("replyTo", properties.reply_to.as_ref())
        .add_some("replyToSessionId", properties.reply_to_session_id.as_ref())
        .add_some("scheduledEnqueueTimeUtc", properties.scheduled_enqueue_time.map(|at| at.to_string()))
        .add_some("sessionId", properties.session_id.as_ref())
        .add_some("timeToLive", properties.time_to_live.as_ref().map(|span| writer.duration(span)))
        .add_some("to", properties.to.as_ref())
        .add_some("viaPartitionKey", properties.via_partition_key.as_ref())
        .if_any()
}
