//! All actions behind one door.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use punctual_model::action::Target;
use punctual_model::failure::{Failure as FailureReason, FailureClass};
use punctual_model::job::Definition;
use tokio::task::AbortHandle;

use crate::certificates::Certificates;
use crate::coarse_clock::CoarseClock;
use crate::connect::Connector;
use crate::dns::DnsCache;
use crate::email::{Email, MailServer};
use crate::executor::{Call, Executor, Outcome};
use crate::http::{Client, Http, MaskThreads};
use crate::oauth::Tokens;
use crate::operator::is_loopback;
use crate::proxy::Proxy;
use crate::service_bus::{Amqp, ServiceBus};
use crate::settings::{Error, Settings};
use crate::storage_queue::StorageQueue;
use crate::tls::Tls;
use crate::upkeep::{self, Upkeep};

/// Makes attempts in the real world. One of them serves the whole process: it holds the connections.
pub struct Actions {
    http: Http,
    storage_queue: StorageQueue,
    service_bus: Arc<ServiceBus>,
    email: Email,
    caches: Caches,
    /// How people reach this server, for links to it.
    public_url: Option<String>,
    listen_url: String,
    /// The task that clears the caches. It begins with the first attempt, since only then there surely is a runtime.
    upkeep: OnceLock<AbortHandle>,
}

/// Connections, names, certificates and tokens that are kept for the next attempt, and the clock by which they age.
#[derive(Clone)]
struct Caches {
    clock: Arc<CoarseClock>,
    connector: Arc<Connector>,
    client: Arc<Client>,
    certificates: Arc<Certificates>,
    tokens: Arc<Tokens>,
    service_bus: Arc<ServiceBus>,
}

impl Actions {
    /// Sets everything up; nothing is connected to yet.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let clock = Arc::new(CoarseClock::default());
        let tls = Tls::new(settings.ca_pem.as_deref())?;
        let (look_up, proxy) = (settings.look_up.clone(), settings.proxy.clone());
        let email = email(settings.email, tls.clone(), DnsCache::new(look_up, Arc::clone(&clock)), proxy);
        let connector = Arc::new(Connector {
            egress: Some(settings.egress),
            dns: DnsCache::new(settings.look_up, Arc::clone(&clock)),
            tls,
            proxy: settings.proxy,
        });
        let client = Arc::new(Client::new(Arc::clone(&connector), Arc::clone(&clock)));
        let certificates = Arc::new(Certificates::new(Arc::clone(&connector), Arc::clone(&clock)));
        let tokens = Arc::new(Tokens::new(Arc::clone(&client), settings.oauth, Arc::clone(&clock)));
        let masks = MaskThreads::default();
        let http = Http::new(Arc::clone(&client), Arc::clone(&certificates), Arc::clone(&tokens), masks.clone());
        let storage_queue = StorageQueue::new(settings.storage_queue, Arc::clone(&client), masks.clone());
        let amqp = Amqp::new(Arc::clone(&connector), Arc::clone(&clock));
        let service_bus = ServiceBus::new(settings.service_bus, Arc::clone(&client), amqp, masks);
        let service_bus = Arc::new(service_bus);
        let caches = Caches { clock, connector, client, certificates, tokens, service_bus: Arc::clone(&service_bus) };
        let (public_url, listen_url) = (settings.public_url, settings.listen_url);
        Ok(Self { http, storage_queue, service_bus, email, caches, public_url, listen_url, upkeep: OnceLock::new() })
    }
}

/// E-mail goes by a server that the operator chose: no egress rules hold for it, and a call to this machine does not leave it,
/// not even for the proxy.
fn email(server: Option<MailServer>, tls: Tls, dns: DnsCache, proxy: Option<Proxy>) -> Email {
    let is_local = server.as_ref().is_some_and(|server| is_loopback(&server.host));
    Email::new(server, Connector { egress: None, dns, tls, proxy: proxy.filter(|_| !is_local) })
}

impl Drop for Actions {
    fn drop(&mut self) {
        if let Some(task) = self.upkeep.get() {
            task.abort();
        }
    }
}

impl Upkeep for Caches {
    const INTERVAL: Duration = Duration::from_secs(1);

    async fn pass(&mut self) {
        self.clock.advance_second();
        self.client.sweep();
        self.certificates.sweep();
        self.tokens.sweep();
        self.service_bus.sweep();
        self.connector.dns.sweep();
    }
}

#[async_trait]
impl Executor for Actions {
    async fn execute(&self, call: Call) -> Outcome {
        self.upkeep.get_or_init(|| tokio::spawn(upkeep::run(self.caches.clone())).abort_handle());
        let filled = call.filled_target(self.public_url.as_deref(), &self.listen_url);
        // Most calls are HTTP, thousands at a time: what other kinds need is kept out of the future that all of them are.
        match filled.as_ref().or(call.target()) {
            Some(Target::Http(action)) => self.http.execute(&call, action).await,
            Some(Target::StorageQueue(action)) => Box::pin(self.storage_queue.execute(&call, action)).await,
            Some(Target::ServiceBus(action)) => Box::pin(self.service_bus.execute(&call, action)).await,
            Some(Target::Email(action)) => Box::pin(self.email.execute(&call, action)).await,
            None => {
                let text = "The job has no error action any more.";
                Outcome::hopeless(text.to_owned(), FailureReason::new(FailureClass::Protocol, "", text))
            }
        }
    }

    fn forget(&self, definition: &Definition) {
        let error = definition.action.error.as_ref().map(|error| &error.target);
        for target in [Some(&definition.action.target), error].into_iter().flatten() {
            match target {
                Target::Http(action) => self.http.forget(action),
                Target::ServiceBus(action) => self.service_bus.forget(action),
                // The signature of a queue travels with each message, and e-mail goes by the operator's server.
                Target::StorageQueue(_) | Target::Email(_) => {}
            }
        }
    }
}
