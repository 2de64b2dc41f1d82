//! Enabling and disabling a job, with a note and until an instant.

use punctual_model::history::Record;
use punctual_model::job::State;
use punctual_model::labels::Annotations;
use punctual_model::revise::{self, Effect, SwitchTo};
use punctual_model::time::Timestamp;
use punctual_store::{Error, JobEntry, JobKey, JobWrite, PauseEntry};

use super::job::{check_keys, context, kept_annotations, refused, source};
use super::{Caller, Operations, SavedJob, find_job};
use crate::condition::{Condition, ETag};
use crate::fault::Fault;
use crate::input::DisableInput;
use crate::limits;
use crate::target_check::FlawedTarget;

/// Enables a job, or disables it for a reason and a time. A job that is disabled already gets the new reason and time, and stays
/// disabled since when it was.
pub(crate) async fn switch_job(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    condition: &Condition,
    disable: Option<&DisableInput>,
) -> Result<SavedJob, Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let (collection, stored) = find_job(operations, key).await?;
        condition.check(Some(&ETag::of_job(&stored)))?;
        let pauses = PauseEntry::times(&operations.store.pauses().await?);
        let to = if disable.is_some() { SwitchTo::Disabled } else { SwitchTo::Enabled };
        let context = context(&collection, Some(&stored), stored.uid, caller.now, pauses);
        let revision = revise::switch(&stored.job, to, &context).map_err(|refusal| refused(refusal, key, ""))?;
        let flawed = operations.flawed_targets(&revision.job.definition, &collection.key);
        if revision.job.state.kind() != State::Disabled {
            check_keys(&flawed, "")?;
        }
        let warnings = revision.warnings.into_iter().chain(flawed.iter().map(FlawedTarget::warning)).collect();
        let annotations = match disable {
            Some(disable) => Annotations { note: disable.note.clone(), ..stored.annotations.clone() },
            None => kept_annotations(&stored, &revision.job),
        };
        let disabled_until = disable.and_then(|disable| disable.until);
        if revision.effect == Effect::Unchanged && is_said(&stored, &annotations, disabled_until) {
            return Ok(SavedJob { collection, job: stored, is_new: false, warnings });
        }
        let records = revision.not_run.into_iter().map(|range| Record::of_not_run(stored.uid, range, caller.now));
        let not_run: Vec<_> = records.collect();
        let statuses: Vec<_> = not_run.iter().map(|record| record.status).collect();
        let written = operations.store.put_job(JobWrite {
            collection: (collection.id, collection.revision),
            name: stored.name.clone(),
            source: source(Some(&stored), stored.uid, None),
            job: revision.job,
            annotations,
            disabled_until,
            not_run,
            stamp: caller.stamp(),
        });
        match written.await {
            Ok(job) => {
                operations.count_not_run(&collection.key, &statuses);
                return Ok(SavedJob { collection, job, is_new: false, warnings });
            }
            Err(Error::Stale) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Fault::Busy)
}

/// Whether the stored job says this already.
fn is_said(stored: &JobEntry, annotations: &Annotations, disabled_until: Option<Timestamp>) -> bool {
    stored.annotations == *annotations && stored.disabled_until == disabled_until
}
