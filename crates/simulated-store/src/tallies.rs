//! Counts of outcomes by minute and collection.

use punctual_model::tally::{Minute, Tally};
use punctual_model::time::Timestamp;
use punctual_store::{CollectionId, HistoryEntry, TallyEntry, TallyPage, TallyPlace};

use crate::tables::Tables;

impl Tables {
    /// A page of counts, in the order of their minutes and collections.
    pub fn tallies(&self, page: &TallyPage) -> Vec<TallyEntry> {
        let is_asked_for = |(minute, collection): &TallyPlace| {
            (page.from..page.until).contains(minute)
                && page.collections.as_ref().is_none_or(|asked| asked.contains(collection))
                && page.after.is_none_or(|after| (*minute, *collection) > after)
        };
        let found = self.tallies.iter().filter(|(place, _)| is_asked_for(place));
        let entry = |(&(minute, collection), &tally): (&TallyPlace, &Tally)| TallyEntry { minute, collection, tally };
        found.map(entry).take(page.limit).collect()
    }

    /// Counts the records of a job in that collection.
    pub(crate) fn count_records(&mut self, collection: CollectionId, records: &[HistoryEntry]) {
        for HistoryEntry { record, .. } in records.iter().filter(|entry| !entry.is_duplicate) {
            if let Some(tally) = Tally::of(record) {
                let sum = self.tallies.entry((Minute::of(record.ended), collection)).or_default();
                *sum = sum.plus(tally);
            }
        }
    }

    /// Forgets some of the counts of minutes before an instant. Returns how many.
    pub fn forget_tallies(&mut self, before: Timestamp, limit: usize) -> usize {
        let is_old = |(minute, _): &&TallyPlace| *minute < Minute::of(before);
        let old: Vec<TallyPlace> = self.tallies.keys().take_while(is_old).take(limit).copied().collect();
        for place in &old {
            self.tallies.remove(place);
        }
        old.len()
    }
}
