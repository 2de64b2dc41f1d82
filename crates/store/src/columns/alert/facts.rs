//! What the columns of a member of an incident say.

use punctual_model::alert::TroubledJob;
use punctual_model::failure::Failure;
use punctual_model::time::Timestamp;

use crate::alert::IncidentFacts;
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::history::HistoryKey;
use crate::key::JobId;
use crate::record::codes;

/// A job that is or was in an incident.
pub(crate) struct Member {
    pub(crate) job: JobId,
    /// Its path when it joined, which says how it was called even if it is gone.
    path: Option<String>,
    since: Timestamp,
    attempts: u64,
    retry_at: Option<Timestamp>,
    detail: String,
    failure: Option<(Failure, Option<HistoryKey>)>,
}

impl Member {
    pub(crate) fn read(row: &dyn Fields) -> Result<Self, Error> {
        let mut cells = Cells::of(row);
        let job = JobId(cells.next()?);
        let (joined_at, detail): (_, String) = (cells.next_required_instant()?, cells.next()?);
        let path = cells.next()?;
        let (since, count): (_, Option<i64>) = (cells.next_instant()?, cells.next()?);
        let retry_at = cells.next_instant()?;
        let class: Option<i64> = cells.next()?;
        let failure = class.and_then(codes::read_failure_class).map(|class| {
            let failure = Failure { class, code: cells.next()?, host: cells.next()?, detail: cells.next()? };
            let (started, number): (_, i64) = (cells.next_required_instant()?, cells.next()?);
            Ok::<_, Error>((failure, u64::try_from(number).ok().and_then(|number| HistoryKey::new(started, number))))
        });
        let attempts = count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        let since = since.unwrap_or(joined_at);
        Ok(Self { job, path, since, attempts, retry_at, detail, failure: failure.transpose()? })
    }

    /// Adds what is known of the job to what a message says: the first detail and the first failure are those of the incident.
    /// Gives the job, unless it is a trouble of the server itself.
    pub(crate) fn add_to(self, facts: &mut IncidentFacts) -> Option<TroubledJob> {
        if facts.detail.is_empty() {
            facts.detail = self.detail;
        }
        if facts.failure.is_none()
            && let Some((failure, record)) = self.failure
        {
            facts.failure = Some(failure);
            facts.record = record.map(|record| (self.job, record));
        }
        let (since, attempts, retry_at) = (self.since, self.attempts, self.retry_at);
        self.path.map(|path| TroubledJob { path, since, attempts, retry_at })
    }
}
