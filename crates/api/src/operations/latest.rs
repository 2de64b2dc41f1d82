//! What came of all jobs that the caller may see.

use punctual_model::health::RecentOutcome;
use punctual_model::history::StatusKind;
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;
use punctual_store::{HistoryItem, HistoryKey, JobKey, LatestPage, LatestRecord};

use super::{Caller, Operations, TroubleFilter};
use crate::fault::Fault;
use crate::limits;

/// Which records are wanted.
pub(crate) struct LatestWanted {
    pub(crate) filter: TroubleFilter,
    pub(crate) outcome: Option<RecentOutcome>,
    /// Without attempts that are made again, or that ended beside the one that counted.
    pub(crate) only_last_attempts: bool,
    pub(crate) occurrence: Option<OccurrenceId>,
    /// Started then or later.
    pub(crate) since: Option<Timestamp>,
    pub(crate) after: Option<HistoryKey>,
    pub(crate) limit: usize,
}

impl LatestWanted {
    fn is_of_outcome(&self, item: &HistoryItem) -> bool {
        let wanted = match self.outcome {
            None => return true,
            Some(RecentOutcome::Succeeded) => StatusKind::Completed,
            Some(RecentOutcome::Failed) => StatusKind::Failed,
            Some(RecentOutcome::NotRun) => StatusKind::Postponed,
        };
        item.entry.record.status.kind() == wanted
    }

    fn admit(&self, caller: &Caller, LatestRecord { item, path }: LatestRecord) -> Option<(JobKey, HistoryItem)> {
        let failure = item.entry.record.failure.as_ref();
        let host = failure.map_or("", |failure| &failure.host);
        let is_wanted = self.is_of_outcome(&item)
            && (item.entry.is_last_attempt() || !self.only_last_attempts)
            && self.occurrence.is_none_or(|wanted| item.entry.record.occurrence == wanted)
            && self.filter.has_class(failure)
            && self.filter.has_target(host, failure);
        let key = self.filter.admit(caller, path.as_deref().filter(|_| is_wanted)?)?;
        Some((key, item))
    }
}

/// A page of records, the latest first, and the place behind the last that was looked at, if there is more.
pub(crate) async fn list_latest(
    operations: &Operations,
    caller: &Caller,
    wanted: LatestWanted,
) -> Result<(Vec<(JobKey, HistoryItem)>, Option<HistoryKey>), Fault> {
    let mut page = LatestPage {
        only_trouble: wanted.outcome.is_some_and(|outcome| outcome != RecentOutcome::Succeeded),
        started_from: wanted.since,
        after: wanted.after,
        limit: limits::TROUBLE_PAGE,
    };
    let mut records = Vec::new();
    for _ in 0..limits::LATEST_PAGES_MAX {
        let read = operations.store.latest_records(&page).await?;
        let is_last = read.len() < page.limit;
        for record in read {
            page.after = Some(record.item.key);
            records.extend(wanted.admit(caller, record));
            if records.len() == wanted.limit {
                return Ok((records, page.after));
            }
        }
        if is_last {
            return Ok((records, None));
        }
    }
    Ok((records, page.after))
}
