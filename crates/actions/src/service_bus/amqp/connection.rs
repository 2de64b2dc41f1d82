//! A connection to a broker, with one login.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fe2o3_amqp::Session;
use fe2o3_amqp::connection::ConnectionHandle;
use fe2o3_amqp::sasl_profile::SaslProfile;
use fe2o3_amqp::session::SessionHandle;
use punctual_model::action::Secret;
use punctual_model::time::Timestamp;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;

use super::broken::{Broken, Ends};
use super::cache::{Shared, SharedCache};
use super::cbs::Cbs;
use super::cuttable::{CutGuard, Cuttable};
use super::link::Link;
use crate::coarse_clock::CoarseClock;
use crate::connect::{Connector, Endpoint};
use crate::http::Mask;
use crate::limits;
use crate::service_bus::broker::{Broker, Login};
use crate::service_bus::sas;

/// Frames that wait in a session: all deliveries of a connection in the smallest frames a broker may ask for, so that
/// handing one over never waits for room.
const FRAMES_WAITING_MAX: usize = 1 << 20;

/// A connection to a broker. It closes when it is dropped.
pub(crate) struct Connection {
    login: Login,
    links: SharedCache<Link>,
    link_count: AtomicU64,
    cbs: Mutex<Option<Cbs>>,
    /// Room for deliveries that the broker has not confirmed.
    pub(super) permits: Semaphore,
    /// Deliveries that it has confirmed, or refused.
    settled_count: AtomicU64,
    handle: Mutex<ConnectionHandle<()>>,
    _cut_guard: CutGuard,
}

impl Connection {
    /// Connects, and logs in.
    pub(crate) async fn open(
        connector: Arc<Connector>,
        broker: Broker,
        clock: Arc<CoarseClock>,
    ) -> Result<Self, Broken> {
        let endpoint = Endpoint { host: &broker.host, port: broker.port, is_tls: broker.is_tls };
        let (stream, cut_guard) = Cuttable::new(connector.connect_bare(endpoint).await?);
        let profile = match &broker.login {
            Login::Plain { user, password } => {
                SaslProfile::Plain { username: user.clone(), password: password.expose().to_owned() }
            }
            Login::Cbs { .. } | Login::Anonymous => SaslProfile::Anonymous,
        };
        // If there is TLS, the stream has it already.
        let opening = fe2o3_amqp::Connection::builder()
            .container_id("punctual")
            .hostname(broker.host.as_str())
            .sasl_hostname(broker.host.as_str())
            .sasl_profile(profile)
            .max_frame_size(limits::AMQP_FRAME_BYTES_MAX)
            .idle_time_out(limits::AMQP_SILENCE_MILLISECONDS_MAX)
            .open_with_stream(stream);
        let limit = Duration::from_secs(limits::AMQP_ANSWER_SECONDS_MAX);
        let opened = timeout(limit, opening).await.map_err(|_| Broken::unopened())?;
        let handle = opened.map_err(|error| Broken::opening(&error, &broker))?;
        Ok(Self {
            login: broker.login,
            links: SharedCache::new(limits::AMQP_LINKS_MAX, clock),
            link_count: AtomicU64::new(0),
            cbs: Mutex::default(),
            permits: Semaphore::new(limits::AMQP_DELIVERIES_MAX),
            settled_count: AtomicU64::new(0),
            handle: Mutex::new(handle),
            _cut_guard: cut_guard,
        })
    }

    /// The link to a queue or topic.
    pub(crate) fn link(self: &Arc<Self>, address: &str, started: Timestamp) -> Shared<Link> {
        self.links.get_or_make(address, || {
            let (connection, address) = (Arc::clone(self), address.to_owned());
            async move { Link::attach(&connection, &address, started).await }
        })
    }

    /// Has nobody use this link again.
    pub(crate) fn discard(&self, address: &str, link: &Shared<Link>) {
        self.links.discard(address, link);
    }

    /// Drops links that nobody used for a while.
    pub(crate) fn sweep(&self) {
        self.links.sweep();
    }

    /// How many deliveries the broker has settled: whether the connection is alive.
    pub(crate) fn settled_count(&self) -> u64 {
        self.settled_count.load(Ordering::Relaxed)
    }

    /// The broker has settled one more.
    pub(crate) fn count_settled(&self) {
        self.settled_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets the links of this connection use a queue or topic for an hour, if the login is by tokens.
    pub(crate) async fn put_token(&self, address: &str, started: Timestamp) -> Result<(), Broken> {
        let Login::Cbs { key_name, key, resource } = &self.login else {
            return Ok(());
        };
        let audience = format!("{resource}/{address}");
        let token = sas::token(&audience, key_name, key, started.saturating_add(limits::SERVICE_BUS_TOKEN_TICKS));
        self.put(&audience, key_name, &token).await.map_err(|mut broken| {
            // Who refuses a token may show it.
            let [token, signature] = sas::secrets(&token);
            broken.refused.sentence = Mask::of(&[&token, &signature], &[]).text(&broken.refused.sentence);
            broken
        })
    }

    async fn put(&self, audience: &str, key_name: &str, token: &Secret) -> Result<(), Broken> {
        let mut kept = self.cbs.lock().await;
        if let Some(cbs) = &mut *kept {
            match cbs.put_token(audience, key_name, token).await {
                // The broker has detached what nobody used for a while.
                Err(broken) if broken.ends == Ends::Link => *kept = None,
                put => return put,
            }
        }
        let cbs = kept.insert(Cbs::attach(self.begin(audience).await?).await?);
        cbs.put_token(audience, key_name, token).await
    }

    /// Begins a session. It must not be given up half-way, as the library closes the connection then.
    pub(crate) async fn begin(&self, address: &str) -> Result<SessionHandle<()>, Broken> {
        let mut handle = self.handle.lock().await;
        let begun = Session::builder().buffer_size(FRAMES_WAITING_MAX).begin(&mut handle).await;
        begun.map_err(|error| Broken::beginning(error, address))
    }

    /// A name that no other link of this connection has.
    pub(crate) fn next_link_name(&self) -> String {
        format!("punctual-{}", self.link_count.fetch_add(1, Ordering::Relaxed))
    }
}
