//! What came of all jobs that the caller may see.

use punctual_model::health::RecentOutcome;
use punctual_model::history::StatusKind;
use punctual_model::occurrence::OccurrenceId;
use punctual_model::time::Timestamp;
use punctual_store::{HistoryItem, HistoryKey, JobKey, LatestPage, LatestRecord};

use super::target_labels::{TargetLabel, TargetLabels};
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

    /// The job of a record, if all that is wanted of it but the target is so.
    fn admit(&self, caller: &Caller, LatestRecord { item, path }: &LatestRecord) -> Option<JobKey> {
        let failure = item.entry.record.failure.as_ref();
        let is_wanted = self.is_of_outcome(item)
            && (item.entry.is_last_attempt() || !self.only_last_attempts)
            && self.occurrence.is_none_or(|wanted| item.entry.record.occurrence == wanted)
            && self.filter.has_class(failure);
        self.filter.admit(caller, path.as_deref().filter(|_| is_wanted)?)
    }

    /// Looks up whether the job of a record calls the target that is wanted; none if too many jobs were looked up to say it.
    async fn match_target(
        &self,
        labels: &mut TargetLabels<'_>,
        key: &JobKey,
        item: &HistoryItem,
    ) -> Result<Option<bool>, Fault> {
        if self.filter.target.is_none() {
            return Ok(Some(true));
        }
        let failure = item.entry.record.failure.as_ref();
        Ok(match labels.find(item.entry.job, key).await? {
            TargetLabel::Known(label) => Some(self.filter.has_target(&label)),
            TargetLabel::Gone => Some(self.filter.has_host(failure)),
            TargetLabel::NotLookedUp => None,
        })
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
    let mut labels = TargetLabels::new(operations, limits::LATEST_TARGETS_MAX);
    let mut records = Vec::new();
    for _ in 0..limits::LATEST_PAGES_MAX {
        let read = operations.store.latest_records(&page).await?;
        let is_last = read.len() < page.limit;
        for record in read {
            let item_key = record.item.key;
            if let Some(key) = wanted.admit(caller, &record) {
                match wanted.match_target(&mut labels, &key, &record.item).await? {
                    Some(true) => records.push((key, record.item)),
                    Some(false) => {}
                    None => return Ok((records, page.after)),
                }
            }
            page.after = Some(item_key);
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
