//! The Service Bus actions: one message to a queue or a topic, over HTTPS or AMQP.
//!
//! ```text
//!   job ──▶ namespace.rs: where is it, whose key ──┬──▶ rest.rs ──▶ the HTTP client
//!                                                  └──▶ amqp/  (broker.rs says to whom, and how to log in)
//! ```

mod amqp;
mod broker;
mod namespace;
mod rest;
mod sas;

pub use namespace::{LoginKind, NAMESPACE, Namespace, NamespaceKey, QUEUE, Settings, TOPIC};

use std::sync::Arc;

use punctual_model::access::Scope;
use punctual_model::action::{Entity, Secret, ServiceBusAction, Target, Transport};
use punctual_model::failure::{Failure as FailureReason, FailureClass};
use tokio::time::timeout;

pub(crate) use self::amqp::Amqp;
use self::amqp::{Outgoing, Refused};
use self::broker::{Broker, Login};
use self::namespace::{NamespaceRoute, Way};
use crate::endpoint::ServiceEndpoint;
use crate::executor::{Call, Outcome};
use crate::failure::Failure;
use crate::http::{Client, Mask, MaskThreads, Stage};
use crate::limits;
use crate::post::AttemptReport;

/// Sends messages to queues and topics.
pub(crate) struct ServiceBus {
    settings: Settings,
    client: Arc<Client>,
    amqp: Amqp,
    mask_threads: MaskThreads,
}

/// A key of a namespace, by its name.
#[derive(Clone, Copy)]
struct NamedKey<'a> {
    name: &'a str,
    key: &'a Secret,
}

impl ServiceBus {
    pub(crate) fn new(settings: Settings, client: Arc<Client>, amqp: Amqp, mask_threads: MaskThreads) -> Self {
        Self { settings, client, amqp, mask_threads }
    }

    /// Makes one attempt, within the time that the job allows.
    pub(crate) async fn execute(&self, call: &Call, action: &ServiceBusAction) -> Outcome {
        let route = self.settings.route(&action.namespace);
        let sent = match route.way(action.transport) {
            Some(Way::Amqp(amqp)) => self.send_by_amqp(call, action, &route, amqp).await,
            Some(Way::Https(https)) => self.send_by_https(call, action, https).await,
            None if action.transport == Some(Transport::Amqp) => Err(no_way(action, "AMQP", Transport::NetMessaging)),
            None => Err(no_way(action, "HTTPS", Transport::Amqp)),
        };
        sent.unwrap_or_else(|failure| {
            let sentence = failure.sentence();
            let reason = FailureReason::new(failure.class(), &action.namespace, &sentence);
            let word = if failure.class() == FailureClass::Credential { "AuthenticationFailure " } else { "" };
            Outcome::hopeless(format!("{} Action - {word}{sentence}", call.kind()), reason)
        })
    }

    /// The connections that were made with the job's own key are not used again. Those with a key of the configuration stay:
    /// an edit of the job does not change it.
    pub(crate) fn forget(&self, action: &ServiceBusAction) {
        let route = self.settings.route(&action.namespace);
        let own =
            action.authentication.as_ref().and_then(|own| Some(NamedKey { name: &own.name, key: own.key.as_ref()? }));
        let broker = route.amqp.and_then(|amqp| broker(action, &route, amqp, own).ok());
        if let Some(broker) = broker.filter(|_| own.is_some()) {
            self.amqp.forget(&broker);
        }
    }

    /// Closes what nobody used for a while.
    pub(crate) fn sweep(&self) {
        self.amqp.sweep();
    }

    async fn send_by_https(
        &self,
        call: &Call,
        action: &ServiceBusAction,
        endpoint: &ServiceEndpoint,
    ) -> Result<Outcome, Failure> {
        let key = self.key(call, action).ok_or_else(|| no_key(action))?;
        let mut address = endpoint.address(&action.namespace)?;
        address.target = format!("{}/{}", address.target, name(&action.entity));
        let resource = format!("{}://{}{}", address.scheme(), address.authority(), address.target);
        let expires = call.started.saturating_add(limits::SERVICE_BUS_TOKEN_TICKS);
        let token = sas::token(&resource, key.name, key.key, expires);
        let post = rest::post(call, action, &token).map_err(|text| Failure::Address(text.into()))?;
        address.target.push_str("/messages");
        let sent = post.send(&self.client, &address, call).await;
        let report = AttemptReport { kind: call.kind(), host: address.host };
        let mask = mask(call, action, Some(key), Some(&token));
        let explain = |status| rest::explain(status, action, key.name);
        Ok(report.outcome(sent, |answer| explain(answer.head.status), mask, &self.mask_threads).await)
    }

