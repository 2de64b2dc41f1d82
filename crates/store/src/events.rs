//! What those who watch are told.
//!
//! What a commit has written is told when it is on disk: records of history and changes of jobs and collections, each with
//! its place. A client that was away says which place it has come to, and is told the rest from the store, also by a server
//! that was started since. What is written nowhere (starts, jumps of the clock) is told to those who watch at that moment.
//!
//! ```text
//!   writer ── after each commit ──▶ ┌──────────────────┐     one watcher per stream,
//!   engine ── what is not written ─▶│ the last events  │ ──▶ at its own pace
//!                                   └──────────────────┘
//!   history, changes ── from a place on, up to where watching began ──▶ the same stream, before
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use punctual_model::event::Event;
use tokio::sync::watch;

/// Events that are kept for watchers that are slow: half a second of a server at its limit. A watcher that is slower reads
/// the store instead.
const KEPT_MAX: usize = 16_384;

/// How far history and the log of changes were told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventPlace {
    /// The number of the last record of history.
    pub history: u64,
    /// The number of the last change.
    pub change: u64,
}

impl EventPlace {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (history, change) = text.split_once('-')?;
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        Some(Self { history: number(history)?, change: number(change)? })
    }

    /// Whether something may come after this place and up to `other`, and nothing of it was told before.
    pub const fn is_before(self, other: Self) -> bool {
        self.history <= other.history && self.change <= other.change
    }
}

impl fmt::Display for EventPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.history, self.change)
    }
}

/// An event, and the place to go on from after it.
pub type Told = (EventPlace, Arc<Event>);

/// What the store tells of the past.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventPage {
    /// History that came before these was dropped.
    pub has_gap: bool,
    /// The events, in their order.
    pub events: Vec<Told>,
    /// Up to here nothing is missing from them.
    pub reached: EventPlace,
}

/// The last events, and how far they have come.
#[derive(Debug)]
pub struct Events {
    buffer: Mutex<Buffer>,
    /// How many events there were; whoever watches is woken by it.
    count: watch::Sender<u64>,
}

#[derive(Debug)]
struct Buffer {
    told: VecDeque<Told>,
    /// How many events there were, those that are kept included.
    count: u64,
    place: EventPlace,
}

impl Default for Events {
    fn default() -> Self {
        Self::new(EventPlace::default())
    }
}

impl Events {
    /// Events that begin at a place.
    pub fn new(place: EventPlace) -> Self {
        let buffer = Buffer { told: VecDeque::new(), count: 0, place };
        Self { buffer: Mutex::new(buffer), count: watch::Sender::new(0) }
    }

    /// Tells those who watch now of something that is written nowhere.
    pub fn push(&self, event: Event) {
        let mut buffer = self.buffer();
        let place = buffer.place;
        self.add(&mut buffer, || vec![(place, Arc::new(event))]);
    }

    /// Tells of what a commit has written: `told`, which is asked for only if somebody watches. They end at `place`.
    pub(crate) fn advance(&self, place: EventPlace, told: impl FnOnce(EventPlace) -> Vec<Told>) {
        let mut buffer = self.buffer();
        let before = buffer.place;
        self.add(&mut buffer, || told(before));
        buffer.place = place;
    }

    /// Up to where everything was told.
    pub(crate) fn place(&self) -> EventPlace {
        self.buffer().place
    }

    /// The same where what is told has to be read first, which is not worth it if nobody watches. Without it says whether that is so,
    /// and does nothing if somebody does.
    pub(crate) fn try_advance(&self, place: EventPlace, told: Option<Vec<Told>>) -> bool {
        let mut buffer = self.buffer();
        if told.is_none() && self.count.receiver_count() > 0 {
            return false;
        }
        self.add(&mut buffer, || told.unwrap_or_default());
        buffer.place = place;
        true
    }

    /// Watches from now on. Returns the place up to which everything was told before.
    pub fn watch(self: &Arc<Self>) -> (Watcher, EventPlace) {
        let buffer = self.buffer();
        let watcher = Watcher { events: Arc::clone(self), bell: self.count.subscribe(), position: buffer.count };
        (watcher, buffer.place)
    }

