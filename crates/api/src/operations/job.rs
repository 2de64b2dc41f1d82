//! Writes of one job.

use async_trait::async_trait;
use punctual_model::history::Record;
use punctual_model::job::{Definition, Job, State, Uid};
use punctual_model::labels::Annotations;
use punctual_model::limits::MANUAL_RUNS_MAX;
use punctual_model::occurrence::OccurrenceId;
use punctual_model::pause::Pauses;
use punctual_model::revise::{self, EditContext, Effect, Refusal};
use punctual_model::time::Timestamp;
use punctual_model::{Name, Violation, Warning};
use punctual_store::{CollectionEntry, CollectionKey, Error, JobEntry, JobKey, JobSource, JobWrite, PauseEntry};

use super::{Caller, Operations, find_job};
use crate::condition::{Condition, ETag};
use crate::fault::Fault;
use crate::input::{JobInput, Parsed};
use crate::limits;
use crate::plan::Bounds;
use crate::target_check::{FlawedTarget, MissingKey};

/// What a job shall be, as a client wrote it.
#[derive(Clone)]
pub(crate) struct JobWish {
    pub(crate) input: Parsed<JobInput>,
    /// How long the document is that says so; the plans limit it.
    pub(crate) bytes: usize,
    /// Where the definition stands in that document: the paths in complaints begin with it.
    pub(crate) path: &'static str,
}

/// What is to be done to a job.
pub(crate) enum JobChange<'a> {
    /// The job shall be this, whether it exists or not.
    Put(Box<JobWish>),
    /// The stored job shall be changed.
    Patch(&'a dyn JobPatch),
}

/// A change of a job that depends on what the job is.
#[async_trait]
pub(crate) trait JobPatch: Sync {
    /// What the job shall be, given what it is. Asked again if the job has changed meanwhile.
    async fn apply(&self, collection: &CollectionEntry, stored: &JobEntry) -> Result<JobWish, Fault>;
}

/// What is to be done to which job, and on what condition.
pub(crate) struct JobOrder<'a> {
    pub(crate) key: &'a JobKey,
    pub(crate) condition: &'a Condition,
    pub(crate) change: JobChange<'a>,
    pub(crate) missing_key: MissingKey,
    /// Whether a job that has ended is deleted and made again, where it cannot be changed.
    pub(crate) replaces_ended: bool,
}

/// A job after it was saved.
pub(crate) struct SavedJob {
    pub(crate) collection: CollectionEntry,
    pub(crate) job: JobEntry,
    pub(crate) is_new: bool,
    pub(crate) warnings: Vec<Warning>,
}

/// Makes a job or changes it.
pub(crate) async fn save_job(
    operations: &Operations,
    caller: &Caller,
    order: &JobOrder<'_>,
) -> Result<SavedJob, Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let found =
            operations.store.job(order.key).await?.ok_or_else(|| Fault::no_collection(&order.key.collection))?;
        let (collection, stored) = found;
        order.condition.check(stored.as_ref().map(ETag::of_job).as_ref())?;
        let Decided { decision, warnings } = decide(operations, caller, order, &collection, stored.as_ref()).await?;
        let write = match (decision, stored) {
            (Decision::Write(write), _) => write,
            (Decision::Unchanged, Some(job)) => return Ok(SavedJob { collection, job, is_new: false, warnings }),
            (Decision::Replace(write), Some(ended)) => {
                let Some(job) = replace_ended(operations, caller, order.key, &ended, *write).await? else { continue };
                return Ok(SavedJob { collection, job, is_new: true, warnings });
            }
            // Only what is there can be unchanged or replaced.
            (_, None) => return Err(Fault::NoJob(order.key.job.to_string())),
        };
        let is_new = matches!(write.source, JobSource::New { .. });
        let not_run: Vec<_> = write.not_run.iter().map(|record| record.status).collect();
        match operations.store.put_job(*write).await {
            Ok(job) => {
                operations.count_not_run(&collection.key, &not_run);
                return Ok(SavedJob { collection, job, is_new, warnings });
            }
            Err(Error::Stale) => {}
            Err(Error::Full { max }) => return Err(Fault::CollectionFull { jobs_max: max }),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Fault::Busy)
}

