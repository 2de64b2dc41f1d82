//! One record of a history, run once more.

use punctual_model::lane::Lane;
use punctual_model::limits::MANUAL_RUNS_MAX;
use punctual_model::occurrence::{OccurrenceId, Phase};
use punctual_store::{Error, JobKey};

use super::{Caller, Operations, find_job, find_record};
use crate::fault::Fault;

/// Repeats the occurrence of one record: the action, or the error action, that the record is about. Returns the
/// id of the occurrence.
pub(crate) async fn rerun(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    id: &str,
) -> Result<OccurrenceId, Fault> {
    let (collection, job) = find_job(operations, key).await?;
    let record = find_record(operations, job.id, id).await?.entry.record;
    let conflict = |message: String| Fault::Conflict { target: "rerun", message };
    let rerun = record.rerun(caller.now).ok_or_else(|| {
        conflict(format!("Record '{id}' is about no attempt at running job '{}', so there is none to repeat.", key.job))
    })?;
    let action = &job.job.definition.action;
    if rerun.phase == Phase::Error && action.error.is_none() {
        let message = format!("Record '{id}' is about the error action, and job '{}' has none any more.", key.job);
        return Err(conflict(message));
    }
    let lane = Lane::of(collection.id.0, action, rerun.phase);
    match operations.store.rerun_job(job.id, rerun, lane, MANUAL_RUNS_MAX).await {
        Ok(true) => Ok(record.occurrence),
        Ok(false) => Err(conflict(format!(
            "Occurrence '{}' of job '{}' is still open; let it end first.",
            record.occurrence, key.job
        ))),
        Err(Error::Stale) => Err(Fault::NoJob(key.job.to_string())),
        Err(Error::Full { max }) => {
            Err(conflict(format!("{max} reruns of job '{}' wait already; let them run first.", key.job)))
        }
        Err(error) => Err(error.into()),
    }
}
