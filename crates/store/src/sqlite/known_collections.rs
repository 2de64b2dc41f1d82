//! What the records of collections say, in memory: every request about a job asks for its collection, and reading the record takes
//! several times as long as finding it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use punctual_model::collection::Collection;

use crate::columns::collection;
use crate::error::Error;
use crate::key::{CollectionId, CollectionKey};

/// Collections that are remembered.
const KNOWN_MAX: usize = 1000;

/// The records that were read last.
#[derive(Default)]
pub(super) struct KnownCollections(RwLock<HashMap<CollectionId, Arc<Known>>>);

struct Known {
    record: String,
    said: (CollectionKey, Collection),
}

impl KnownCollections {
    /// What the record says. One that is not the same letter by letter is read again: nothing else tells whether it is.
    pub(super) fn read(&self, id: CollectionId, record: &str) -> Result<(CollectionKey, Collection), Error> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&id).map(Arc::clone);
        if let Some(known) = known.filter(|known| known.record == record) {
            return Ok(known.said.clone());
        }
        let said = collection::read_record(id, record)?;
        let known = Known { record: record.to_owned(), said: said.clone() };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KNOWN_MAX {
            all.clear();
        }
        all.insert(id, Arc::new(known));
        Ok(said)
    }
}

#[cfg(test)]
mod tests {
    use super::{CollectionId, KnownCollections};

    #[test]
    fn a_record_that_has_changed_is_read_again() {
        let known = KnownCollections::default();
        let record = |state| format!(r#"{{"subscription":"s","group":"g","name":"c","state":"{state}"}}"#);
        let state =
            |id, state| known.read(CollectionId(id), &record(state)).map(|(_, read)| format!("{:?}", read.state));
        for asked in ["Enabled", "Enabled", "Disabled", "Enabled"] {
            assert_eq!(state(1, asked).unwrap(), asked);
            assert_eq!(state(2, "Disabled").unwrap(), "Disabled");
        }
        assert!(state(1, "Purple").is_err());
        assert_eq!(state(1, "Enabled").unwrap(), "Enabled");
    }
}
