//! All actions behind one door.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use punctual_model::action::Target;

use crate::connect::Connector;
use crate::http::Http;
use crate::names::Names;
use crate::perform::{Call, Outcome, Perform, Strain};
use crate::pulse::Pulse;
use crate::settings::{Error, Settings};
use crate::tls::Tls;

/// Makes attempts in the real world. One of them serves the whole process: it holds the connections.
pub struct Actions {
    http: Arc<Http>,
    pulse: Arc<Pulse>,
    is_kept: AtomicBool,
}

impl Actions {
    /// Sets everything up; nothing is connected to yet.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let pulse = Arc::new(Pulse::default());
        let connector = Connector {
            egress: settings.egress,
            names: Names::new(settings.look_up, Arc::clone(&pulse)),
            tls: Tls::new(settings.ca_pem.as_deref())?,
            proxy: settings.proxy,
        };
        Ok(Self { http: Arc::new(Http::new(connector, Arc::clone(&pulse))), pulse, is_kept: AtomicBool::new(false) })
    }

    /// With the first call begins the task that lets things grow old. It ends with this.
    fn keep_house(&self) {
        if self.is_kept.load(Ordering::Relaxed) || self.is_kept.swap(true, Ordering::Relaxed) {
            return;
        }
        let (http, pulse) = (Arc::downgrade(&self.http), Arc::clone(&self.pulse));
        tokio::spawn(async move {
            let mut seconds = tokio::time::interval(Duration::from_secs(1));
            loop {
                seconds.tick().await;
                pulse.beat();
                let Some(http) = http.upgrade() else { return };
                http.sweep();
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
