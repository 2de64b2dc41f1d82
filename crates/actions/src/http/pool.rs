//! Connections that wait for their next use.
//!
//! A connection belongs to an origin: scheme, host and port; and where a client certificate was shown on it, to that
//! certificate. Nothing else tells them apart, since other credentials travel with each request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::http1::Http1;
use super::http2::Http2;
use crate::coarse_clock::CoarseClock;
use crate::credential::Credential;
use crate::limits;

/// The connections that wait, by whom they lead to.
pub(crate) struct Pool {
    lots: Mutex<Lots>,
    clock: Arc<CoarseClock>,
}

/// What a connection belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Owner {
    pub(crate) origin: String,
    /// The certificate that was shown.
    pub(crate) credential: Option<Credential>,
    /// Whether nothing but HTTP/1.1 is spoken on it.
    pub(crate) is_http1: bool,
}

/// A connection that can take a request.
pub(crate) enum Connection {
    Http1(Box<Http1>),
    Http2(Http2),
}

#[derive(Default)]
struct Lots {
    by_owner: HashMap<Owner, Lot>,
    idle_count: usize,
}

/// The connections of one owner.
#[derive(Default)]
struct Lot {
    /// The one used last is at the end, and used first: so the others grow old.
    idle: Vec<Idle>,
    shared: Option<(Http2, u32)>,
}

struct Idle {
    connection: Box<Http1>,
    since_seconds: u32,
}

impl Pool {
    pub(crate) fn new(clock: Arc<CoarseClock>) -> Self {
        Self { lots: Mutex::default(), clock }
    }

    /// Takes a connection that is as it was left; those that are not are closed.
    pub(crate) fn take(&self, owner: &Owner) -> Option<Connection> {
        let mut lots = self.lots();
        let Lots { by_owner, idle_count } = &mut *lots;
        let lot = by_owner.get_mut(owner)?;
        if let Some((connection, used_seconds)) = lot.shared.as_mut().filter(|(connection, _)| connection.is_open()) {
            *used_seconds = self.clock.seconds();
            return Some(Connection::Http2(connection.clone()));
        }
        while let Some(mut idle) = lot.idle.pop() {
            *idle_count -= 1;
            if idle.connection.check_quiet() {
                return Some(Connection::Http1(idle.connection));
            }
        }
        None
    }

    /// Keeps a connection for its next use, if there is room.
    pub(crate) fn put(&self, owner: &Owner, connection: Box<Http1>) {
        let mut lots = self.lots();
        let Lots { by_owner, idle_count } = &mut *lots;
        let idle = &mut by_owner.entry(owner.clone()).or_default().idle;
        if idle.len() < limits::IDLE_CONNECTIONS_PER_TARGET_MAX && *idle_count < limits::IDLE_CONNECTIONS_MAX {
            idle.push(Idle { connection, since_seconds: self.clock.seconds() });
            *idle_count += 1;
        }
    }

    /// Has others share a connection. If there is one already, that one is shared on, and this one gone after its request.
    pub(crate) fn share(&self, owner: &Owner, connection: &Http2) {
        let mut lots = self.lots();
        let shared = &mut lots.by_owner.entry(owner.clone()).or_default().shared;
        if !shared.as_ref().is_some_and(|(connection, _)| connection.is_open()) {
            *shared = Some((connection.clone(), self.clock.seconds()));
        }
    }

    /// Has nobody share the connection any more: requests on it got no answer.
    pub(crate) fn abandon(&self, owner: &Owner) {
        if let Some(lot) = self.lots().by_owner.get_mut(owner) {
            lot.shared = None;
        }
    }

    /// Closes the connections on which a certificate was shown.
    pub(crate) fn forget(&self, credential: Credential) {
        let mut lots = self.lots();
        lots.by_owner.retain(|owner, _| owner.credential != Some(credential));
        lots.count();
    }

    /// Closes what nobody used for a while, and what the other side has closed.
    pub(crate) fn sweep(&self) {
        let now = self.clock.seconds();
        let is_young = |since: u32| now.saturating_sub(since) < limits::IDLE_CONNECTION_SECONDS_MAX;
        let mut lots = self.lots();
        lots.by_owner.retain(|_, lot| {
            lot.idle.retain_mut(|idle| is_young(idle.since_seconds) && idle.connection.check_quiet());
            lot.shared = lot.shared.take().filter(|(shared, used)| is_young(*used) && shared.is_open());
            !lot.idle.is_empty() || lot.shared.is_some()
        });
        lots.count();
    }

    fn lots(&self) -> MutexGuard<'_, Lots> {
        self.lots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lots {
    fn count(&mut self) {
        self.idle_count = self.by_owner.values().map(|lot| lot.idle.len()).sum();
    }
}
