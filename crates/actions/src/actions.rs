//! All actions behind one door.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use punctual_model::action::Target;

use crate::connect::Connector;
use crate::http::{Client, Http};
use crate::names::Names;
use crate::perform::{Call, Outcome, Perform, Strain};
use crate::pulse::Pulse;
use crate::settings::{Error, Settings};
use crate::tls::Tls;

/// Makes attempts in the real world. One of them serves the whole process: it holds the connections.
pub struct Actions {
    http: Http,
    house: Arc<House>,
    is_kept: AtomicBool,
}

/// What grows old.
struct House {
    connector: Arc<Connector>,
    client: Arc<Client>,
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
        let http = Http::new(Arc::clone(&client));
        Ok(Self { http, house: Arc::new(House { connector, client, pulse }), is_kept: AtomicBool::new(false) })
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
                house.connector.names.sweep();
            }
        });
    }
}

#[async_trait]
impl Perform for Actions {
    async fn perform(&self, call: Call) -> Outcome {
        self.keep_house();
        match call.target() {
            Some(Target::Http(action)) => self.http.perform(&call, action).await,
            Some(target @ (Target::StorageQueue(_) | Target::ServiceBus(_))) => {
                Outcome::failed(format!("{} Action - not supported yet.", target.type_name()), Strain::None)
            }
            None => Outcome::failed("The job has no error action any more.".to_owned(), Strain::None),
        }
    }
}
