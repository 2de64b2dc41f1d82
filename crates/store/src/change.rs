//! Changes: who wrote what, and when.

use punctual_model::Name;
use punctual_model::action::Action;
use punctual_model::alert::Alert;
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

    /// Who enables a job whose time of being disabled is over.
    pub const TIMER: &str = "timer";

    /// The stamp of something that was asked for before, for this time.
    pub fn of_timer(at: Timestamp) -> Self {
        Self { at, who: Self::TIMER.to_owned(), request_id: String::new() }
    }

    /// The stamp of something that the server does by itself.
    pub fn of_server(at: Timestamp) -> Self {
        Self { at, who: Self::SERVER.to_owned(), request_id: String::new() }
    }
}

/// A change of a job, of a collection, of an alert or of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeEntry {
    /// Its number: later changes have higher ones.
    pub id: i64,
    /// Who made it, and when.
    pub stamp: Stamp,
    /// What was done.
    pub edit: Edit,
    /// What the job, the collection or the alert was afterwards; none if it was deleted, and for the server.
    pub after: Option<Version>,
}

/// A version of a job, a collection or an alert: what it was after a change.
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
    /// An alert.
    Alert {
        /// What it watched.
        alert: Box<Alert>,
        /// What was done to tell, with fingerprints instead of secrets.
        action: Box<Action>,
        /// Until when it was to tell nothing.
        muted_until: Option<Timestamp>,
    },
}

/// Whose changes are listed. What is gone has changes, too.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ChangePlace {
    Job(JobKey),
    Collection(CollectionKey),
    Alert(Name),
    /// The server as a whole, which is paused and resumed.
    Server,
}

impl ChangePlace {
    /// The path, in the form in which it is compared. No name holds a slash.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Job(key) => format!("{}/{}", path_of(&key.collection), key.job.folded()),
            Self::Collection(key) => path_of(key),
            Self::Alert(name) => path_of_alert(name.folded()),
            Self::Server => String::new(),
        }
    }
}

/// The path of an alert. No other path begins with a slash.
pub(crate) fn path_of_alert(name: &str) -> String {
    format!("/alerts/{name}")
}

/// The path of a collection, in the form in which it is compared.
pub(crate) fn path_of(key: &CollectionKey) -> String {
    [&key.subscription, &key.group, &key.collection].map(Name::folded).join("/")
}

/// The path of what was changed.
pub(crate) struct ChangedPath {
    /// In the form in which paths are compared.
    pub(crate) folded: String,
    /// As users write it.
    pub(crate) written: String,
}

impl ChangedPath {
    /// The path of a collection.
    pub(crate) fn of(key: &CollectionKey) -> Self {
        let CollectionKey { subscription, group, collection } = key;
        Self { folded: path_of(key), written: format!("{subscription}/{group}/{collection}") }
    }

    /// The path of the server as a whole.
    pub(crate) const fn of_server() -> Self {
        Self { folded: String::new(), written: String::new() }
    }

    /// The path of an alert.
    pub(crate) fn of_alert(name: &Name) -> Self {
        Self { folded: path_of_alert(name.folded()), written: path_of_alert(name.as_str()) }
    }

    /// A path of which only the form in which paths are compared can be read.
    pub(crate) fn of_folded(folded: String) -> Self {
        Self { written: folded.clone(), folded }
    }

    /// The path of a job in this collection.
    pub(crate) fn job(&self, name: &Name) -> Self {
        let Self { folded, written } = self;
        Self { folded: format!("{folded}/{}", name.folded()), written: format!("{written}/{name}") }
    }
}

/// Which changes are listed.
#[derive(Clone, Debug)]
pub struct ChangePage {
    /// Those of this job, collection or alert.
    pub place: ChangePlace,
    /// Those before this one.
    pub before: Option<i64>,
    /// This number of them at most.
    pub limit: usize,
}