/// Deletes a job that has ended and makes another one of its name. Nothing is done, and nothing returned, if the job that has ended is
/// not there any more.
async fn replace_ended(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    ended: &JobEntry,
    mut write: JobWrite,
) -> Result<Option<JobEntry>, Fault> {
    match operations.store.delete_job(ended.id, ended.revision, caller.stamp()).await {
        Ok(()) => {}
        Err(Error::Stale) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    for _ in 0..limits::WRITE_TRIES_MAX {
        match operations.store.put_job(write.clone()).await {
            Ok(job) => return Ok(Some(job)),
            Err(Error::Stale) => {
                let found = operations.store.job(key).await?.ok_or_else(|| Fault::no_collection(&key.collection))?;
                // What somebody else has made meanwhile is not replaced.
                Condition::absent().check(found.1.as_ref().map(ETag::of_job).as_ref())?;
                write.collection = (found.0.id, found.0.revision);
            }
            Err(Error::Full { max }) => return Err(Fault::CollectionFull { jobs_max: max }),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Fault::Busy)
}

/// Decides what an order leads to, given the job as it is.
pub(super) async fn decide(
    operations: &Operations,
    caller: &Caller,
    order: &JobOrder<'_>,
    collection: &CollectionEntry,
    stored: Option<&JobEntry>,
) -> Result<Decided, Fault> {
    // A new job has no times that a pause could explain.
    let pauses = match stored {
        Some(_) => PauseEntry::times(&operations.store.pauses().await?),
        None => Pauses::default(),
    };
    let wish = match (&order.change, stored) {
        (JobChange::Put(wish), _) => JobWish::clone(wish),
        (JobChange::Patch(patch), Some(stored)) => {
            let wish = patch.apply(collection, stored).await?;
            check_not_revived(&wish, stored)?;
            wish
        }
        (JobChange::Patch(_), None) => return Err(Fault::NoJob(order.key.job.to_string())),
    };
    let edit = JobEdit { operations, caller, order, collection, pauses };
    let Some(ended) = stored.filter(|stored| order.replaces_ended && stored.job.state.kind().is_final()) else {
        return edit.decide(stored, wish);
    };
    match edit.decide(stored, wish.clone()) {
        Err(Fault::Ended { .. }) => edit.replace(ended, wish),
        decided => decided,
    }
}

/// What an edit of a job depends on besides the job.
struct JobEdit<'a> {
    operations: &'a Operations,
    caller: &'a Caller,
    order: &'a JobOrder<'a>,
    collection: &'a CollectionEntry,
    pauses: Pauses,
}

/// What is to be done, and what the user should know about it.
pub(super) struct Decided {
    pub(super) decision: Decision,
    pub(super) warnings: Vec<Warning>,
}

pub(super) enum Decision {
    Write(Box<JobWrite>),
    /// The stored job is so already.
    Unchanged,
    /// The stored job has ended: it is deleted, and this one is made.
    Replace(Box<JobWrite>),
}

impl JobEdit<'_> {
    /// Decides what an edit leads to. Not a part of [`save_job`]: all that is looked at here would be in its future, which is
    /// moved several times for every job.
    fn decide(&self, stored: Option<&JobEntry>, wish: JobWish) -> Result<Decided, Fault> {
        let Self { operations, caller, order: JobOrder { key, missing_key, .. }, collection, pauses } = self;
        let bounds = Bounds::of(&collection.collection, &operations.plans);
        bounds.check_job_bytes(wish.bytes)?;
        let JobWish { input: Parsed { value, mut warnings }, path, .. } = wish;
        let uid = stored.map_or_else(|| Uid::from_bytes(operations.random()), |stored| stored.uid);
        let context = context(collection, stored, uid, caller.now, pauses.clone());
        let revision = revise::revise(stored.map(|it| &it.job), value.definition, value.state, &context)
            .map_err(|refusal| refused(refusal, key, path))?;
        warnings.extend(revision.warnings.iter().map(|warning| under(path, warning)));
        let flawed = operations.flawed_targets(&revision.job.definition, &collection.key);
        if *missing_key == MissingKey::Refused && revision.job.state.kind() != State::Disabled {
            check_keys(&flawed, path)?;
        }
        warnings.extend(flawed.iter().map(|target| under(path, &target.warning())));
        let known = stored.map(|stored| stored.annotations.clone()).unwrap_or_default();
        if revision.effect != Effect::Unchanged {
            check_sizes(&revision.job.definition, key, path)?;
            bounds.check_job(&revision.job.definition, &revision.timetable, path)?;
        } else if known.labels == value.labels {
            return Ok(Decided { decision: Decision::Unchanged, warnings });
        } else if revision.job.state.kind().is_final() {
            let kept = Warning::new("options.labels", "the job has ended, and keeps the labels that it has");
            warnings.push(under(path, &kept));
            return Ok(Decided { decision: Decision::Unchanged, warnings });
        }
        // Nothing in a definition speaks of them, so they stay what they are.
        let annotations = stored.as_ref().map(|stored| kept_annotations(stored, &revision.job)).unwrap_or_default();
        let write = JobWrite {
            collection: (collection.id, collection.revision),
            name: key.job.clone(),
            source: source(stored, uid, bounds.jobs_max()),
            job: revision.job,
            annotations: Annotations { labels: value.labels, ..annotations },
            disabled_until: stored.and_then(|stored| stored.disabled_until),
            not_run: revision.not_run.into_iter().map(|range| Record::of_not_run(uid, range, caller.now)).collect(),
            stamp: caller.stamp(),
        };
        Ok(Decided { decision: Decision::Write(Box::new(write)), warnings })
    }

    /// Decides about a new job in the place of one that has ended. Secrets that were not sent again are those of the old one, by
    /// the rule that holds for an edit.
    fn replace(&self, ended: &JobEntry, mut wish: JobWish) -> Result<Decided, Fault> {
        let definition = &mut wish.input.value.definition;
        let completed = definition.action.clone().complete(Some(&ended.job.definition.action));
        let completed = completed.map_err(|violations| invalid(violations, wish.path))?;
        definition.action = completed.map_secrets(&mut Some);
        // A state that only the server gives is that of the old one.
        wish.input.value.state = wish.input.value.state.filter(|state| !state.is_final());
        let Decided { decision, warnings } = self.decide(None, wish)?;
        let decision = match decision {
            Decision::Write(write) => Decision::Replace(write),
            other => other,
        };
        Ok(Decided { decision, warnings })
    }
}

