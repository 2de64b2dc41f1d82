//! Changes: who wrote what, and when.

use punctual_model::Name;
use punctual_model::collection::Collection;
use punctual_model::event::Edit;
use punctual_model::job::{Definition, State};
use punctual_model::labels::Annotations;
use punctual_model::time::Timestamp;

use crate::key::{CollectionKey, JobKey};

/// Who writes something, when, and on which request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The instant at which it was decided.
    pub at: Timestamp,
    /// The public part of a token, or an issuer and a subject; [`Stamp::SERVER`] where nobody asked.
    pub who: String,
    /// The id under which client and log know the request; empty where there was none.
    pub request_id: String,
}

impl Stamp {
    /// Who writes what nobody asked for.
    pub const SERVER: &str = "punctual";

    /// The stamp of something that the server does by itself.
    pub fn of_server(at: Timestamp) -> Self {
        Self { at, who: Self::SERVER.to_owned(), request_id: String::new() }
    }
}

/// A change of a job, of a collection or of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeEntry {
    /// Its number: later changes have higher ones.
    pub id: i64,
    /// Who made it, and when.
    pub stamp: Stamp,
    /// What was done.
    pub edit: Edit,
    /// What the job or collection was afterwards; none if it was deleted, and for the server.
    pub after: Option<Version>,
}

/// A version of a job or a collection: what it was after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// A job.
    Job {
        /// What the user said about it, with fingerprints instead of secrets.
        definition: Box<Definition>,
        /// How it stood.
        state: State,
        /// What people said about it for each other.
        annotations: Annotations,
    },
    /// A collection.
    Collection(Collection),
}

/// Whose changes are listed. What is gone has changes, too.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ChangePlace {
    Job(JobKey),
    Collection(CollectionKey),
    /// The server as a whole, which is paused and resumed.
    Server,
}

impl ChangePlace {
    /// The path, in the form in which it is compared. No name holds a slash.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Job(key) => format!("{}/{}", path_of(&key.collection), key.job.folded()),
            Self::Collection(key) => path_of(key),
            Self::Server => String::new(),
        }
    }
}

/// The path of a collection, in the form in which it is compared.
pub(crate) fn path_of(key: &CollectionKey) -> String {
    [&key.subscription, &key.group, &key.collection].map(Name::folded).join("/")
}

/// Which changes are listed.
#[derive(Clone, Debug)]
pub struct ChangePage {
    /// Those of this job or collection.
    pub place: ChangePlace,
    /// Those before this one.
    pub before: Option<i64>,
    /// This number of them at most.
    pub limit: usize,
}
