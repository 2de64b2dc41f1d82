//! What is told of records of history and of changes: as they are committed, and later from what is stored.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use punctual_model::event::Event;
use rusqlite::{Connection, OptionalExtension, params};

use super::change;
use super::collection_cache::CollectionCache;
use super::open_job;
use super::segments::{self, SegmentReader};
use crate::error::Error;
use crate::events::{EventPage, EventPlace, Told};
use crate::history::{HistoryEntry, HistoryItem, LatestPage, LatestRecord};
use crate::key::JobId;
use crate::told;

/// Paths of jobs that are remembered: a path never becomes another one.
const PATHS_MAX: usize = 10_000;

/// The paths of jobs, as users write them; none of a job that is gone.
#[derive(Default)]
pub(super) struct Paths(HashMap<JobId, Arc<str>>);

impl Paths {
    pub(super) fn get(&mut self, db: &Connection, job: JobId) -> Result<Option<Arc<str>>, Error> {
        if let Some(path) = self.0.get(&job) {
            return Ok(Some(Arc::clone(path)));
        }
        let path: Option<Arc<str>> = open_job::path(db, job)?.map(Into::into);
        if self.0.len() >= PATHS_MAX {
            self.0.clear();
        }
        self.0.extend(path.iter().map(|path| (job, Arc::clone(path))));
        Ok(path)
    }
}

/// What a commit has written, after `before`: the records of a batch in the order of their numbers, and the changes.
pub(super) fn committed<'a>(
    db: &Connection,
    paths: &mut Paths,
    before: EventPlace,
    until: EventPlace,
    records: impl Iterator<Item = (u64, &'a HistoryEntry)>,
) -> Result<Vec<Told>, Error> {
    let mut with_paths = Vec::new();
    for (number, entry) in records {
        with_paths.push((number, paths.get(db, entry.job)?, entry));
    }
    Ok(told::committed(before, until, with_paths, changes(db, before.change, until.change, usize::MAX)?))
}

/// What is stored after one place and up to another: `limit` events at most.
pub(super) fn stored(
    db: &Connection,
    history: &SegmentReader,
    after: EventPlace,
    until: EventPlace,
    limit: usize,
) -> Result<EventPage, Error> {
    let records = history.numbered(after.history, until.history, limit)?;
    let has_gap = segments::has_gap(after.history, history.first_number()?, until.history);
    let changes = changes(db, after.change, until.change, limit)?;
    let (mut paths, mut with_paths) = (Paths::default(), Vec::new());
    for item in records {
        with_paths.push((paths.get(db, item.entry.job)?, item));
    }
    Ok(told::stored(has_gap, after, until, limit, with_paths, changes))
}

/// A page of what came of all jobs.
pub(super) fn latest(db: &Connection, history: &SegmentReader, page: &LatestPage) -> Result<Vec<LatestRecord>, Error> {
    let (mut paths, mut collections) = (HashMap::new(), CollectionCache::new(db));
    let with_path = |item: HistoryItem| {
        let path = match paths.entry(item.entry.job) {
            Entry::Occupied(known) => Option::clone(known.get()),
            Entry::Vacant(place) => place.insert(open_job::path_in(db, &mut collections, item.entry.job)?).clone(),
        };
        Ok(LatestRecord { item, path })
    };
    history.latest(page)?.into_iter().map(with_path).collect()
}

/// The number of the last change.
pub(super) fn last_change(db: &Connection) -> Result<u64, Error> {
    // Not the greatest number that is there: the last change of a path may be forgotten.
    let mut statement = db.prepare_cached("select seq from sqlite_sequence where name = 'change'")?;
    let last: Option<i64> = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(last.and_then(|last| u64::try_from(last).ok()).unwrap_or(0))
}

fn changes(db: &Connection, after: u64, until: u64, limit: usize) -> Result<Vec<(u64, Event)>, Error> {
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(change::TOLD)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![integer(after), integer(until), limit])?;
    let mut told = Vec::new();
    while let Some(row) = rows.next()? {
        told.push(change::read_told(row)?);
    }
    Ok(told)
}