/// What people said about a job, as far as it still holds after an edit.
pub(super) fn kept_annotations(stored: &JobEntry, edited: &Job) -> Annotations {
    let is_switched_on = stored.job.state.kind() == State::Disabled && edited.state.kind() != State::Disabled;
    if is_switched_on { stored.annotations.without_note() } else { stored.annotations.clone() }
}

/// Deletes a job.
pub(crate) async fn delete_job(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    condition: &Condition,
) -> Result<(), Fault> {
    for _ in 0..limits::WRITE_TRIES_MAX {
        let (_, job) = match find_job(operations, key).await {
            Err(Fault::Store(error)) if error.is_of_one_record() => {
                return delete_unread(operations, caller, key, condition).await;
            }
            found => found?,
        };
        condition.check(Some(&ETag::of_job(&job)))?;
        match operations.store.delete_job(job.id, job.revision, caller.stamp()).await {
            Err(Error::Stale) => {}
            deleted => return Ok(deleted?),
        }
    }
    Err(Fault::Busy)
}

/// Deletes a job that cannot be read: damaged, or written by a newer version. No condition holds for it.
async fn delete_unread(
    operations: &Operations,
    caller: &Caller,
    key: &JobKey,
    condition: &Condition,
) -> Result<(), Fault> {
    condition.check(None)?;
    let found = operations.store.find_job(key).await?;
    let (id, revision) = found.ok_or_else(|| Fault::NoJob(key.job.to_string()))?;
    Ok(operations.store.delete_job(id, revision, caller.stamp()).await?)
}

