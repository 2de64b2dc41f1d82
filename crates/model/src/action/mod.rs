//! What a job does when it is due.
//!
//! An action is written with or without its secrets: a client that writes back what it read has none to send. Hence the
//! parameter `S`. An `Action<Option<Secret>>` is what came in at the door; [`Action::complete`] takes what is missing
//! from the stored action and gives an `Action`, which has every secret it needs.

mod address;
mod authentication;
mod complete;
mod deed;
mod email;
mod expiry;
mod host;
mod http;
mod map_secrets;
mod queue_text;
mod sas_token;
mod secret;
mod service_bus;
mod signing;
mod storage_queue;
mod unmask;

pub use address::{Address, Origin, Scheme, looks_secret, mask_address};
pub use authentication::{Authentication, CertificateInfo, check_credential, check_pfx, check_tenant, check_username};
pub use email::{EmailAction, EmailAddress, EmailMessage, check_recipients};
pub use host::{canonical_host, literal_ip};
pub use http::{HttpAction, HttpType, check_header, check_headers, check_method};
pub(crate) use queue_text::is_xml;
pub use queue_text::{QueueEnvelope, check_queue_message, escape_xml};
pub use sas_token::SasToken;
pub use secret::{MASK, Secret};
pub use service_bus::{
    BrokeredProperties, Entity, RESENT_PROPERTY, SasKey, ServiceBusAction, Transport, check_custom, check_custom_name,
    check_entity, check_namespace,
};
pub use signing::{Signing, check_signing_key, is_header_of_signature};
pub use storage_queue::{
    MessageFormat, StorageQueueAction, check_account, check_queue, check_queue_times, check_sas_token,
};

use crate::occurrence::Phase;
use crate::retry::RetryPolicy;
use crate::{Expected, limits};

/// What a job does, how often it tries, and what it does after the last failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action<S = Secret> {
    /// What is done.
    pub target: Target<S>,
    /// How failures are retried; by default four times.
    pub retry: Option<RetryPolicy>,
    /// What is done after the last failed attempt.
    pub error: Option<ErrorAction<S>>,
    /// Whether HTTP calls, of either action, are signed. In the API this is one of the options; it is kept here because
    /// it is a secret, and actions are what is sealed.
    pub sign: Option<Signing<S>>,
}

impl<S> Action<S> {
    /// The targets of the action and of its error action, each with its path in the definition of the job.
    pub fn targets(&self) -> impl Iterator<Item = (&'static str, &Target<S>)> {
        let error = self.error.as_ref().map(|error| ("action.errorAction", &error.target));
        [("action", &self.target)].into_iter().chain(error)
    }

    /// What an attempt of `phase` calls. The main target stands in for an error action that an edit has removed: nothing
    /// will be called, and what is open still waits in some lane.
    pub fn target_of(&self, phase: Phase) -> &Target<S> {
        match (phase, &self.error) {
            (Phase::Error, Some(error)) => &error.target,
            _ => &self.target,
        }
    }
}

impl<S> Target<S> {
    /// What is called, in short: host and port, account and queue, namespace and entity, the domain of who gets e-mail; no
    /// path and no query, which may hold secrets.
    pub fn label(&self) -> String {
        match self {
            Self::Http(http) => http.uri.host_key(),
            Self::StorageQueue(queue) => format!("{}/{}", queue.account, queue.queue),
            Self::ServiceBus(bus) => match &bus.entity {
                Entity::Queue(name) | Entity::Topic(name) => format!("{}/{name}", bus.namespace),
            },
            Self::Email(email) => email.to.first().map(EmailAddress::domain).unwrap_or_default(),
        }
    }
}

/// The action after the last failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorAction<S = Secret> {
    /// What is done.
    pub target: Target<S>,
    /// How failures are retried; by default as those of the main action.
    pub retry: Option<RetryPolicy>,
}

/// The kinds of action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target<S = Secret> {
    /// Calls an HTTP endpoint.
    Http(HttpAction<S>),
    /// Puts a message on a storage queue.
    StorageQueue(StorageQueueAction<S>),
    /// Sends a message to a Service Bus queue or topic.
    ServiceBus(Box<ServiceBusAction<S>>),
    /// Sends an e-mail. Only alerts do.
    Email(EmailAction),
}

impl<S> Target<S> {
    /// The `type` of the action in the API.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Http(http) => http.kind.name(),
            Self::StorageQueue(_) => "StorageQueue",
            Self::ServiceBus(bus) => match bus.entity {
                Entity::Queue(_) => "ServiceBusQueue",
                Entity::Topic(_) => "ServiceBusTopic",
            },
            Self::Email(_) => "Email",
        }
    }
}

/// Checks the length of a message or of the body of a request.
pub fn check_message(text: &str) -> Result<(), Expected> {
    if text.chars().count() <= limits::MESSAGE_CHARS_MAX {
        Ok(())
    } else {
        Err(Expected::new(format!("at most {} characters", limits::MESSAGE_CHARS_MAX)))
    }
}
