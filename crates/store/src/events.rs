//! The last things that happened, for whoever watches.
//!
//! Those who run jobs and those who write them put events in; those who watch read them at their own pace. Only the last
//! ones are kept: who falls behind is told that something was missed. Events are numbered, so that who comes back says
//! which was the last it saw.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use punctual_model::event::{Event, EventKind};
use tokio::sync::watch;

/// Events that are kept: half a second of a server at its limit, hours of most.
const KEPT_MAX: usize = 16_384;

/// The last things that happened.
#[derive(Debug)]
pub struct Events {
    kept: Mutex<Kept>,
    /// The number of the last one.
    last: watch::Sender<u64>,
}

#[derive(Debug)]
struct Kept {
    events: VecDeque<(u64, Arc<Event>)>,
    last: u64,
}

/// What someone who watches sees next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Events that are kept no more came before these.
    pub has_gap: bool,
    /// The events with their numbers.
    pub events: Vec<(u64, Arc<Event>)>,
}

impl Events {
    /// Numbers begin after `first`, which no earlier process may have reached: who comes back with a number of another
    /// process is noticed.
    pub fn new(first: u64) -> Self {
        Self { kept: Mutex::new(Kept { events: VecDeque::new(), last: first }), last: watch::Sender::new(first) }
    }

    /// Tells whoever watches.
    pub fn push(&self, event: Event) {
        // Starts are for those who watch now, and too many to be kept for others.
        if matches!(event.kind, EventKind::Started(_)) && self.last.receiver_count() == 0 {
            return;
        }
        let mut kept = self.kept();
        kept.last += 1;
        let number = kept.last;
        if kept.events.len() == KEPT_MAX {
            kept.events.pop_front();
        }
        kept.events.push_back((number, Arc::new(event)));
        self.last.send_replace(number);
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        self.kept().last
    }

    /// Someone who begins to watch; it hears of every event from now on.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// What came after that number, at most so many.
    pub fn after(&self, number: u64, limit: usize) -> Seen {
        let kept = self.kept();
        let first = kept.events.front().map_or(kept.last + 1, |(first, _)| *first);
        let has_gap = number > kept.last || number + 1 < first;
        let from = if has_gap { 0 } else { kept.events.partition_point(|(at, _)| *at <= number) };
        Seen { has_gap, events: kept.events.range(from..).take(limit).cloned().collect() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
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
