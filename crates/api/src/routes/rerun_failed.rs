//! All that failed since an instant, run once more.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use punctual_model::access::Role;
use punctual_model::history::StatusKind;
use punctual_model::job::State;
use punctual_model::occurrence::{Occurrence, OccurrenceId, Phase};
use punctual_model::time::Timestamp;
use punctual_model::{Name, Violation, Warning, limits};
use punctual_store::{
    CollectionEntry, CollectionKey, CollectionPage, Error, HistoryFilter, HistoryItem, HistoryPage, JobEntry, JobId,
    JobPage,
};

use super::{collections, rerun};
use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::page;
use crate::request::Request;
use crate::route;
use crate::wire::view::members::Members;
use crate::wire::{Parsed, RerunInput, parse_rerun_json};

/// Collections that are read at once, to find the next one that the caller may write.
const COLLECTIONS_READ: usize = 20;

/// Repeats every occurrence that failed and was not completed since, in the collections that the caller may write. It
/// goes through the jobs bit by bit: the answer says where to `continue`.
///
/// An occurrence has failed if an attempt of its main action failed in the wanted time, none has succeeded after that, and
/// none is to come. Jobs and collections that are disabled are left alone: nobody wants those to run.
pub(super) async fn rerun_failed(api: &Api, request: &Request) -> Result<Answer, Fault> {
    let Parsed { value: wanted, mut warnings } = parse_rerun_json(&request.json()?, &api.defaults(&request.query)?)?;
    let mut place = request.query.get("continue").map(Place::parse).transpose()?;
    let mut tally = Tally::default();
    while !tally.is_enough() {
        let Some(collection) = next_collection(api, request, &wanted, place.as_ref()).await? else {
            place = None;
            break;
        };
        let after = place.take().filter(|place| place.collection == collection.key).and_then(|place| place.job);
        let last = rerun_collection(api, request.now, &wanted, &collection, after, &mut tally).await?;
        place = Some(Place { collection: collection.key, job: last });
    }
    if tally.cut > 0 {
        let text = format!(
            "of {} jobs only the last {} records were looked at; an earlier until shows more",
            tally.cut,
            limits::RERUN_RECORDS_MAX
        );
        warnings.push(Warning::new("since", text));
    }
    let body = Members::new().add("rerun", tally.rerun).add("left", tally.left);
    let body = body.add_some("continue", place.map(|place| place.to_text()));
    Ok(Answer::json(StatusCode::OK, body.into_json()).warnings(&warnings))
}

/// What one request has done.
#[derive(Default)]
struct Tally {
    jobs: u32,
    rerun: u32,
    /// Found, but as many of their jobs wait as may.
    left: u32,
    /// Jobs with more records than are looked at.
    cut: u32,
}

impl Tally {
    const fn is_enough(&self) -> bool {
        self.jobs >= limits::RERUN_JOBS_MAX || self.rerun >= limits::RERUNS_MAX
    }
}

/// How far it has come: after this job of the collection, or after all of them.
struct Place {
    collection: CollectionKey,
    job: Option<Name>,
}

impl Place {
    fn parse(text: &str) -> Result<Self, Fault> {
        let names = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let names: Option<Vec<_>> =
            names.and_then(|names| names.split('/').map(|name| Name::parse(name).ok()).collect());
        match names.as_deref() {
            Some([subscription, group, collection, job @ ..]) if job.len() < 2 => {
                let [subscription, group, collection] = [subscription, group, collection].map(Name::clone);
                let collection = CollectionKey { subscription, group, collection };
                Ok(Self { collection, job: job.first().cloned() })
            }
            _ => Err(Violation::new("continue", format!("{text:?}"), "what the last answer said").into()),
        }
    }

    fn to_text(&self) -> String {
        let CollectionKey { subscription, group, collection } = &self.collection;
        let job = self.job.as_ref().map(|job| format!("/{job}")).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(format!("{subscription}/{group}/{collection}{job}"))
    }
}

/// The collection that is next: the one that was not finished, or the first after it that the caller may write.
async fn next_collection(
    api: &Api,
    request: &Request,
    wanted: &RerunInput,
    place: Option<&Place>,
) -> Result<Option<CollectionEntry>, Fault> {
    let unfinished = place.filter(|place| place.job.is_some()).map(|place| &place.collection);
    if let Some(key) = &wanted.collection {
        let is_next = place.is_none() || unfinished == Some(key);
        return if is_next { named_collection(api, request, key).await.map(Some) } else { Ok(None) };
    }
    if let Some(key) = unfinished
        && let Some(entry) = api.store.collection(key).await?
        && may_write(request, &entry)
    {
        return Ok(Some(entry));
    }
    let mut after = place.map(|place| (place.collection.group.clone(), place.collection.collection.clone()));
    let mut subscription = match place {
        Some(place) => Some(place.collection.subscription.clone()),
        None => api.store.subscriptions(None, 1).await?.pop(),
    };
    while let Some(current) = subscription {
        let mut rows =
            CollectionPage { subscription: current.clone(), group: None, after: after.take(), limit: COLLECTIONS_READ };
        loop {
            let read = api.store.collections(&rows).await?;
            let is_last = read.len() < rows.limit;
            rows.after = read.last().map(|last| (last.key.group.clone(), last.key.collection.clone()));
            if let Some(found) = read.into_iter().find(|entry| may_write(request, entry)) {
                return Ok(Some(found));
            }
            if is_last {
                break;
            }
        }
        subscription = api.store.subscriptions(Some(&current), 1).await?.pop();
    }
    Ok(None)
}

