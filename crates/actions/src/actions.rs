//! All actions behind one door.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use punctual_model::action::Target;
use punctual_model::job::Definition;

use crate::certificates::Certificates;
use crate::connect::Connector;
use crate::executor::{Call, Executor, HostTrouble, Outcome};
use crate::http::{Client, Http};
use crate::names::Names;
use crate::oauth::Tokens;
use crate::pulse::Pulse;
use crate::service_bus::ServiceBus;
use crate::settings::{Error, Settings};
use crate::storage_queue::StorageQueue;
use crate::tls::Tls;

/// Makes attempts in the real world. One of them serves the whole process: it holds the connections.
pub struct Actions {
    http: Http,
    storage_queue: StorageQueue,
    service_bus: Arc<ServiceBus>,
    house: Arc<House>,
    is_kept: AtomicBool,
}

/// What grows old.
struct House {
    connector: Arc<Connector>,
    client: Arc<Client>,
    certificates: Arc<Certificates>,
    tokens: Arc<Tokens>,
    service_bus: Arc<ServiceBus>,
    pulse: Arc<Pulse>,
}

impl Actions {
    /// Sets everything up; nothing is connected to yet.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let pulse = Arc::new(Pulse::default());
        let connector = Arc::new(Connector {
            egress: settings.egress,
            names: Names::new(settings.look_up, Arc::clone(&pulse)),
            tls: Tls::new(settings.ca_pem.as_deref())?,
            proxy: settings.proxy,
        });
        let client = Arc::new(Client::new(Arc::clone(&connector), Arc::clone(&pulse)));
        let certificates = Arc::new(Certificates::new(Arc::clone(&connector), Arc::clone(&pulse)));
        let tokens = Arc::new(Tokens::new(Arc::clone(&client), settings.oauth, Arc::clone(&pulse)));
        let http = Http::new(Arc::clone(&client), Arc::clone(&certificates), Arc::clone(&tokens));
        let storage_queue = StorageQueue::new(settings.storage_queue, Arc::clone(&client));
        let service_bus =
            ServiceBus::new(settings.service_bus, Arc::clone(&client), Arc::clone(&connector), Arc::clone(&pulse));
        let service_bus = Arc::new(service_bus);
        let house = House { connector, client, certificates, tokens, service_bus: Arc::clone(&service_bus), pulse };
        Ok(Self { http, storage_queue, service_bus, house: Arc::new(house), is_kept: AtomicBool::new(false) })
    }

    /// With the first call begins the task that lets things grow old. It ends with this.
    fn keep_house(&self) {
        if self.is_kept.load(Ordering::Relaxed) || self.is_kept.swap(true, Ordering::Relaxed) {
            return;
        }
        let house = Arc::downgrade(&self.house);
        tokio::spawn(async move {
            let mut seconds = tokio::time::interval(Duration::from_secs(1));
            loop {
                seconds.tick().await;
                let Some(house) = house.upgrade() else { return };
                house.pulse.beat();
                house.client.sweep();
                house.certificates.sweep();
                house.tokens.sweep();
                house.service_bus.sweep();
                house.connector.names.sweep();
            }
        });
    }
}

#[async_trait]
impl Executor for Actions {
    async fn execute(&self, call: Call) -> Outcome {
        self.keep_house();
        match call.target() {
            Some(Target::Http(action)) => self.http.execute(&call, action).await,
            Some(Target::StorageQueue(action)) => self.storage_queue.execute(&call, action).await,
            Some(Target::ServiceBus(action)) => self.service_bus.execute(&call, action).await,
            None => Outcome::failed("The job has no error action any more.".to_owned(), HostTrouble::None),
        }
    }

    fn forget(&self, definition: &Definition) {
        let error = definition.action.error.as_ref().map(|error| &error.target);
        for target in [Some(&definition.action.target), error].into_iter().flatten() {
            match target {
                Target::Http(action) => self.http.forget(action),
                Target::ServiceBus(action) => self.service_bus.forget(action),
                // Its signature travels with each message.
                Target::StorageQueue(_) => {}
            }
        }
    }
}
