//! One record of a history, run once more.

use http::StatusCode;
use punctual_model::lane::{Host, Lane};
use punctual_model::limits;
use punctual_model::occurrence::Phase;
use punctual_store::{CollectionEntry, Error, HistoryKey, JobEntry, JobKey};

use super::jobs;
use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::request::Request;

/// Repeats the occurrence of one record: the action, or the error action, that the record is about.
pub(super) async fn one(api: &Api, key: &JobKey, id: &str, request: &Request) -> Result<Answer, Fault> {
    let (collection, job) = jobs::find(api, key).await?;
    let missing = || Fault::Missing { what: "History record", name: id.to_owned() };
    let found = api.store.record(job.id, HistoryKey::parse_id(id).ok_or_else(missing)?).await?;
    let record = found.ok_or_else(missing)?.entry.record;
    let conflict = |message: String| Fault::Conflict { target: "rerun", message };
    let rerun = record.rerun(request.now).ok_or_else(|| {
        conflict(format!("Record '{id}' is about no attempt at running job '{}', so there is none to repeat.", key.job))
    })?;
    let lane = lane(&collection, &job, rerun.phase).ok_or_else(|| {
        conflict(format!("Record '{id}' is about the error action, and job '{}' has none any more.", key.job))
    })?;
    match api.store.rerun_job(job.id, rerun, lane, limits::MANUAL_RUNS_MAX).await {
        Ok(true) => Ok(Answer::empty(StatusCode::OK)),
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

/// The lane of an action of a job; none if there is no such action.
pub(super) fn lane(collection: &CollectionEntry, job: &JobEntry, phase: Phase) -> Option<Lane> {
    let action = &job.job.definition.action;
    let target = match phase {
        Phase::Main => &action.target,
        Phase::Error => &action.error.as_ref()?.target,
    };
    Some(Lane::new(collection.id.0, &Host::of(target)))
}
