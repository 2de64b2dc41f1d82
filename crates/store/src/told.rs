//! What is told of records of history and of changes, whatever database they are in.

use std::sync::Arc;

use punctual_model::event::{Event, EventKind};
use punctual_model::time::Timestamp;

use crate::events::{EventPage, EventPlace, Told};
use crate::history::{HistoryEntry, HistoryItem};

/// The path of a job as users write it; none if it is gone.
type Path = Option<Arc<str>>;

/// What was committed after `before`: records in the order of their numbers, and changes.
pub(crate) fn committed<'a>(
    before: EventPlace,
    until: EventPlace,
    records: impl IntoIterator<Item = (u64, Path, &'a HistoryEntry)>,
    changes: Vec<(u64, Event)>,
) -> Vec<Told> {
    let mut told = Vec::new();
    for (number, path, entry) in records {
        let place = EventPlace { history: number, ..before };
        told.extend(of_record(path, entry).map(|event| (place, event)));
    }
    for (id, event) in changes {
        told.push((EventPlace { history: until.history, change: id }, Arc::new(event)));
    }
    told
}

/// What is stored after one place and up to another: `limit` events at most, of the first `limit` records and changes.
pub(crate) fn stored(
    has_gap: bool,
    after: EventPlace,
    until: EventPlace,
    limit: usize,
    records: Vec<(Path, HistoryItem)>,
    changes: Vec<(u64, Event)>,
) -> EventPage {
    let (mut records, mut changes) = (records.into_iter().peekable(), changes.into_iter().peekable());
    let (mut events, mut place, mut seen) = (Vec::new(), after, 0);
    // In the order of time, as far as the two orders of numbers allow.
    while seen < limit {
        let changed_at = changes.peek().map_or(Timestamp::MAX, |(_, event)| event.at);
        if let Some((path, item)) = records.next_if(|(_, item)| item.entry.record.ended <= changed_at) {
            place.history = item.key.number();
            events.extend(of_record(path, &item.entry).map(|event| (place, event)));
        } else if let Some((id, event)) = changes.next() {
            place.change = id;
            events.push((place, Arc::new(event)));
        } else {
            place = until;
            break;
        }
        seen += 1;
    }
    EventPage { has_gap, events, reached: place }
}

/// What a record tells; nothing if its job is gone.
fn of_record(path: Path, entry: &HistoryEntry) -> Option<Arc<Event>> {
    let (at, kind) = (entry.record.ended, EventKind::of_record(&entry.record));
    path.map(|path| Arc::new(Event { at, path: Some(path), kind }))
}
