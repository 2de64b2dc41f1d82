//! Messages to brokers that speak AMQP 1.0: the Service Bus, and others by setting.
//!
//! ```text
//!   attempts      many at once; each waits for its own message, within its own time
//!      │ Amqp::send
//!   connection    one for each broker and login (`connection`), on a stream from our own way out (`cuttable`)
//!      ├─ session ── link to $cbs, link from $cbs      tokens, if the login is by them (`cbs`)
//!      ├─ session ── link to "orders"                  messages (`link`)
//!      └─ session ── link to "invoices"
//!
//!   us                                              the broker
//!   SASL (ANONYMOUS or PLAIN), open       ───────►  open
//!   begin, attach to and from $cbs        ───────►  begin, attach
//!   put-token for sb://namespace/orders   ───────►  202, or 401 and why
//!   begin, attach to "orders"             ───────►  attach, credit for 1,000 messages; or detach and why
//!   transfer 0, transfer 1, transfer 2 …  ───────►  disposition of 0 to 2: accepted, rejected and why …
//!   put-token again before an hour is over
//! ```
//!
//! Whatever several attempts need is made by a task and not by one of them (`cache`), and an attempt that is given up takes
//! nothing with it: before its message is handed over nothing was written, and afterwards it only stops waiting. A kept
//! connection or link that turns out to have ended is replaced, once in an attempt (`broken`).

mod broken;
mod cache;
mod cbs;
mod connection;
mod cuttable;
mod link;
mod message;
mod refused;

pub(crate) use message::Outgoing;
pub(crate) use refused::Refused;

use std::sync::Arc;
use std::time::Duration;

use punctual_model::time::Timestamp;
use tokio::time::timeout;

use self::broken::{Again, Broken, Ends, When};
use self::cache::{Shared, SharedCache};
use self::connection::Connection;
use self::link::{DeliveryPermit, Link};
use super::broker::Broker;
use crate::coarse_clock::CoarseClock;
use crate::connect::Connector;
use crate::http::Stage;
use crate::limits;

/// Sends messages to brokers. It holds the connections.
pub(crate) struct Amqp {
    connector: Arc<Connector>,
    clock: Arc<CoarseClock>,
    connections: SharedCache<Connection>,
}

impl Amqp {
    pub(crate) fn new(connector: Arc<Connector>, clock: Arc<CoarseClock>) -> Self {
        let connections = SharedCache::new(limits::AMQP_CONNECTIONS_MAX, Arc::clone(&clock));
        Self { connector, clock, connections }
    }

    /// Sends a message to the node of the broker that has this address, and waits until the broker has it. The caller may
    /// give up at any time. `started` is the present, for tokens.
    pub(crate) async fn send(
        &self,
        broker: &Broker,
        address: &str,
        mut message: Outgoing,
        started: Timestamp,
        stage: &Stage,
    ) -> Result<(), Refused> {
        let key = broker.pool_key();
        let Err(first) = self.try_once(&key, broker, address, &message, started, stage).await else {
            return Ok(());
        };
        match first.again {
            Again::Never => return Err(first.refused),
            Again::Unsent => {}
            Again::Resent => message.mark_resent(),
        }
        // Rare: kept out of the future of the first try.
        let again = Box::pin(self.try_once(&key, broker, address, &message, started, stage));
        again.await.map_err(|second| second.refused)
    }

    /// Has no message use the connection with this login again; those on their way stay.
    pub(crate) fn forget(&self, broker: &Broker) {
        self.connections.remove(&broker.pool_key());
    }

    /// Closes what nobody used for a while.
    pub(crate) fn sweep(&self) {
        for connection in self.connections.sweep() {
            connection.sweep();
        }
    }

    async fn try_once(
        &self,
        key: &str,
        broker: &Broker,
        address: &str,
        message: &Outgoing,
        started: Timestamp,
        stage: &Stage,
    ) -> Result<(), Broken> {
        stage.connects();
        let shared = self.connections.get_or_make(key, || {
            Connection::open(Arc::clone(&self.connector), broker.clone(), Arc::clone(&self.clock))
        });
        let connection = shared.get().await?;
        let shared_link = connection.link(address, started);
        let sent = match shared_link.get().await {
            Ok(link) => {
                stage.waits();
                renew(&connection, &link, address, started);
                let waiting = Waiting { connections: &self.connections, key, shared: &shared, connection: &connection };
                waiting.deliver(&link, address, message).await
            }
            Err(refusal) => Err(refusal),
        };
        match sent.as_ref().err().map(|refusal| refusal.ends) {
            None | Some(Ends::Nothing) => {}
            Some(Ends::Link) => connection.discard(address, &shared_link),
            Some(Ends::Connection) => self.connections.discard(key, &shared),
        }
        sent
    }
}

/// Replaces the token of a link, if it is time to. Messages do not wait for it: the old token is still good.
fn renew(connection: &Arc<Connection>, link: &Arc<Link>, address: &str, started: Timestamp) {
    if link.claim_token_renewal(started) {
        let (connection, link, address) = (Arc::clone(connection), Arc::clone(link), address.to_owned());
        tokio::spawn(async move {
            let limit = Duration::from_secs(limits::AMQP_ANSWER_SECONDS_MAX);
            // If it fails for good, the broker detaches the link, and the next attempt is told why.
            if let Ok(Ok(())) = timeout(limit, connection.put_token(&address, started)).await {
                link.record_token(started);
            }
        });
    }
}

/// An attempt that waits for what becomes of its message.
struct Waiting<'a> {
    connections: &'a SharedCache<Connection>,
    key: &'a str,
    shared: &'a Shared<Connection>,
    connection: &'a Connection,
}

/// A message on its way. If it is dropped before it is settled, its attempt was given up.
struct OnItsWay<'a> {
    waiting: &'a Waiting<'a>,
    permit: DeliveryPermit<'a>,
    settled_count: u64,
}

impl Waiting<'_> {
    async fn deliver(&self, link: &Link, address: &str, message: &Outgoing) -> Result<(), Broken> {
        let (delivery, permit) = link.hand_over(message, address, &self.connection.permits).await?;
        let mut on_its_way = OnItsWay { waiting: self, permit, settled_count: self.connection.settled_count() };
        let settled = delivery.await;
        on_its_way.permit.take();
        let outcome = settled.map_err(|error| Broken::sending(error, When::After, address))?;
        self.connection.count_settled();
        Refused::check(outcome, address).map_err(Broken::answered)
    }
}

impl Drop for OnItsWay<'_> {
    /// The delivery is still on the connection, so its permit stays taken. If the broker has settled nothing in all that
    /// time, or so many deliveries were given up that no permit is left, the connection is of no use.
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.forget();
            let Waiting { connections, key, shared, connection } = self.waiting;
            if connection.settled_count() == self.settled_count || connection.permits.available_permits() == 0 {
                connections.discard(key, shared);
            }
        }
    }
}

#[cfg(test)]
mod tests;
