//! What ran in the last minutes and what is due in the next, minute by minute, for charts.

use punctual_model::recurrence::Timetable;
use punctual_model::tally::{Minute, Tally};
use punctual_model::time::Timestamp;
use punctual_store::{CollectionId, DuePage, DueStart, DueWork, OpenWork, Shards, TallyPage};

use super::collection_walk::visible_collections;
use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;

/// The counts of the minutes from `from` on, up to the one before `until`, in the collections that the caller may see.
pub(crate) async fn count_past(
    operations: &Operations,
    caller: &Caller,
    from: Minute,
    until: Minute,
) -> Result<Vec<Tally>, Fault> {
    let length = usize::try_from(until.0 - from.0).unwrap_or(0);
    let mut tallies = vec![Tally::default(); length];
    let visible = visible_collections(operations, caller).await?;
    let collections = visible.map(|ids| ids.iter().copied().collect::<Vec<CollectionId>>());
    let mut page = TallyPage { collections, from, until, after: None, limit: limits::TALLIES_PAGE };
    loop {
        let read = operations.store.tallies(&page).await?;
        for entry in &read {
            if let Some(sum) = usize::try_from(entry.minute.0 - from.0).ok().and_then(|at| tallies.get_mut(at)) {
                *sum = sum.plus(entry.tally);
            }
        }
        match read.last() {
            Some(last) if read.len() == page.limit => page.after = Some(last.place()),
            _ => return Ok(tallies),
        }
    }
}

/// How many runs are due in each minute from `from` on, and whether there are more than were looked at. Every occurrence of a
/// job that recurs counts, not only its next one.
pub(crate) async fn count_due(
    operations: &Operations,
    caller: &Caller,
    from: Minute,
    length: usize,
) -> Result<(Vec<u64>, bool), Fault> {
    let mut counts = vec![0; length];
    let until = Minute(from.0 + i64::try_from(length).unwrap_or(0)).begins();
    let only = visible_collections(operations, caller).await?;
    let mut start = DueStart::Beginning;
    for _ in 0..limits::MINUTES_PAGES_MAX {
        let page = DuePage { shards: Shards::ALL, start, until, lane: None, limit: limits::TROUBLE_PAGE };
        let (due, last) = operations.store.due_work(page, only.clone()).await?;
        for work in due.iter().filter(|work| work.entry.collection != CollectionId::SERVER) {
            add(&mut counts, work, from, until);
        }
        let Some(last) = last else { return Ok((counts, false)) };
        start = DueStart::After(last);
    }
    Ok((counts, true))
}

/// Adds the occurrences of a row that wake before `until`.
fn add(counts: &mut [u64], DueWork { entry, job }: &DueWork, from: Minute, until: Timestamp) {
    let counts_max = counts.len();
    let mut count = |at: Timestamp| {
        let minute = usize::try_from((Minute::of(at).0 - from.0).max(0)).unwrap_or(0);
        if let Some(count) = counts.get_mut(minute) {
            *count += 1;
        }
    };
    let progress = match &entry.open {
        OpenWork::Beside { occurrence, .. } => return count(occurrence.wake_at),
        OpenWork::Schedule(progress) => progress,
    };
    let Some(open) = progress.open.filter(|_| job.state.stopped_at(entry.collection_stopped_at).is_none()) else {
        return;
    };
    count(open.wake_at);
    let Ok(timetable) = Timetable::new(job.definition.recurrence.as_ref(), job.anchor) else { return };
    // Once a minute is the most often that a job is due.
    let later = std::iter::successors(timetable.next(open.nominal), |at| timetable.next(*at));
    for at in later.take_while(|at| *at < until).take(counts_max) {
        count(at);
    }
}
