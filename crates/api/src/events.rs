//! The stream of events: what happens, told as it happens (server-sent events).
//!
//! ```text
//!                      what was written before ──┐
//!                                                ├──▶ what the caller may see, at the caller's pace
//!   what happens now ──▶ the last events ────────┘
//! ```
//!
//! A stream keeps nothing but its place, which is the id of the last event: a client that comes back is told from there on,
//! whichever process it asks. Who reads so slowly that the last events have gone on is told what was written meanwhile from
//! the store, after a gap for what was not.

use std::fmt::{self, Write};
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use punctual_metrics::Metrics;
use punctual_model::Name;
use punctual_model::access::{Grants, Role, Scope};
use punctual_model::event::Event;
use punctual_store::{EventPlace, Store, Told, Watcher};
use tokio::time::{Interval, MissedTickBehavior, Sleep, interval, sleep};

use crate::limits;
use crate::streams::StreamPermit;
use crate::wire::view::{EventPath, write_event};

/// Nothing that is shorter is taken for a dead connection by proxies in use.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);

/// Events that are read, and written, at once.
const EVENTS_READ: usize = 256;

/// Who watches, and what.
#[derive(Clone, Debug)]
pub(crate) struct Audience {
    /// What the caller may see.
    pub(crate) grants: Grants,
    /// The names of the kinds that are wanted; all if there are none.
    pub(crate) kinds: Vec<&'static str>,
}

impl Audience {
    fn is_told(&self, event: &Event) -> bool {
        let is_wanted = self.kinds.is_empty() || self.kinds.contains(&event.kind.name());
        is_wanted && (self.grants.allows(Role::Reader, &Scope::Server) || self.may_see(event))
    }

    fn may_see(&self, event: &Event) -> bool {
        let scope = EventPath::of(event).and_then(|path| {
            let name = |text| Name::parse(text).ok();
            let (subscription, group) = (name(path.subscription)?, name(path.group)?);
            Some(Scope::Collection { subscription, group, collection: name(path.collection)? })
        });
        scope.is_some_and(|scope| self.grants.allows(Role::Reader, &scope))
    }
}

/// A stream of events. It ends after a while, and its reader comes back with the last id: a token that was revoked
/// meanwhile is noticed then.
pub struct EventStream {
    feed: EventFeed,
    end: Pin<Box<Sleep>>,
    _permit: StreamPermit,
}

impl EventStream {
    /// A stream of what comes after that place, or after now.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        after: Option<EventPlace>,
        audience: Audience,
        permit: StreamPermit,
        metrics: Arc<Metrics>,
    ) -> Self {
        let (watcher, now) = store.events().watch();
        let mut heartbeat = interval(HEARTBEAT_INTERVAL);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // A place that was never reached is of another store, or of this one before it was restored.
        let is_unknown = after.is_some_and(|after| !after.is_before(now));
        let place = after.filter(|_| !is_unknown).unwrap_or(now);
        let past = (place != now).then_some(now);
        let feed = EventFeed { store, watcher, place, past, has_gap: is_unknown, audience, heartbeat, metrics };
        let end = Box::pin(sleep(Duration::from_secs(limits::EVENT_STREAM_SECONDS_MAX)));
        Self { feed, end, _permit: permit }
    }

    /// Waits for the next bytes; none at the end.
    pub async fn next(&mut self) -> Option<Bytes> {
        tokio::select! {
            biased;
            () = self.end.as_mut() => None,
            text = self.feed.next() => text.map(Bytes::from),
        }
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").field("place", &self.feed.place).finish_non_exhaustive()
    }
}

struct EventFeed {
    store: Arc<dyn Store>,
    watcher: Watcher,
    /// Up to here everything was looked at.
    place: EventPlace,
    /// Up to here it is read from the store; none when what happens now is next.
    past: Option<EventPlace>,
    /// Something is missing before what is told next.
    has_gap: bool,
    audience: Audience,
    heartbeat: Interval,
    metrics: Arc<Metrics>,
}

impl EventFeed {
    async fn next(&mut self) -> Option<String> {
        loop {
            let from = self.place;
            let told = match self.past {
                Some(until) => self.read_past(until).await?,
                None => self.take(),
            };
            let has_more = self.past.is_some() || told.len() == EVENTS_READ;
            let text = self.write(from, &told);
            if !text.is_empty() {
                self.heartbeat.reset();
                return Some(text);
            }
            if has_more {
                // Others shall have their turn.
                tokio::task::yield_now().await;
                continue;
            }
            tokio::select! {
                is_open = self.watcher.wait() => is_open.then_some(())?,
                // A comment, and how far it has come: who comes back need not see again what was not for them.
                _ = self.heartbeat.tick() => return Some(format!(":\nid: {}\n\n", self.place)),
            }
        }
    }

    /// Some of what happens now. If there was too much of it, it is read from the store, as far as it is there.
    fn take(&mut self) -> Vec<Told> {
        let Some(told) = self.watcher.take(EVENTS_READ) else {
            let (place, dropped) = self.watcher.skip();
            self.metrics.events_dropped.add(dropped);
            self.past = Some(place);
            self.has_gap = true;
            return Vec::new();
        };
        self.place = told.last().map_or(self.place, |(place, _)| *place);
        told
    }

    /// Some of what was written before. If the store fails, the stream ends: the client comes back for it.
    async fn read_past(&mut self, until: EventPlace) -> Option<Vec<Told>> {
        let read = self.store.told(self.place, until, EVENTS_READ).await;
        let page = read.inspect_err(|error| tracing::warn!("a stream of events ends: {error}")).ok()?;
        self.has_gap |= page.has_gap;
        if page.reached == until {
            self.past = None;
        }
        self.place = page.reached;
        Some(page.events)
    }

    /// What the caller is told of what comes after a place.
    fn write(&mut self, from: EventPlace, told: &[Told]) -> String {
        let mut text = String::new();
        if mem::take(&mut self.has_gap) {
            frame(&mut text, from, "gap", r#"{"type":"gap"}"#);
        }
        for (place, event) in told {
            if self.audience.is_told(event) {
                let data = serde_json::to_string(&write_event(event, *place)).expect("a value of JSON can be written");
                frame(&mut text, *place, event.kind.name(), &data);
            }
        }
        text
    }
}

/// JSON as it is written has no line ends, so that it is one line of data.
fn frame(text: &mut String, place: EventPlace, name: &str, data: &str) {
    write!(text, "id: {place}\nevent: {name}\ndata: {data}\n\n").expect("a text can be written to");
}
