//! A store without a disk: the same answers from plain maps.
//!
//! One resource group, and of each job only what the store decides about: which version, and whether it is there. Who
//! writes shows a [`Read`], as callers of the real store do.

use std::collections::BTreeMap;

use punctual_model::Name;
use punctual_model::job::{State, Uid};

#[derive(Default)]
pub(crate) struct Reference {
    collections: BTreeMap<Name, Collection>,
    made: u64,
}

struct Collection {
    /// No other one ever has it.
    number: u64,
    name: Name,
    revision: i64,
    jobs: BTreeMap<Name, Job>,
}

/// A job as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) written: String,
    pub(crate) uid: Uid,
    pub(crate) revision: i64,
    pub(crate) state: State,
    pub(crate) message: String,
    pub(crate) history: usize,
    runs: u32,
}

/// What somebody has read: the collection, and the job if it was there.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    number: u64,
    revision: i64,
    pub(crate) job: Option<Job>,
}

/// What somebody wants a job to be.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) name: Name,
    /// For a new one.
    pub(crate) uid: Uid,
    pub(crate) jobs_max: Option<u32>,
    pub(crate) state: State,
    pub(crate) message: String,
    pub(crate) not_run: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Stale,
    Full(u32),
}

impl Reference {
    /// The collections by name, as they were written, with their revisions and numbers of jobs.
    pub(crate) fn collections(&self) -> Vec<(String, i64, usize)> {
        self.collections.values().map(|it| (it.name.to_string(), it.revision, it.jobs.len())).collect()
    }

    pub(crate) fn read(&self, collection: &Name, job: &Name) -> Option<Read> {
        let found = self.collections.get(collection)?;
        Some(Read { number: found.number, revision: found.revision, job: found.jobs.get(job).cloned() })
    }

    pub(crate) fn put_collection(&mut self, name: &Name, read: Option<&Read>) -> Result<i64, Refused> {
        let stored = self.collections.get_mut(name);
        match (stored, read) {
            (Some(stored), Some(read)) if stored.revision == read.revision => {
                stored.revision += 1;
                Ok(stored.revision)
            }
            (None, None) => {
                self.made += 1;
                let new = Collection { number: self.made, name: name.clone(), revision: 1, jobs: BTreeMap::new() };
                self.collections.insert(name.clone(), new);
                Ok(1)
            }
            _ => Err(Refused::Stale),
        }
    }

    pub(crate) fn delete_collection(&mut self, read: &Read) -> Result<(), Refused> {
        let name = self.seen(read)?.name.clone();
        self.collections.remove(&name);
        Ok(())
    }

    pub(crate) fn put_job(&mut self, read: &Read, wish: Wish) -> Result<Job, Refused> {
        let collection = self.seen(read)?;
        let stored = collection.jobs.get(&wish.name);
        let new = match (stored, &read.job) {
            (Some(stored), Some(seen)) if (stored.uid, stored.revision) == (seen.uid, seen.revision) => Job {
                revision: stored.revision + 1,
                state: wish.state,
                message: wish.message,
                history: stored.history + wish.not_run,
                ..stored.clone()
            },
            (None, None) => {
                let jobs = u32::try_from(collection.jobs.len()).unwrap();
                if let Some(max) = wish.jobs_max.filter(|max| jobs >= *max) {
                    return Err(Refused::Full(max));
                }
                Job {
                    written: wish.name.to_string(),
                    uid: wish.uid,
                    revision: 1,
                    state: wish.state,
                    message: wish.message,
                    history: wish.not_run,
                    runs: 0,
                }
            }
            _ => return Err(Refused::Stale),
        };
        collection.jobs.insert(wish.name, new.clone());
        Ok(new)
    }

    pub(crate) fn delete_job(&mut self, seen: &Job) -> Result<(), Refused> {
        let jobs = self.collections.values_mut().map(|collection| &mut collection.jobs);
        for jobs in jobs {
            let found = jobs.iter().find(|(_, job)| (job.uid, job.revision) == (seen.uid, seen.revision));
            if let Some(name) = found.map(|(name, _)| name.clone()) {
                jobs.remove(&name);
                return Ok(());
            }
        }
        Err(Refused::Stale)
    }

    pub(crate) fn run_job(&mut self, seen: &Job, waiting_max: u32) -> Result<(), Refused> {
        let mut jobs = self.collections.values_mut().flat_map(|collection| collection.jobs.values_mut());
        let job = jobs.find(|job| job.uid == seen.uid).ok_or(Refused::Stale)?;
        if job.runs >= waiting_max {
            return Err(Refused::Full(waiting_max));
        }
        job.runs += 1;
        Ok(())
    }

    pub(crate) fn jobs(
        &self,
        collection: &Name,
        state: Option<State>,
        after: Option<&Name>,
        skip: usize,
        limit: usize,
    ) -> Vec<Job> {
        let jobs = self.collections.get(collection).into_iter().flat_map(|collection| &collection.jobs);
        let wanted = jobs.filter(|(name, job)| {
            state.is_none_or(|state| job.state == state) && after.is_none_or(|after| *name > after)
        });
        wanted.map(|(_, job)| job.clone()).skip(skip).take(limit).collect()
    }

    /// The collection that was read, if it still is what was read.
    fn seen(&mut self, read: &Read) -> Result<&mut Collection, Refused> {
        let is_seen = |it: &&mut Collection| (it.number, it.revision) == (read.number, read.revision);
        self.collections.values_mut().find(is_seen).ok_or(Refused::Stale)
    }
}
