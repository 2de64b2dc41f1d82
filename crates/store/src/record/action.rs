//! What a job does, with its secrets: what is sealed.

use std::borrow::Cow;

use punctual_model::action::{
    Action, Address, Authentication, BrokeredProperties, CertificateInfo, Entity, ErrorAction, HttpAction, HttpType,
    MessageFormat, SasKey, Secret, ServiceBusAction, Signing, StorageQueueAction, Target, Transport,
};
use punctual_model::retry::{RetryKind, RetryPolicy};
use punctual_model::time::{Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::email::EmailRow;
use super::schedule::{named, read_span, timestamp};
use super::{Needs, Unreadable, parse, rewrite, text};

/// Writes an action, secrets included: for the seal, and for nothing else.
pub fn write_action(action: &Action) -> String {
    let error = action.error.as_ref();
    let row = ActionRow {
        target: TargetRow::write(&action.target),
        retry: action.retry.as_ref().map(RetryRow::write),
        error: error.map(|error| (TargetRow::write(&error.target), error.retry.as_ref().map(RetryRow::write))),
        sign: action.sign.as_ref().map(|sign| exposed(&sign.key)),
        _needs: Needs,
    };
    text(&row)
}

/// Reads an action.
pub fn read_action(bytes: &[u8]) -> Result<Action, Unreadable> {
    let row: ActionRow = parse(str::from_utf8(bytes).map_err(Unreadable::new)?)?;
    let error = row.error.map(|(target, retry)| {
        Ok::<_, Unreadable>(ErrorAction { target: target.read()?, retry: retry.map(RetryRow::read).transpose()? })
    });
    Ok(Action {
        target: row.target.read()?,
        retry: row.retry.map(RetryRow::read).transpose()?,
        error: error.transpose()?,
        sign: row.sign.map(|key| Signing { key: Secret::new(key) }),
    })
}

/// Writes an action in the place of one that was there, and keeps what this version does not know of it.
pub fn rewrite_action(old: &[u8], action: &Action) -> Result<String, Unreadable> {
    let new = write_action(action);
    let Ok(old) = str::from_utf8(old) else { return Ok(new) };
    rewrite(old, new, |old| read_action(old.as_bytes()), write_action)
}

#[derive(Serialize, Deserialize)]
struct ActionRow<'a> {
    #[serde(rename = "needs", default, skip_serializing)]
    _needs: Needs,
    #[serde(borrow)]
    target: TargetRow<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<RetryRow>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    error: Option<(TargetRow<'a>, Option<RetryRow>)>,
    /// The key that calls are signed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    sign: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TargetRow<'a> {
    #[serde(borrow)]
    Http(HttpRow<'a>),
    StorageQueue(StorageQueueRow),
    ServiceBus(Box<ServiceBusRow>),
    Email(EmailRow),
}

#[derive(Serialize, Deserialize)]
struct RetryRow {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_max: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<i64>,
}

/// Texts are borrowed where they can be: such a row is read for every call, and written for every new job.
#[derive(Serialize, Deserialize)]
struct HttpRow<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    uri: Cow<'a, str>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    headers: Cow<'a, [(String, String)]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authentication: Option<AuthenticationRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AuthenticationRow {
    ClientCertificate {
        pfx: String,
        password: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        thumbprint: Option<String>,
        /// Since and until when it is valid, in ticks, and whose it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        info: Option<(i64, i64, String)>,
    },
    Basic {
        username: String,
        password: String,
    },
    #[serde(rename = "oauth")]
    OAuth {
        tenant: String,
        audience: String,
        client_id: String,
        secret: String,
    },
}

#[derive(Serialize, Deserialize)]
struct StorageQueueRow {
    account: String,
    queue: String,
    sas_token: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_live: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility_delay: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct ServiceBusRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    namespace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<String>,
    /// The name of the key and the key, unless the configuration holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<(String, Option<String>)>,
    message: String,
    #[serde(default)]
    brokered: BrokeredRow,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    custom: Vec<(String, String)>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct BrokeredRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    force_persistence: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to_session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduled_enqueue_time: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_live: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via_partition_key: Option<String>,
}

impl<'a> TargetRow<'a> {
    fn write(target: &'a Target) -> Self {
        match target {
            Target::Http(http) => Self::Http(HttpRow::write(http)),
            Target::StorageQueue(queue) => Self::StorageQueue(StorageQueueRow::write(queue)),
            Target::ServiceBus(bus) => Self::ServiceBus(Box::new(ServiceBusRow::write(bus))),
            Target::Email(email) => Self::Email(EmailRow::write(email)),
        }
    }

    fn read(self) -> Result<Target, Unreadable> {
        Ok(match self {
            Self::Http(row) => Target::Http(row.read()?),
            Self::StorageQueue(row) => Target::StorageQueue(row.read()?),
            Self::ServiceBus(row) => Target::ServiceBus(Box::new(row.read()?)),
            Self::Email(row) => Target::Email(row.read()?),
        })
    }
}

impl RetryRow {
    fn write(policy: &RetryPolicy) -> Self {
        Self {
            kind: policy.kind().name().to_owned(),
            interval: written(policy.interval()),
            interval_max: written(policy.interval_max()),
            count: policy.count().map(i64::from),
        }
    }

    fn read(self) -> Result<RetryPolicy, Unreadable> {
        let kind = named(&self.kind, &RetryKind::ALL, RetryKind::name)?;
        Ok(RetryPolicy::new(Some(kind), read_span(self.interval)?, read_span(self.interval_max)?, self.count)?)
    }
}

impl<'a> HttpRow<'a> {
    fn write(http: &'a HttpAction) -> Self {
        Self {
            kind: http.kind.name().into(),
            uri: http.uri.as_str().into(),
            method: http.method.as_str().into(),
            headers: http.headers.as_slice().into(),
            body: http.body.as_deref().map(Cow::Borrowed),
            authentication: http.authentication.as_ref().map(AuthenticationRow::write),
        }
    }

    fn read(self) -> Result<HttpAction, Unreadable> {
        Ok(HttpAction {
            kind: named(&self.kind, &HttpType::ALL, HttpType::name)?,
            uri: Address::parse(&self.uri).map_err(Unreadable::new)?,
            method: self.method.into_owned(),
            headers: self.headers.into_owned(),
            body: self.body.map(Cow::into_owned),
            authentication: self.authentication.map(AuthenticationRow::read).transpose()?,
        })
    }
}

impl AuthenticationRow {
    fn write(authentication: &Authentication) -> Self {
        match authentication {
            Authentication::ClientCertificate { pfx, password, thumbprint, info } => Self::ClientCertificate {
                pfx: exposed(pfx),
                password: exposed(password),
                thumbprint: thumbprint.clone(),
                info: info.as_ref().map(|it| (it.valid_from.ticks(), it.expires.ticks(), it.subject.clone())),
            },
            Authentication::Basic { username, password } => {
                Self::Basic { username: username.clone(), password: exposed(password) }
            }
            Authentication::OAuth { tenant, audience, client_id, secret } => Self::OAuth {
                tenant: tenant.clone(),
                audience: audience.clone(),
                client_id: client_id.clone(),
                secret: exposed(secret),
            },
        }
    }

    fn read(self) -> Result<Authentication, Unreadable> {
        Ok(match self {
            Self::ClientCertificate { pfx, password, thumbprint, info } => {
                let info = info.map(|(valid_from, expires, subject)| {
                    let (valid_from, expires) = (timestamp(valid_from)?, timestamp(expires)?);
                    Ok::<_, Unreadable>(CertificateInfo { valid_from, expires, subject })
                });
                let (pfx, password) = (Secret::new(pfx), Secret::new(password));
                Authentication::ClientCertificate { pfx, password, thumbprint, info: info.transpose()? }
            }
            Self::Basic { username, password } => Authentication::Basic { username, password: Secret::new(password) },
            Self::OAuth { tenant, audience, client_id, secret } => {
                Authentication::OAuth { tenant, audience, client_id, secret: Secret::new(secret) }
            }
        })
    }
}

impl StorageQueueRow {
    fn write(queue: &StorageQueueAction) -> Self {
        Self {
            account: queue.account.clone(),
            queue: queue.queue.clone(),
            sas_token: exposed(&queue.sas_token),
            message: queue.message.clone(),
            format: queue.format.map(|format| format.name().to_owned()),
            time_to_live: written(queue.time_to_live.as_ref()),
            visibility_delay: written(queue.visibility_delay.as_ref()),
        }
    }

    fn read(self) -> Result<StorageQueueAction, Unreadable> {
        Ok(StorageQueueAction {
            account: self.account,
            queue: self.queue,
            sas_token: Secret::new(self.sas_token),
            message: self.message,
            format: self.format.map(|name| named(&name, &MessageFormat::ALL, MessageFormat::name)).transpose()?,
            time_to_live: read_span(self.time_to_live)?,
            visibility_delay: read_span(self.visibility_delay)?,
        })
    }
}

impl ServiceBusRow {
    fn write(bus: &ServiceBusAction) -> Self {
        let (queue, topic) = match &bus.entity {
            Entity::Queue(queue) => (Some(queue.clone()), None),
            Entity::Topic(topic) => (None, Some(topic.clone())),
        };
        Self {
            queue,
            topic,
            namespace: bus.namespace.clone(),
            transport: bus.transport.map(|transport| transport.name().to_owned()),
            key: bus.authentication.as_ref().map(|key| (key.name.clone(), key.key.as_ref().map(exposed))),
            message: bus.message.clone(),
            brokered: BrokeredRow::write(&bus.brokered),
            custom: bus.custom.clone(),
        }
    }

    fn read(self) -> Result<ServiceBusAction, Unreadable> {
        let entity = match (self.queue, self.topic) {
            (Some(queue), None) => Entity::Queue(queue),
            (None, Some(topic)) => Entity::Topic(topic),
            _ => return Err(Unreadable::new("a message goes to a queue or to a topic")),
        };
        Ok(ServiceBusAction {
            entity,
            namespace: self.namespace,
            transport: self.transport.map(|name| named(&name, &Transport::ALL, Transport::name)).transpose()?,
            authentication: self.key.map(|(name, key)| SasKey { name, key: key.map(Secret::new) }),
            message: self.message,
            brokered: self.brokered.read()?,
            custom: self.custom,
        })
    }
}

impl BrokeredRow {
    fn write(properties: &BrokeredProperties) -> Self {
        let it = properties.clone();
        Self {
            content_type: it.content_type,
            correlation_id: it.correlation_id,
            force_persistence: it.force_persistence,
            label: it.label,
            message_id: it.message_id,
            partition_key: it.partition_key,
            reply_to: it.reply_to,
            reply_to_session_id: it.reply_to_session_id,
            scheduled_enqueue_time: it.scheduled_enqueue_time.map(Timestamp::ticks),
            session_id: it.session_id,
            time_to_live: written(it.time_to_live.as_ref()),
            to: it.to,
            via_partition_key: it.via_partition_key,
        }
    }

    fn read(self) -> Result<BrokeredProperties, Unreadable> {
        Ok(BrokeredProperties {
            content_type: self.content_type,
            correlation_id: self.correlation_id,
            force_persistence: self.force_persistence,
            label: self.label,
            message_id: self.message_id,
            partition_key: self.partition_key,
            reply_to: self.reply_to,
            reply_to_session_id: self.reply_to_session_id,
            scheduled_enqueue_time: self.scheduled_enqueue_time.map(timestamp).transpose()?,
            session_id: self.session_id,
            time_to_live: read_span(self.time_to_live)?,
            to: self.to,
            via_partition_key: self.via_partition_key,
        })
    }
}

fn exposed(secret: &Secret) -> String {
    secret.expose().to_owned()
}

fn written(span: Option<&Span>) -> Option<String> {
    span.map(|span| span.as_written().to_owned())
}
