//! Jobs for a data directory that is filled before the server starts, as the API would have them stored.

use punctual_model::Name;
use punctual_model::action::Secret;
use punctual_model::history::Record;
use punctual_model::job::{Definition, State, Uid};
use punctual_model::labels::Annotations;
use punctual_model::pause::Pauses;
use punctual_model::revise::{EditContext, revise};
use punctual_model::time::Timestamp;
use punctual_store::{CollectionEntry, JobSource, JobWrite, Stamp};

/// A job that is to be stored.
pub struct StockedJob {
    /// Its number among all of them.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// What it does, and when.
    pub definition: Definition<Option<Secret>>,
    /// None: it is enabled.
    pub state: Option<State>,
    /// Records that its history begins with.
    pub not_run: Vec<Record>,
}

impl StockedJob {
    /// What is handed to the store.
    ///
    /// # Panics
    ///
    /// If the API would refuse the job.
    pub fn write(self, collection: &CollectionEntry, now: Timestamp) -> JobWrite {
        let uid = uid(self.number);
        let context = EditContext {
            now,
            uid,
            sku: None,
            collection_stopped_at: None,
            scheduled_beside: 0,
            failures: 0,
            pauses: Pauses::default(),
        };
        let revision = revise(None, self.definition, self.state, &context).expect("a job that is right");
        JobWrite {
            collection: (collection.id, collection.revision),
            name: Name::parse(&self.name).expect("a name"),
            source: JobSource::New { uid, jobs_max: None },
            job: revision.job,
            annotations: Annotations::default(),
            disabled_until: None,
            not_run: self.not_run,
            stamp: Stamp::of_server(now),
        }
    }
}

/// The random number of a job: each another one, and in no order, as those that are rolled.
pub fn uid(number: usize) -> Uid {
    let scattered = (number as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    Uid::from_bytes(scattered.to_be_bytes())
}
