//! A link to one queue or topic, on which many messages are on their way at once.

use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use fe2o3_amqp::Sender;
use fe2o3_amqp::link::SendError;
use fe2o3_amqp::link::delivery::DeliveryFut;
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::messaging::Outcome;
use punctual_model::time::Timestamp;
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::task::{AbortHandle, unconstrained};
use tokio::time::timeout;

use super::broken::{Broken, When};
use super::connection::Connection;
use super::message::Outgoing;
use crate::limits;

/// How often a message that waits for credit looks for it by itself. The library tells who waits that credit has come, but
/// not who is just about to wait; nobody would tell that message again.
const CREDIT_LOOKED_FOR: Duration = Duration::from_secs(1);

/// A link to one queue or topic.
pub(crate) struct Link {
    /// Held while a message is handed over, not while it is waited for what becomes of it. None when the session has ended.
    sender: Arc<Mutex<Option<Sender>>>,
    /// The time of the first attempt that replaces the token.
    token_due_ticks: AtomicI64,
    /// The last to be dropped: a link is detached before its session ends.
    _keeper: Keeper,
}

/// A message that the broker has not confirmed yet.
pub(crate) type Delivery = DeliveryFut<Result<Outcome, SendError>>;

/// Counts the message among those of its connection that are not confirmed.
pub(crate) type DeliveryPermit<'a> = Option<SemaphorePermit<'a>>;

/// The task that has the session, until nobody has the link any more.
struct Keeper(AbortHandle);

impl Link {
    /// Puts a token, begins a session and attaches a link.
    ///
    /// Each link has a session of its own: a broker that does not like a link may end the whole session (RabbitMQ does), and
    /// with it the messages of others.
    pub(crate) async fn attach(connection: &Connection, address: &str, started: Timestamp) -> Result<Self, Broken> {
        let attaching = async {
            connection.put_token(address, started).await?;
            let mut session = connection.begin(address).await?;
            let attached = Sender::attach(&mut session, connection.next_link_name(), address).await;
            let sender = attached.map_err(|error| Broken::attaching(error, address))?;
            let sender = Arc::new(Mutex::new(Some(sender)));
            let keeper = Keeper::new(session, Arc::downgrade(&sender));
            Ok(Self { sender, token_due_ticks: AtomicI64::new(renewal(started)), _keeper: keeper })
        };
        let limit = Duration::from_secs(limits::AMQP_ANSWER_SECONDS_MAX);
        timeout(limit, attaching).await.unwrap_or_else(|_| Err(Broken::silent("a link was attached")))
    }

    /// Gives a message to the connection, as soon as the broker takes one more.
    ///
    /// The caller may give up: while this function waits, nothing of the message is written. It waits for its turn, for a permit and for
    /// credit only, since there is more room behind than for all deliveries of a connection, and no budget that could run out
    /// between two frames of a message (`unconstrained`).
    pub(crate) async fn hand_over<'a>(
        &self,
        message: &Outgoing,
        address: &str,
        permits: &'a Semaphore,
    ) -> Result<(Delivery, DeliveryPermit<'a>), Broken> {
        let mut sender = self.sender.lock().await;
        let Some(sender) = &mut *sender else { return Err(Broken::over()) };
        // Taken by the next message only: a link without credit must not hold all permits of the connection. The semaphore is
        // never closed.
        let permit = permits.acquire().await.ok();
        let handed_over = loop {
            let handing_over = pin!(sender.send_batchable_ref(message.sendable()));
            if let Ok(handed_over) = timeout(CREDIT_LOOKED_FOR, unconstrained(handing_over)).await {
                break handed_over;
            }
        };
        match handed_over {
            Ok(delivery) => Ok((delivery, permit)),
            Err(error) => Err(Broken::sending(error, When::Before, address)),
        }
    }

    /// Claims the renewal of the token, if it is due. True for one attempt only; the others go on with the old token, which
    /// is still good.
    pub(crate) fn claim_token_renewal(&self, started: Timestamp) -> bool {
        let due = self.token_due_ticks.load(Ordering::Relaxed);
        let retry = started.saturating_add(limits::AMQP_TOKEN_RETRIED_TICKS).ticks();
        due <= started.ticks()
            && self.token_due_ticks.compare_exchange(due, retry, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Notes that the token was replaced.
    pub(crate) fn record_token(&self, started: Timestamp) {
        self.token_due_ticks.store(renewal(started), Ordering::Relaxed);
    }
}

impl Keeper {
    /// Waits for the end of the session. The library tells it to the sender only, and to those who wait for an answer when
    /// the sender is dropped: else they would wait for ever.
    fn new(mut session: SessionHandle<()>, sender: Weak<Mutex<Option<Sender>>>) -> Self {
        let task = tokio::spawn(async move {
            drop(session.on_end().await);
            if let Some(sender) = sender.upgrade() {
                sender.lock().await.take();
            }
        });
        Self(task.abort_handle())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn renewal(started: Timestamp) -> i64 {
    started.saturating_add(limits::AMQP_TOKEN_RENEWED_TICKS).ticks()
}