async fn named_collection(api: &Api, request: &Request, key: &CollectionKey) -> Result<CollectionEntry, Fault> {
    let scope = route::scope_of(key);
    if !request.may_write(&scope) {
        let role = Role::Contributor.name();
        return Err(Fault::Forbidden(format!("POST needs the role {role} on '{scope}'.")));
    }
    api.store.collection(key).await?.ok_or_else(|| collections::missing(key))
}

fn may_write(request: &Request, entry: &CollectionEntry) -> bool {
    request.may_write(&route::scope_of(&entry.key))
}

/// Goes through the jobs of a collection after that one. Says after which to go on, if it was enough for one request.
async fn rerun_collection(
    api: &Api,
    now: Timestamp,
    wanted: &RerunInput,
    collection: &CollectionEntry,
    after: Option<Name>,
    tally: &mut Tally,
) -> Result<Option<Name>, Fault> {
    if collection.stopped_at.is_some() {
        return Ok(None);
    }
    let mut rows = JobPage { after, limit: page::SIZE as usize, ..JobPage::default() };
    loop {
        let read = api.store.jobs(collection.id, &rows).await?;
        let is_last = read.len() < rows.limit;
        for job in read {
            rerun_job(api, now, wanted, collection, &job, tally).await?;
            tally.jobs += 1;
            rows.after = Some(job.name);
            if tally.is_enough() {
                return Ok(rows.after);
            }
        }
        if is_last {
            return Ok(None);
        }
    }
}

/// Runs again what failed of a job, the oldest first, as much as may wait.
async fn rerun_job(
    api: &Api,
    now: Timestamp,
    wanted: &RerunInput,
    collection: &CollectionEntry,
    job: &JobEntry,
    tally: &mut Tally,
) -> Result<(), Fault> {
    let Some(lane) = rerun::lane(collection, job, Phase::Main) else { return Ok(()) };
    if job.job.state.kind() == State::Disabled {
        return Ok(());
    }
    let failed = Failed::find(api, job.id, wanted, now).await?;
    tally.cut += u32::from(failed.is_cut);
    let mut is_full = false;
    for occurrence in failed.occurrences {
        if is_full {
            tally.left += 1;
            continue;
        }
        match api.store.rerun_job(job.id, occurrence, lane, limits::MANUAL_RUNS_MAX).await {
            Ok(is_opened) => tally.rerun += u32::from(is_opened),
            Err(Error::Full { .. }) => {
                is_full = true;
                tally.left += 1;
            }
            // It was deleted meanwhile.
            Err(Error::Stale) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// What failed of a job and was not completed since.
struct Failed {
    /// In the order in which they last failed.
    occurrences: Vec<Occurrence>,
    /// Not all records were looked at.
    is_cut: bool,
}

impl Failed {
    async fn find(api: &Api, job: JobId, wanted: &RerunInput, now: Timestamp) -> Result<Self, Fault> {
        let filter = HistoryFilter {
            status: Some(StatusKind::Failed),
            phase: Some(Phase::Main),
            started_from: Some(wanted.since),
            started_until: wanted.until,
        };
        let mut failed: HashMap<OccurrenceId, (Timestamp, Occurrence)> = HashMap::new();
        let mut looked_back_to = wanted.since;
        let mut is_cut = each_record(api, job, filter, |item| {
            let record = &item.entry.record;
            looked_back_to = record.started;
            if let Some(rerun) = record.rerun(now) {
                // The newest comes first.
                failed.entry(record.occurrence).or_insert((record.started, rerun));
            }
        })
        .await?;
        if failed.is_empty() {
            return Ok(Self { occurrences: Vec::new(), is_cut });
        }
        let completed = HistoryFilter {
            status: Some(StatusKind::Completed),
            started_from: Some(looked_back_to),
            started_until: None,
            ..filter
        };
        let is_completed_cut = each_record(api, job, completed, |item| {
            let record = &item.entry.record;
            looked_back_to = record.started;
            if failed.get(&record.occurrence).is_some_and(|(started, _)| *started <= record.started) {
                failed.remove(&record.occurrence);
            }
        })
        .await?;
        if is_completed_cut {
            // Whether what failed before was completed is not known.
            failed.retain(|_, (started, _)| *started >= looked_back_to);
            is_cut = true;
        }
        let mut failed: Vec<_> = failed.into_values().collect();
        failed.sort_by_key(|(started, rerun)| (*started, rerun.nominal));
        Ok(Self { occurrences: failed.into_iter().map(|(_, rerun)| rerun).collect(), is_cut })
    }
}

/// Looks at the records of a job that the filter lets through, newest first. Says whether there are more than it looks at.
async fn each_record(
    api: &Api,
    job: JobId,
    filter: HistoryFilter,
    mut look: impl FnMut(&HistoryItem),
) -> Result<bool, Fault> {
    let mut rows = HistoryPage { filter, limit: page::SIZE as usize, ..HistoryPage::default() };
    let mut looked_at = 0;
    loop {
        let items = api.store.history(job, &rows).await?;
        items.iter().for_each(&mut look);
        looked_at += items.len();
        if items.len() < rows.limit {
            return Ok(false);
        }
        if looked_at >= limits::RERUN_RECORDS_MAX {
            return Ok(true);
        }
        rows.after = items.last().map(|last| last.key);
    }
}
