//! Turns the secrets of an action into something else, and leaves the rest of the action as it is.

use sha2::{Digest, Sha256};

use super::{
    Action, Authentication, ErrorAction, HttpAction, SasKey, Secret, ServiceBusAction, Signing, StorageQueueAction,
    Target,
};
use crate::job::Uid;

impl Action {
    /// The action with fingerprints instead of its secrets: what is kept of an action that is no longer in use. A secret that
    /// is another one has another fingerprint, and the same one has different fingerprints in different jobs. Their 32 bits
    /// are too few to find the secret.
    #[must_use]
    pub fn with_fingerprints(self, job: Uid) -> Self {
        self.map_secrets(&mut |secret| {
            let mut hash = Sha256::new();
            hash.update(job.bytes());
            hash.update(secret.expose().as_bytes());
            let [first, second, third, fourth, ..]: [u8; 32] = hash.finalize().into();
            Secret::new(format!("{:08x}", u32::from_be_bytes([first, second, third, fourth])))
        })
    }
}

impl<S> Action<S> {
    /// Whether there is a secret in the action.
    pub fn has_secrets(&self) -> bool {
        let error = self.error.as_ref();
        self.sign.is_some() || self.target.has_secrets() || error.is_some_and(|error| error.target.has_secrets())
    }

    /// The action with each secret changed, in the order in which they stand in the action.
    pub fn map_secrets<T>(self, change: &mut dyn FnMut(S) -> T) -> Action<T> {
        Action {
            target: self.target.map_secrets(change),
            retry: self.retry,
            error: self
                .error
                .map(|ErrorAction { target, retry }| ErrorAction { target: target.map_secrets(change), retry }),
            sign: self.sign.map(|Signing { key }| Signing { key: change(key) }),
        }
    }
}

impl<S> Target<S> {
    fn has_secrets(&self) -> bool {
        match self {
            Self::Http(http) => http.authentication.is_some(),
            Self::StorageQueue(_) => true,
            Self::ServiceBus(bus) => bus.authentication.is_some(),
            Self::Email(_) => false,
        }
    }

    fn map_secrets<T>(self, change: &mut dyn FnMut(S) -> T) -> Target<T> {
        match self {
            Self::Http(HttpAction { kind, uri, method, headers, body, authentication }) => {
                let authentication = authentication.map(|known| known.map_secrets(change));
                Target::Http(HttpAction { kind, uri, method, headers, body, authentication })
            }
            Self::StorageQueue(queue) => Target::StorageQueue(StorageQueueAction {
                sas_token: change(queue.sas_token),
                account: queue.account,
                queue: queue.queue,
                message: queue.message,
                format: queue.format,
                time_to_live: queue.time_to_live,
                visibility_delay: queue.visibility_delay,
            }),
            Self::ServiceBus(bus) => {
                let bus = *bus;
                let key = bus.authentication.map(|SasKey { name, key }| SasKey { name, key: key.map(&mut *change) });
                Target::ServiceBus(Box::new(ServiceBusAction {
                    authentication: key,
                    entity: bus.entity,
                    namespace: bus.namespace,
                    transport: bus.transport,
                    message: bus.message,
                    brokered: bus.brokered,
                    custom: bus.custom,
                }))
            }
            Self::Email(email) => Target::Email(email),
        }
    }
}

impl<S> Authentication<S> {
    fn map_secrets<T>(self, change: &mut dyn FnMut(S) -> T) -> Authentication<T> {
        match self {
            Self::ClientCertificate { pfx, password, thumbprint, info } => {
                Authentication::ClientCertificate { pfx: change(pfx), password: change(password), thumbprint, info }
            }
            Self::Basic { username, password } => Authentication::Basic { username, password: change(password) },
            Self::OAuth { tenant, audience, client_id, secret } => {
                Authentication::OAuth { tenant, audience, client_id, secret: change(secret) }
            }
        }
    }
}
