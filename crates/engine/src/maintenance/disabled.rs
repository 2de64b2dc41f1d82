//! Enables jobs that were disabled until an instant which has come.

use punctual_model::Name;
use punctual_model::history::{Record, Status};
use punctual_model::labels::Annotations;
use punctual_model::revise::{self, EditContext, SwitchTo};
use punctual_model::time::Timestamp;
use punctual_store::{
    CollectionEntry, CollectionKey, EnablePage, Error, JobEntry, JobKey, JobSource, JobToEnable, JobWrite, PauseEntry,
    Stamp,
};

use super::PAGE;
use crate::driver::Deps;

/// Enables all jobs whose time of being disabled is over. One that cannot be enabled keeps no other from it.
pub(super) async fn enable_in_time(deps: &Deps) -> Result<(), Error> {
    let (mut after, mut failed) = (None, None);
    loop {
        let page = EnablePage { now: deps.clock.now(), after, limit: PAGE };
        let jobs = deps.store.jobs_to_enable(&page).await?;
        for job in &jobs {
            failed = enable(deps, job, page.now).await.err().or(failed);
        }
        let Some(last) = jobs.last().filter(|_| jobs.len() == PAGE) else { break };
        after = Some((last.until, last.id));
    }
    failed.map_or(Ok(()), Err)
}

/// Enables one job, unless somebody has edited it meanwhile: then the next pass looks again.
async fn enable(deps: &Deps, due: &JobToEnable, now: Timestamp) -> Result<(), Error> {
    let Some(key) = key_of(&due.path) else { return Ok(()) };
    let found = deps.store.job(&key).await?;
    let Some((collection, Some(job))) = found else { return Ok(()) };
    if job.id != due.id || job.disabled_until != Some(due.until) {
        return Ok(());
    }
    let context = EditContext {
        now,
        uid: job.uid,
        sku: collection.collection.sku,
        collection_stopped_at: collection.stopped_at,
        scheduled_beside: job.scheduled_beside,
        failures: job.counters.failures,
        pauses: PauseEntry::times(&deps.store.pauses().await?),
    };
    let Ok(revision) = revise::switch(&job.job, SwitchTo::Enabled, &context) else { return Ok(()) };
    let not_run = revision.not_run.iter().map(|range| Record::of_not_run(job.uid, *range, now)).collect();
    let write = write_of(&collection, &job, revision.job, not_run, now);
    let statuses: Vec<_> = write.not_run.iter().map(|record| record.status).collect();
    match deps.store.put_job(write).await {
        Ok(_) => {
            count_not_run(deps, &key.collection, &statuses);
            tracing::info!("enabled {}: it was disabled until {}", due.path, due.until);
            Ok(())
        }
        Err(Error::Stale) => Ok(()),
        Err(error) => Err(error),
    }
}

fn write_of(
    collection: &CollectionEntry,
    job: &JobEntry,
    enabled: punctual_model::job::Job,
    not_run: Vec<Record>,
    now: Timestamp,
) -> JobWrite {
    let JobEntry { id, uid, revision, work_revision, .. } = *job;
    JobWrite {
        collection: (collection.id, collection.revision),
        name: job.name.clone(),
        source: JobSource::Edited { id, uid, revision, work_revision },
        job: enabled,
        annotations: Annotations::without_note(&job.annotations),
        disabled_until: None,
        not_run,
        stamp: Stamp::of_timer(now),
    }
}

/// Counts the times that passed while the job was disabled.
fn count_not_run(deps: &Deps, key: &CollectionKey, statuses: &[Status]) {
    let CollectionKey { subscription, group, collection } = key;
    let counted = deps.metrics.collections.of_collection(&format!("{subscription}/{group}/{collection}"));
    for status in statuses {
        if let Status::Postponed(range) = status {
            counted.not_run[range.reason.index()].add(range.number);
        }
    }
}

/// The names in `{subscription}/{group}/{collection}/{job}`. No name holds a slash.
fn key_of(path: &str) -> Option<JobKey> {
    let names: Option<Vec<Name>> = path.split('/').map(|name| Name::parse(name).ok()).collect();
    let [subscription, group, collection, job] = <[Name; 4]>::try_from(names?).ok()?;
    Some(JobKey { collection: CollectionKey { subscription, group, collection }, job })
}
