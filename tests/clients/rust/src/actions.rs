//! One action for each kind, in the models of the client.

use azure_mgmt_scheduler::package_2016_03::models::*;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

pub const RETRY_INTERVAL: &str = "PT1M30S";
pub const TIME_TO_LIVE: &str = "PT2H5M";

/// So far away that no job here ever runs by itself.
pub fn start() -> OffsetDateTime {
    instant("2037-01-02T10:20:30.123Z")
}

pub fn end() -> OffsetDateTime {
    instant("2038-01-02T00:00:00Z")
}

pub fn instant(text: &str) -> OffsetDateTime {
    OffsetDateTime::parse(text, &Rfc3339).unwrap()
}

pub fn http() -> JobAction {
    let request = HttpRequest {
        uri: text("http://example.test/a?b=c"),
        method: text("PUT"),
        body: text("body"),
        headers: Some(json!({"x-a": "1"})),
        ..HttpRequest::new()
    };
    JobAction { type_: Some(job_action::Type::Http), request: Some(request), ..JobAction::new() }
}

pub fn https_basic() -> JobAction {
    https(HttpAuthenticationUnion::Basic(BasicAuthentication { username: text("clerk"), password: text("not shown") }))
}

pub fn https_oauth() -> JobAction {
    https(HttpAuthenticationUnion::ActiveDirectoryOAuth(OAuthAuthentication {
        secret: text("not shown"),
        tenant: text("contoso.test"),
        audience: text("https://example.test/"),
        client_id: text("app"),
    }))
}

fn https(authentication: HttpAuthenticationUnion) -> JobAction {
    let request = HttpRequest {
        authentication: Some(authentication),
        uri: text("https://example.test/"),
        method: text("GET"),
        ..HttpRequest::new()
    };
    JobAction { type_: Some(job_action::Type::Https), request: Some(request), ..JobAction::new() }
}

pub fn storage_queue() -> JobAction {
    let message = Some(queue_message());
    JobAction { type_: Some(job_action::Type::StorageQueue), queue_message: message, ..JobAction::new() }
}

pub fn queue_message() -> StorageQueueMessage {
    StorageQueueMessage {
        storage_account: text("account"),
        queue_name: text("queue"),
        sas_token: text("sv=1&sig=x"),
        message: text("hi"),
    }
}

pub fn service_bus_queue() -> JobAction {
    let properties = ServiceBusBrokeredMessageProperties {
        content_type: text("text/plain"),
        correlation_id: text("c"),
        force_persistence: Some(true),
        label: text("l"),
        message_id: text("m"),
        scheduled_enqueue_time_utc: Some(end()),
        session_id: text("s"),
        time_to_live: text(TIME_TO_LIVE),
        ..ServiceBusBrokeredMessageProperties::new()
    };
    let service_bus_message = ServiceBusMessage {
        brokered_message_properties: Some(properties),
        custom_message_properties: Some(json!({"colour": "red"})),
        transport_type: Some(service_bus_message::TransportType::Amqp),
        ..service_bus_message()
    };
    let message = ServiceBusQueueMessage { service_bus_message, queue_name: text("queue") };
    JobAction {
        type_: Some(job_action::Type::ServiceBusQueue),
        service_bus_queue_message: Some(message),
        ..JobAction::new()
    }
}

pub fn service_bus_topic() -> JobAction {
    let message = ServiceBusTopicMessage { service_bus_message: service_bus_message(), topic_path: text("topic") };
    JobAction {
        type_: Some(job_action::Type::ServiceBusTopic),
        service_bus_topic_message: Some(message),
        ..JobAction::new()
    }
}

fn service_bus_message() -> ServiceBusMessage {
    let authentication = ServiceBusAuthentication {
        sas_key: text("not shown"),
        sas_key_name: text("sender"),
        type_: Some(service_bus_authentication::Type::SharedAccessKey),
    };
    ServiceBusMessage {
        authentication: Some(authentication),
        message: text("hi"),
        namespace: text("bus-of-tests"),
        transport_type: Some(service_bus_message::TransportType::NetMessaging),
        ..ServiceBusMessage::new()
    }
}

pub fn with_retries_and_error_action() -> JobAction {
    let retry_policy = RetryPolicy {
        retry_type: Some(retry_policy::RetryType::Fixed),
        retry_interval: text(RETRY_INTERVAL),
        retry_count: Some(3),
    };
    let error_action = JobErrorAction {
        type_: Some(job_error_action::Type::StorageQueue),
        queue_message: Some(queue_message()),
        retry_policy: Some(RetryPolicy { retry_type: Some(retry_policy::RetryType::None), ..RetryPolicy::new() }),
        ..JobErrorAction::new()
    };
    JobAction { retry_policy: Some(retry_policy), error_action: Some(error_action), ..http() }
}

pub fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}
