//! The stream of events: what happens, told as it happens (server-sent events).
//!
//! ```text
//!   engine, API ──▶ ring of the last events ──▶ one reader per stream, at its own pace ──▶ what the caller may see
//! ```
//!
//! A stream keeps nothing but its place in the ring. Who reads so slowly that the ring has gone on is told of a gap.

use std::fmt::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use punctual_model::Name;
use punctual_model::access::{Grants, Role, Scope};
use punctual_model::event::{Event, EventKind};
use punctual_store::{EventPage, Events};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Interval, MissedTickBehavior, Sleep, interval, sleep};

use crate::limits;
use crate::wire::view::{EventPath, write_event};

/// Nothing that is shorter is taken for a dead connection by proxies in use.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);

/// Events that are read from the ring, and written, at once.
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
    _place: OwnedSemaphorePermit,
}

impl EventStream {
    /// A stream of what comes after the event of that number, or after now.
    pub(crate) fn new(
        events: Arc<Events>,
        after: Option<u64>,
        audience: Audience,
        place: OwnedSemaphorePermit,
    ) -> Self {
        // In this order nothing that happens in between is missed.
        let bell = events.subscribe();
        let replay_until = events.last();
        let mut heartbeat = interval(HEARTBEAT_INTERVAL);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let position = after.unwrap_or(replay_until);
        let feed = EventFeed { events, bell, position, replay_until, audience, heartbeat };
        let end = Box::pin(sleep(Duration::from_secs(limits::EVENT_STREAM_SECONDS_MAX)));
        Self { feed, end, _place: place }
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
        f.debug_struct("EventStream").field("position", &self.feed.position).finish_non_exhaustive()
    }
}

struct EventFeed {
    events: Arc<Events>,
    bell: watch::Receiver<u64>,
    /// The number of the last event that was looked at.
    position: u64,
    /// Up to here it happened before the stream began. Starts are told only as they happen.
    replay_until: u64,
    audience: Audience,
    heartbeat: Interval,
}

impl EventFeed {
    async fn next(&mut self) -> Option<String> {
        loop {
            let last = self.events.last();
            let seen = self.events.after(self.position, EVENTS_READ);
            let text = self.write(&seen, last);
            if !text.is_empty() {
                self.heartbeat.reset();
                return Some(text);
            }
            if seen.events.len() == EVENTS_READ {
                // There is more, but others shall have their turn.
                tokio::task::yield_now().await;
                continue;
            }
            tokio::select! {
                changed = self.bell.changed() => changed.ok()?,
                // A comment, and how far it has come: who comes back need not see again what was not for them.
                _ = self.heartbeat.tick() => return Some(format!(":\nid: {}\n\n", self.position)),
            }
        }
    }

    /// What is told of what was seen; `last` was the last event before.
    fn write(&mut self, seen: &EventPage, last: u64) -> String {
        let mut text = String::new();
        if seen.has_gap {
            self.position = seen.events.first().map_or(last, |(first, _)| first - 1);
            frame(&mut text, self.position, "gap", r#"{"type":"gap"}"#);
        }
        for (number, event) in &seen.events {
            self.position = *number;
            let is_past_start = *number <= self.replay_until && matches!(event.kind, EventKind::Started(_));
            if !is_past_start && self.audience.is_told(event) {
                let data = serde_json::to_string(&write_event(event)).expect("a value of JSON can be written");
                frame(&mut text, *number, event.kind.name(), &data);
            }
        }
        text
    }
}

/// JSON as it is written has no line ends, so that it is one line of data.
fn frame(text: &mut String, number: u64, name: &str, data: &str) {
    write!(text, "id: {number}\nevent: {name}\ndata: {data}\n\n").expect("a text can be written to");
}