/// Runs a job now, beside its schedule. Returns the id of the run.
pub(crate) async fn run_now(operations: &Operations, caller: &Caller, key: &JobKey) -> Result<OccurrenceId, Fault> {
    let (_, job) = find_job(operations, key).await?;
    match operations.store.run_job(job.id, caller.now, MANUAL_RUNS_MAX).await {
        Err(Error::Stale) => Err(Fault::NoJob(key.job.to_string())),
        Err(Error::Full { max }) => Err(Fault::Conflict {
            target: "run",
            message: format!("{max} runs of job '{}' wait already; let them run first.", key.job),
        }),
        opened => Ok(opened?.id(job.uid)),
    }
}

pub(super) fn source(stored: Option<&JobEntry>, uid: Uid, jobs_max: Option<u32>) -> JobSource {
    stored.map_or(JobSource::New { uid, jobs_max }, |stored| JobSource::Edited {
        id: stored.id,
        uid,
        revision: stored.revision,
        work_revision: stored.work_revision,
    })
}

pub(super) fn context(
    collection: &CollectionEntry,
    stored: Option<&JobEntry>,
    uid: Uid,
    now: Timestamp,
    pauses: Pauses,
) -> EditContext {
    EditContext {
        now,
        uid,
        sku: collection.collection.sku,
        collection_stopped_at: collection.stopped_at,
        scheduled_beside: stored.map_or(0, |stored| stored.scheduled_beside),
        failures: stored.map_or(0, |stored| stored.counters.failures),
        pauses,
    }
}

/// Refuses a partial edit that asks a job which has ended for another state. What names the state that the job has, or none,
/// may be what was read, sent back; whether it changes something else is decided as for the whole definition.
fn check_not_revived(wish: &JobWish, stored: &JobEntry) -> Result<(), Fault> {
    let state = stored.job.state.kind();
    if state.is_final() && wish.input.value.state != Some(state) {
        return Err(Fault::Ended { job: stored.name.to_string(), state });
    }
    Ok(())
}

/// Refuses a job that lacks its key.
pub(super) fn check_keys(flawed: &[FlawedTarget], path: &str) -> Result<(), Fault> {
    let lacking = flawed.iter().filter(|target| target.lacks_key());
    let violations: Vec<_> = lacking.map(FlawedTarget::violation).collect();
    if violations.is_empty() { Ok(()) } else { Err(invalid(violations, path)) }
}

/// A message on a storage queue and what is filled in for placeholders hold the names of the job and of what it belongs to,
/// which a definition alone does not say.
fn check_sizes(definition: &Definition, key: &JobKey, path: &str) -> Result<(), Fault> {
    let CollectionKey { subscription, group, collection } = &key.collection;
    let violations = definition.check_sizes([subscription, group, collection, &key.job].map(Name::as_str));
    if violations.is_empty() { Ok(()) } else { Err(invalid(violations, path)) }
}

pub(super) fn refused(refusal: Refusal, key: &JobKey, path: &str) -> Fault {
    match refusal {
        Refusal::Invalid(violations) => invalid(violations, path),
        Refusal::Ended(state) => Fault::Ended { job: key.job.to_string(), state },
    }
}

fn invalid(violations: Vec<Violation>, path: &str) -> Fault {
    Fault::Invalid(violations.into_iter().map(|violation| violation.under(path)).collect())
}

/// The warning with every path in it as the client would write it. There may be several, with commas between them.
fn under(path: &str, warning: &Warning) -> Warning {
    let dot = if path.is_empty() { "" } else { "." };
    let paths: Vec<_> = warning.path.split(", ").map(|member| format!("{path}{dot}{member}")).collect();
    Warning::new(paths.join(", "), warning.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_names_each_path_as_the_client_would_write_it() {
        let warning = Warning::new("recurrence.timeZone, options.timeout", "dropped");
        assert_eq!(under("properties", &warning).path, "properties.recurrence.timeZone, properties.options.timeout");
        assert_eq!(under("", &warning).path, warning.path);
    }
}
