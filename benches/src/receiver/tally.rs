//! What the receiver has noted.

use std::sync::atomic::{AtomicU64, Ordering};

use punctual_model::time::Timestamp;
use serde_json::{Value, json};

use super::request::Request;
use crate::histogram::Histogram;

/// Ticks of 100 ns.
const TICKS_PER_MICROSECOND: i64 = 10;

pub(super) struct Tally {
    calls: AtomicU64,
    resent: AtomicU64,
    early: AtomicU64,
    connections: AtomicU64,
    lateness: Histogram,
}

impl Tally {
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self { calls: zero(), resent: zero(), early: zero(), connections: zero(), lateness: Histogram::new() }
    }

    pub(super) fn note_connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note(&self, request: &Request, now: Timestamp) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if request.is_resent {
            self.resent.fetch_add(1, Ordering::Relaxed);
        }
        let Some(expected) = request.expected else { return };
        match u64::try_from(now.since(expected) / TICKS_PER_MICROSECOND) {
            Ok(microseconds) => self.lateness.add(microseconds),
            Err(_) => _ = self.early.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub(super) fn clear(&self) {
        for count in [&self.calls, &self.resent, &self.early, &self.connections] {
            count.store(0, Ordering::Relaxed);
        }
        self.lateness.clear();
    }

    pub(super) fn json(&self) -> Value {
        let number = |count: &AtomicU64| count.load(Ordering::Relaxed);
        json!({
            "calls": number(&self.calls),
            "resent": number(&self.resent),
            "early": number(&self.early),
            "connections": number(&self.connections),
            "p50_ms": self.lateness.percentile_ms(50.0),
            "p99_ms": self.lateness.percentile_ms(99.0),
            "worst_ms": self.lateness.percentile_ms(100.0),
        })
    }
}
