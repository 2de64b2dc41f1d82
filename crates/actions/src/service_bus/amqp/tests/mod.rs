//! Sends messages to a double of a broker.

mod codec;
mod double;
mod failing;
mod lasting;
mod peer;
mod sending;

use std::sync::Arc;

use punctual_model::action::{Action, BrokeredProperties, Entity, Secret, ServiceBusAction, Target, Transport};
use punctual_model::job::Definition;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_model::options::{Options, OptionsParts};
use punctual_model::time::Timestamp;

use self::double::{Double, Event, Script};
use super::{Amqp, Outgoing, Refused};
use crate::coarse_clock::CoarseClock;
use crate::connect::Connector;
use crate::dns::DnsCache;
use crate::egress::Egress;
use crate::executor::Call;
use crate::http::Stage;
use crate::service_bus::broker::{Broker, Login};
use crate::settings::LookUp;
use crate::tls::Tls;

/// The time of all attempts that name no other.
const NOW_SECONDS: i64 = 1_800_000_000;

/// One who sends, and one who receives.
struct Pair {
    amqp: Arc<Amqp>,
    clock: Arc<CoarseClock>,
    broker: Broker,
    double: Double,
}

impl Pair {
    async fn new(script: Script) -> Self {
        let login = match (&script.key, &script.user) {
            (Some((name, key)), _) => Login::Cbs {
                key_name: name.clone(),
                key: Secret::new(key.as_str()),
                resource: "sb://Contoso.servicebus.windows.net".to_owned(),
            },
            (None, Some((user, password))) => {
                Login::Plain { user: user.clone(), password: Secret::new(password.as_str()) }
            }
            (None, None) => Login::Anonymous,
        };
        let double = Double::start(script, None).await;
        let clock = Arc::new(CoarseClock::default());
        let amqp = Arc::new(Amqp::new(connector(None, &clock), Arc::clone(&clock)));
        let broker = Broker { host: "127.0.0.1".to_owned(), port: double.port, is_tls: false, login };
        Self { amqp, clock, broker, double }
    }

    /// Sends a text to the queue `orders`.
    async fn send(&self, text: &str) -> Result<(), Refused> {
        self.send_to("orders", text).await
    }

    async fn send_to(&self, address: &str, text: &str) -> Result<(), Refused> {
        self.send_at(NOW_SECONDS, address, text).await
    }

    async fn send_at(&self, seconds: i64, address: &str, text: &str) -> Result<(), Refused> {
        let message = Outgoing::new(&call(false), &action(text));
        let started = Timestamp::from_seconds(seconds).unwrap();
        self.amqp.send(&self.broker, address, message, started, &Stage::default()).await
    }

    /// Sends a text in a task of its own.
    fn spawn(&self, text: &str) -> tokio::task::JoinHandle<Result<(), Refused>> {
        let (amqp, broker) = (Arc::clone(&self.amqp), self.broker.clone());
        let message = Outgoing::new(&call(false), &action(text));
        let started = Timestamp::from_seconds(NOW_SECONDS).unwrap();
        tokio::spawn(async move { amqp.send(&broker, "orders", message, started, &Stage::default()).await })
    }

    /// Why a text is refused, in one line.
    async fn refusal(&self, text: &str) -> String {
        tell(&self.send(text).await.unwrap_err())
    }

    /// What happened up to the next message, and this message's text.
    async fn events(&mut self) -> String {
        let mut told = Vec::new();
        loop {
            told.push(match self.double.next().await {
                Event::Opened { .. } => "opened".to_owned(),
                Event::Attached(address) => format!("attached {address}"),
                Event::Detached(address) => format!("detached {address}"),
                Event::Gone => "gone".to_owned(),
                Event::Token { audience, is_good } => {
                    format!("{} token for {audience}", if is_good { "good" } else { "bad" })
                }
                Event::Message { address, sections } => {
                    let resent = if sending::is_resent(&sections) { ", resent" } else { "" };
                    told.push(format!("{} for {address}{resent}", sending::text(&sections)));
                    return told.join(" · ");
                }
            });
        }
    }
}

fn connector(ca_pem: Option<&[u8]>, clock: &Arc<CoarseClock>) -> Arc<Connector> {
    Arc::new(Connector {
        egress: Some(Egress { is_loopback_allowed: true, ..Egress::default() }),
        dns: DnsCache::new(LookUp::default(), Arc::clone(clock)),
        tls: Tls::new(ca_pem).unwrap(),
        proxy: None,
    })
}

fn action(text: &str) -> ServiceBusAction {
    ServiceBusAction {
        entity: Entity::Queue("orders".to_owned()),
        namespace: "contoso".to_owned(),
        transport: Some(Transport::Amqp),
        authentication: None,
        message: text.to_owned(),
        brokered: BrokeredProperties::default(),
        custom: Vec::new(),
    }
}

fn call(is_resent: bool) -> Call {
    let target = Target::ServiceBus(Box::new(action("")));
    let action = Action { target, retry: None, error: None, sign: None };
    let options = Options::new(OptionsParts::default()).unwrap();
    Call {
        definition: Arc::new(Definition { start: None, action, recurrence: None, options }),
        phase: Phase::Main,
        job_path: "s/g/c/j".into(),
        occurrence: OccurrenceId::from_bytes([0xab; 16]),
        attempt_id: [0; 16],
        attempt: 1,
        failure: None,
        nominal: Timestamp::from_seconds(NOW_SECONDS).unwrap(),
        started: Timestamp::from_seconds(NOW_SECONDS).unwrap(),
        is_resent,
        trace: None,
    }
}

/// A refusal in one line.
fn tell(refused: &Refused) -> String {
    let retry = refused.retry_after_ticks.map(|ticks| format!(", retry after {} s", ticks / 10_000_000));
    format!("{} [{:?}{}]", refused.sentence, refused.trouble, retry.unwrap_or_default())
}
