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

/// The connections that wait, by target.
pub(crate) struct Pool {
    state: Mutex<PoolState>,
    clock: Arc<CoarseClock>,
}

/// Which requests may share a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PoolKey {
    pub(crate) is_tls: bool,
    pub(crate) host: String,
    pub(crate) port: u16,
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
struct PoolState {
    by_key: HashMap<PoolKey, TargetConnections>,
    idle_count: usize,
}

/// The connections to one target.
#[derive(Default)]
struct TargetConnections {
    /// The connection that was used last is at the end, and used first: so the others age and are closed.
    idle: Vec<Idle>,
    shared: Option<(Http2, u32)>,
}

struct Idle {
    connection: Box<Http1>,
    since_seconds: u32,
}

impl Pool {
    pub(crate) fn new(clock: Arc<CoarseClock>) -> Self {
        Self { state: Mutex::default(), clock }
    }

    /// Takes a connection that is as it was left; those that are not are closed.
    pub(crate) fn take(&self, key: &PoolKey) -> Option<Connection> {
        let mut state = self.lock();
        let PoolState { by_key, idle_count } = &mut *state;
        let target = by_key.get_mut(key)?;
        if let Some((connection, used_seconds)) = target.shared.as_mut().filter(|(connection, _)| connection.is_open())
        {
            *used_seconds = self.clock.seconds();
            return Some(Connection::Http2(connection.clone()));
        }
        while let Some(mut idle) = target.idle.pop() {
            *idle_count -= 1;
            if idle.connection.check_quiet() {
                return Some(Connection::Http1(idle.connection));
            }
        }
        None
    }

    /// Keeps a connection for its next use, if there is room.
    pub(crate) fn put(&self, key: &PoolKey, connection: Box<Http1>) {
        let mut state = self.lock();
        let PoolState { by_key, idle_count } = &mut *state;
        // Mostly the target is known, and its key need not be copied.
        let idle = match by_key.get_mut(key) {
            Some(target) => &mut target.idle,
            None => &mut by_key.entry(key.clone()).or_default().idle,
        };
        if idle.len() < limits::IDLE_CONNECTIONS_PER_TARGET_MAX && *idle_count < limits::IDLE_CONNECTIONS_MAX {
            idle.push(Idle { connection, since_seconds: self.clock.seconds() });
            *idle_count += 1;
        }
    }

    /// Lets other requests share a connection. If another one is shared already, this one ends after its request.
    pub(crate) fn share(&self, key: &PoolKey, connection: &Http2) {
        let mut state = self.lock();
        let shared = &mut state.by_key.entry(key.clone()).or_default().shared;
        if !shared.as_ref().is_some_and(|(connection, _)| connection.is_open()) {
            *shared = Some((connection.clone(), self.clock.seconds()));
        }
    }

    /// Lets no further request share the connection: a request on it got no answer.
    pub(crate) fn abandon(&self, key: &PoolKey, connection: &Http2) {
        if let Some(target) = self.lock().by_key.get_mut(key) {
            target.shared.take_if(|(shared, _)| shared.is_same(connection));
        }
    }

    /// Closes the connections on which a certificate was shown.
    pub(crate) fn forget(&self, credential: Credential) {
        let mut state = self.lock();
        state.by_key.retain(|key, _| key.credential != Some(credential));
        state.recount_idle();
    }

    /// Closes connections that nobody used for a while, and those that the other side has closed.
    pub(crate) fn sweep(&self) {
        let now = self.clock.seconds();
        let is_young = |since: u32| now.saturating_sub(since) < limits::IDLE_CONNECTION_SECONDS_MAX;
        let mut state = self.lock();
        state.by_key.retain(|_, target| {
            target.idle.retain_mut(|idle| is_young(idle.since_seconds) && idle.connection.check_quiet());
            target.shared = target.shared.take().filter(|(shared, used)| is_young(*used) && shared.is_open());
            !target.idle.is_empty() || target.shared.is_some()
        });
        state.recount_idle();
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolState {
    fn recount_idle(&mut self) {
        self.idle_count = self.by_key.values().map(|target| target.idle.len()).sum();
    }
}