    async fn send_by_amqp(
        &self,
        call: &Call,
        action: &ServiceBusAction,
        route: &NamespaceRoute<'_>,
        endpoint: &ServiceEndpoint,
    ) -> Result<Outcome, Failure> {
        let key = self.key(call, action);
        let broker = broker(action, route, endpoint, key)?;
        let link = route.link(&action.entity);
        let limit = call.time_limit();
        let stage = Stage::of(call);
        let message = Outgoing::new(call, action);
        let (kind, host) = (call.kind(), &broker.host);
        let sent = timeout(limit, self.amqp.send(&broker, &link, message, call.started, &stage)).await;
        let Refused { class, sentence, trouble, retry_after_ticks } = match sent {
            Ok(Ok(())) => {
                let message = format!("{kind} Action - Host '{host}' accepted the message for '{link}'.");
                return Ok(Outcome::succeeded(message));
            }
            Ok(Err(refused)) => refused,
            Err(_) => stage.failure(limit).into(),
        };
        let sentence = mask(call, action, key, None).text(&sentence);
        let message = format!("{kind} Action - Request to host '{host}' failed: {sentence}");
        // The word for programs is not for people.
        let (_, for_people) = sentence.split_once(' ').unwrap_or_default();
        Ok(Outcome::refused(message, FailureReason::new(class, host, for_people), retry_after_ticks, trouble))
    }

    /// The key of the job, else the one that the configuration holds for it.
    fn key<'a>(&'a self, call: &Call, action: &'a ServiceBusAction) -> Option<NamedKey<'a>> {
        let own = action.authentication.as_ref()?;
        let held = || {
            let collection = || namespace::collection(call.names());
            let scope = call.definition.options.key_scope().cloned().or_else(collection);
            self.settings.key(&action.namespace, &own.name, scope.as_ref())
        };
        let key = own.key.as_ref().or_else(held)?;
        Some(NamedKey { name: &own.name, key })
    }
}

impl Settings {
    /// Says which key is wanted, if an action needs one and neither the action nor these settings have it for jobs of the
    /// collection.
    pub(crate) fn wanted_key(&self, action: &ServiceBusAction, collection: Option<&Scope>) -> Option<String> {
        let route = self.route(&action.namespace);
        let needs_none = matches!(route.way(action.transport)?, Way::Amqp(_)) && route.login == LoginKind::Anonymous;
        let has_one = action
            .authentication
            .as_ref()
            .is_some_and(|own| own.key.is_some() || self.key(&action.namespace, &own.name, collection).is_some());
        (!needs_none && !has_one).then(|| key_wanted(action).trim_end_matches('.').to_owned())
    }
}

/// Who is connected to, and how to log in there.
fn broker(
    action: &ServiceBusAction,
    route: &NamespaceRoute<'_>,
    endpoint: &ServiceEndpoint,
    key: Option<NamedKey<'_>>,
) -> Result<Broker, Failure> {
    let address = endpoint.address(&action.namespace)?;
    let key = || key.ok_or_else(|| no_key(action));
    let login = match route.login {
        LoginKind::Cbs => {
            let NamedKey { name, key } = key()?;
            Login::Cbs { key_name: name.to_owned(), key: key.clone(), resource: format!("sb://{}", address.host) }
        }
        LoginKind::Plain => {
            let NamedKey { name, key } = key()?;
            Login::Plain { user: name.to_owned(), password: key.clone() }
        }
        LoginKind::Anonymous => Login::Anonymous,
    };
    Ok(Broker { host: address.host, port: address.port, is_tls: address.is_tls, login })
}

fn name(entity: &Entity) -> &str {
    match entity {
        Entity::Queue(name) | Entity::Topic(name) => name,
    }
}

/// What a broker may repeat and nobody shall read: the key, what was made of it, and what the job says.
fn mask(call: &Call, action: &ServiceBusAction, key: Option<NamedKey<'_>>, token: Option<&Secret>) -> Mask<'static> {
    let with_gaps = call.target_with_gaps();
    let own = match &with_gaps {
        Some(Target::ServiceBus(own)) => own,
        _ => action,
    };
    let key = key.map_or("", |key| key.key.expose());
    let token = token.map(sas::secrets).unwrap_or_default();
    let values: Vec<&str> = own.custom.iter().map(|(_, value)| &**value).chain([&*own.message]).collect();
    Mask::of(&[key, &token[0], &token[1]], &values)
}

/// Whether the key does not exist or is not for this job is not told: who may not use it need not know.
fn no_key(action: &ServiceBusAction) -> Failure {
    Failure::Credentials(key_wanted(action))
}

fn key_wanted(action: &ServiceBusAction) -> String {
    let namespace = &action.namespace;
    match &action.authentication {
        Some(own) => format!(
            "There is no key '{}' of the namespace '{namespace}' that this job may use: give it one (authentication.sasKey), or \
             have the operator put it into the configuration for this collection.",
            own.name
        ),
        None => {
            format!("The namespace '{namespace}' demands a key, and the job names none (authentication.sasKeyName).")
        }
    }
}

fn no_way(action: &ServiceBusAction, wanted: &str, other: Transport) -> Failure {
    let text = format!(
        "The configuration names no address at which the namespace '{}' is reached over {wanted}. Set transportType to {}.",
        action.namespace,
        other.name()
    );
    Failure::Address(text.into())
}
