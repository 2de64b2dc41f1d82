//! What comes next, over all jobs that the caller may see.

use punctual_model::occurrence::Occurrence;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionId, DueKey, DuePage, DueStart, DueWork, JobKey, OpenWork, Shards};

use super::collection_walk::visible_collections;
use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;

/// Something that wakes.
pub(crate) struct Upcoming {
    pub(crate) job: JobKey,
    /// What the job calls.
    pub(crate) target: String,
    pub(crate) occurrence: Occurrence,
}

/// What wakes until an instant, the first of it first, and the place behind the last that was looked at, if there is more.
pub(crate) async fn list_upcoming(
    operations: &Operations,
    caller: &Caller,
    until: Timestamp,
    after: Option<DueKey>,
    limit: usize,
) -> Result<(Vec<Upcoming>, Option<DueKey>), Fault> {
    let mut start = after.map_or(DueStart::Beginning, DueStart::After);
    let mut upcoming = Vec::new();
    let only = visible_collections(operations, caller).await?;
    for _ in 0..limits::TROUBLE_PAGES_MAX {
        let limit_left = limit - upcoming.len();
        let page = DuePage { shards: Shards::ALL, start, until, lane: None, limit: limit_left };
        let (due, last) = operations.store.due_work(page, only.clone()).await?;
        upcoming.extend(due.iter().filter_map(|work| admit(caller, work)));
        match last {
            None => return Ok((upcoming, None)),
            Some(last) if upcoming.len() >= limit => return Ok((upcoming, Some(last))),
            Some(last) => start = DueStart::After(last),
        }
    }
    let last = if let DueStart::After(last) = start { Some(last) } else { None };
    Ok((upcoming, last))
}

/// What is open of a row, if it runs and the caller may see it.
fn admit(caller: &Caller, DueWork { entry, job }: &DueWork) -> Option<Upcoming> {
    let key = JobKey::of_path(&job.path)?;
    let is_stopped = job.state.stopped_at(entry.collection_stopped_at).is_some();
    let (occurrence, is_asked_for) = match entry.open {
        OpenWork::Schedule(progress) => (progress.open?, false),
        OpenWork::Beside { occurrence, .. } => (occurrence, true),
    };
    let target = job.definition.action.target_of(occurrence.phase).label();
    // Messages of alerts are on their way by themselves; they are listed with their alert.
    let is_own = entry.collection == CollectionId::SERVER;
    let is_shown = !is_own && caller.may_read(&key.collection) && (is_asked_for || !is_stopped);
    is_shown.then_some(Upcoming { job: key, target, occurrence })
}