    fn add(&self, buffer: &mut Buffer, told: impl FnOnce() -> Vec<Told>) {
        if self.count.receiver_count() == 0 {
            buffer.told.clear();
            return;
        }
        for event in told() {
            if buffer.told.len() == KEPT_MAX {
                buffer.told.pop_front();
            }
            buffer.told.push_back(event);
            buffer.count += 1;
        }
        self.count.send_replace(buffer.count);
    }

    fn buffer(&self) -> std::sync::MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who watches, and how far it has come.
#[derive(Debug)]
pub struct Watcher {
    events: Arc<Events>,
    bell: watch::Receiver<u64>,
    position: u64,
}

impl Watcher {
    /// The next events, at most `limit` of them; none if some of them are kept no more.
    pub fn take(&mut self, limit: usize) -> Option<Vec<Told>> {
        let buffer = self.events.buffer();
        let kept = u64::try_from(buffer.told.len()).unwrap_or(u64::MAX);
        let passed = self.position.checked_sub(buffer.count - kept)?;
        let from = usize::try_from(passed).unwrap_or(usize::MAX).min(buffer.told.len());
        let told: Vec<_> = buffer.told.range(from..).take(limit).cloned().collect();
        self.position += u64::try_from(told.len()).unwrap_or(0);
        Some(told)
    }

    /// Goes on from now. Returns the place up to which everything was told before, and how many events were passed over.
    pub fn skip(&mut self) -> (EventPlace, u64) {
        let buffer = self.events.buffer();
        let passed_over = buffer.count - self.position;
        self.position = buffer.count;
        (buffer.place, passed_over)
    }

    /// Waits for an event. Returns whether there can be one.
    pub async fn wait(&mut self) -> bool {
        self.bell.changed().await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::event::{Event, EventKind};
    use punctual_model::time::Timestamp;

    use super::*;

    fn jump(ticks: i64) -> Event {
        Event { at: Timestamp::EPOCH, path: None, kind: EventKind::ClockJumped { ticks } }
    }

    fn place(history: u64) -> EventPlace {
        EventPlace { history, change: 7 }
    }

    #[test]
    fn who_watches_is_told_what_is_written_after_that() {
        let events = Arc::new(Events::new(place(1)));
        events.advance(place(5), |_| panic!("nobody watches"));
        let (mut watcher, began) = events.watch();
        assert_eq!(began, place(5));
        events.advance(place(9), |before| {
            assert_eq!(before, place(5));
            vec![(place(8), Arc::new(jump(1))), (place(9), Arc::new(jump(2)))]
        });
        events.push(jump(3));
        let places: Vec<_> = watcher.take(2).unwrap().iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [place(8), place(9)]);
        assert_eq!(watcher.take(9).unwrap(), [(place(9), Arc::new(jump(3)))]);
        assert_eq!(watcher.take(9).unwrap(), []);
    }

    #[test]
    fn who_is_too_slow_is_told_where_to_go_on() {
        let events = Arc::new(Events::new(place(1)));
        let (mut slow, _) = events.watch();
        for ticks in 0..=i64::try_from(KEPT_MAX).unwrap() {
            events.push(jump(ticks));
        }
        assert_eq!(slow.take(1), None);
        events.advance(place(2), |_| Vec::new());
        assert_eq!(slow.skip(), (place(2), u64::try_from(KEPT_MAX).unwrap() + 1));
        assert_eq!(slow.take(1), Some(Vec::new()));
    }

    #[tokio::test]
    async fn who_watches_is_woken() {
        let events = Arc::new(Events::new(place(1)));
        let (mut watcher, _) = events.watch();
        events.push(jump(1));
        assert!(watcher.wait().await);
        assert_eq!(watcher.take(1).unwrap().len(), 1);
    }

    #[test]
    fn a_place_as_text() {
        assert_eq!(EventPlace::parse(&place(1 << 60).to_string()), Some(place(1 << 60)));
        for wrong in ["", "7", "1-", "-1", "1-2-3", "+1-2", "1-99999999999999999999"] {
            assert_eq!(EventPlace::parse(wrong), None, "{wrong}");
        }
    }
}
