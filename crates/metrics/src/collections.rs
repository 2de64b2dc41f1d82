//! What is counted for each collection: a bounded number of them, and the rest together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use punctual_model::history::Reason;

use crate::number::Counter;

/// What is counted for one collection.
#[derive(Debug, Default)]
pub struct CollectionMetrics {
    /// Occurrences whose first attempt was started.
    pub fires: Counter,
    /// Attempts that were started after one of the same occurrence had failed.
    pub retries: Counter,
    /// Attempts of main actions that succeeded.
    pub succeeded: Counter,
    /// Attempts of main actions that failed.
    pub failed: Counter,
    /// Nominal times that were not run, in the order of [`Reason::ALL`].
    pub not_run: [Counter; Reason::ALL.len()],
}

/// The collections that have numbers of their own, and the others.
#[derive(Debug)]
pub struct Collections {
    max: usize,
    /// By path: `{subscription}/{group}/{collection}`.
    known: Mutex<BTreeMap<Box<str>, Arc<CollectionMetrics>>>,
    others: Arc<CollectionMetrics>,
}

impl Collections {
    /// At most `max` collections have numbers of their own: the first ones that are asked for.
    pub(crate) fn new(max: usize) -> Self {
        Self { max, known: Mutex::default(), others: Arc::default() }
    }

    /// The numbers of the collection that a job is in. The path of the job is `{subscription}/{group}/{collection}/{job}`.
    pub fn of_job(&self, path: &str) -> Arc<CollectionMetrics> {
        self.of_collection(path.rsplit_once('/').map_or(path, |(collection, _)| collection))
    }

    /// The numbers of a collection, by its path. Takes a lock: who counts often keeps the answer.
    pub fn of_collection(&self, collection: &str) -> Arc<CollectionMetrics> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(metrics) = known.get(collection) {
            return Arc::clone(metrics);
        }
        if known.len() >= self.max {
            return Arc::clone(&self.others);
        }
        Arc::clone(known.entry(collection.into()).or_default())
    }

    /// Every collection with its numbers, in the order of their paths; the last path is empty, and stands for the others.
    pub(crate) fn all(&self) -> Vec<(Box<str>, Arc<CollectionMetrics>)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.iter().map(|(path, metrics)| (path.clone(), Arc::clone(metrics)));
        known.chain([(Box::default(), Arc::clone(&self.others))]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_beyond_the_limit_are_counted_together() {
        let collections = Collections::new(2);
        for job in ["s/g/a/1", "s/g/b/1", "s/g/c/1", "s/g/a/2", "s/g/d/1"] {
            collections.of_job(job).fires.increment();
        }
        let fires = collections.all().into_iter().map(|(path, metrics)| (path.to_string(), metrics.fires.value()));
        let expected = [("s/g/a", 2), ("s/g/b", 1), ("", 2)].map(|(path, fires)| (path.to_owned(), fires));
        assert_eq!(fires.collect::<Vec<_>>(), expected);
    }
}
