//! Counts of outcomes by minute and collection.

use std::collections::BTreeMap;

use punctual_model::history::Record;
use punctual_model::tally::{Minute, Tally};

use crate::key::CollectionId;

/// What came of the jobs of a collection in a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TallyEntry {
    /// The minute in which the attempts ended, or in which it was decided not to run.
    pub minute: Minute,
    /// The collection.
    pub collection: CollectionId,
    /// The counts; one of them at least is not 0.
    pub tally: Tally,
}

impl TallyEntry {
    /// The place of the entry in the order of all of them.
    pub const fn place(&self) -> TallyPlace {
        (self.minute, self.collection)
    }
}

/// A place in the order of all counts: by minute, and then by the number of the collection.
pub type TallyPlace = (Minute, CollectionId);

/// Which counts are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TallyPage {
    /// Those of these collections; none means those of every collection that is there.
    pub collections: Option<Vec<CollectionId>>,
    /// Those of this minute and later.
    pub from: Minute,
    /// Those before this minute.
    pub until: Minute,
    /// Those after this place, where the page before has ended.
    pub after: Option<TallyPlace>,
    /// How many entries at most.
    pub limit: usize,
}

/// What the records of one write add. They are put together first, so that many records of a minute and a collection are
/// one write of one row.
#[derive(Debug, Default)]
pub(crate) struct TallyWrite(BTreeMap<TallyPlace, Tally>);

impl TallyWrite {
    /// Adds a record of a job in that collection. The server's own jobs are nobody's business.
    pub(crate) fn add(&mut self, collection: CollectionId, record: &Record) {
        if collection != CollectionId::SERVER
            && let Some(tally) = Tally::of(record)
        {
            let sum = self.0.entry((Minute::of(record.ended), collection)).or_default();
            *sum = sum.plus(tally);
        }
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One entry for each minute and collection.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = TallyEntry> {
        self.0.into_iter().map(|((minute, collection), tally)| TallyEntry { minute, collection, tally })
    }
}
