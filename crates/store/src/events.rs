//! The last things that happened, for clients that watch.
//!
//! The engine and the API put events in; clients that watch read them at their own pace. Only the last ones are kept: a
//! client that falls behind learns that it has missed some. Events are numbered, so that a client that comes back can say
//! which was the last one it has read.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use punctual_model::event::{Event, EventKind};
use tokio::sync::watch;

/// Events that are kept: half a second of a server at its limit, hours of most.
const KEPT_MAX: usize = 16_384;

/// The last things that happened.
#[derive(Debug)]
pub struct Events {
    buffer: Mutex<Buffer>,
    /// The number of the last one.
    last: watch::Sender<u64>,
}

#[derive(Debug)]
struct Buffer {
    events: VecDeque<(u64, Arc<Event>)>,
    last: u64,
}

/// The next events for a client that watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPage {
    /// Events that are kept no more came before these.
    pub has_gap: bool,
    /// The events with their numbers.
    pub events: Vec<(u64, Arc<Event>)>,
}

impl Events {
    /// Numbers begin after `first`, which no earlier process may have reached: so a client that comes back with a number of
    /// another process is noticed.
    pub fn new(first: u64) -> Self {
        Self { buffer: Mutex::new(Buffer { events: VecDeque::new(), last: first }), last: watch::Sender::new(first) }
    }

    /// Adds an event, and wakes clients that watch.
    pub fn push(&self, event: Event) {
        // Starts are for clients that watch now, and too many to be kept for others.
        if matches!(event.kind, EventKind::Started(_)) && self.last.receiver_count() == 0 {
            return;
        }
        let mut buffer = self.buffer();
        buffer.last += 1;
        let number = buffer.last;
        if buffer.events.len() == KEPT_MAX {
            buffer.events.pop_front();
        }
        buffer.events.push_back((number, Arc::new(event)));
        self.last.send_replace(number);
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        self.buffer().last
    }

    /// A receiver that is woken by every event from now on.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// The events after that number, at most `limit` of them.
    pub fn after(&self, number: u64, limit: usize) -> EventPage {
        let buffer = self.buffer();
        let first = buffer.events.front().map_or(buffer.last + 1, |(first, _)| *first);
        let has_gap = number > buffer.last || number + 1 < first;
        let from = if has_gap { 0 } else { buffer.events.partition_point(|(at, _)| *at <= number) };
        EventPage { has_gap, events: buffer.events.range(from..).take(limit).cloned().collect() }
    }

    fn buffer(&self) -> std::sync::MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::event::{Event, EventKind};
    use punctual_model::time::Timestamp;

    use super::{Events, KEPT_MAX};

    fn jump(ticks: i64) -> Event {
        Event { at: Timestamp::EPOCH, path: None, kind: EventKind::ClockJumped { ticks } }
    }

    #[test]
    fn who_comes_back_sees_what_came_since() {
        let events = Events::new(100);
        for ticks in 0..5 {
            events.push(jump(ticks));
        }
        let seen = events.after(102, 2);
        assert!(!seen.has_gap);
        assert_eq!(seen.events.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [103, 104]);
        assert_eq!(events.after(105, 9).events, []);
    }

    #[test]
    fn who_was_away_too_long_is_told() {
        let events = Events::new(100);
        for ticks in 0..i64::try_from(KEPT_MAX).unwrap() + 10 {
            events.push(jump(ticks));
        }
        assert!(events.after(105, 1).has_gap);
        assert!(!events.after(110, 1).has_gap);
        assert!(events.after(99, 1).has_gap, "a number of an earlier process");
        assert!(events.after(1 << 60, 1).has_gap, "a number of a later one");
    }

    #[tokio::test]
    async fn who_watches_is_woken() {
        let events = Events::new(0);
        let mut watcher = events.subscribe();
        events.push(jump(1));
        watcher.changed().await.unwrap();
        assert_eq!(*watcher.borrow(), 1);
    }
}
