//! What things in the store are called: by users, and by the store itself.

use punctual_model::Name;

/// The number of a collection. It is never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CollectionId(pub i64);

/// The number of a job. It is never given twice, so that a new job of an old name has no history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub i64);

/// The number of an alert. It is never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AlertId(pub i64);

/// The number of an incident. It is never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IncidentId(pub i64);

/// The number of a message of an alert. It is never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId(pub i64);

/// The number of a row of work. That of a schedule is the number of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkId(pub i64);

impl CollectionId {
    /// The collection of the server's own jobs, which deliver messages. It stands in no list, and nobody else can name it.
    pub const SERVER: Self = Self(0);
}

impl From<JobId> for WorkId {
    fn from(job: JobId) -> Self {
        Self(job.0)
    }
}

/// A node: one process that runs jobs. A store inside the binary has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node of a store that has only one.
    pub const ONLY: Self = Self(0);
}

/// The number of a batch that a node writes: each has a higher one than the batch before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BatchId(pub u64);

/// How often something was written. A writer names the revision that it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(pub i64);

/// A resource group: all there is to say about one, but for a location and tags.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names of the API")]
pub struct GroupKey {
    pub subscription: Name,
    pub group: Name,
}

/// A collection, as its path names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names of the API")]
pub struct CollectionKey {
    pub subscription: Name,
    pub group: Name,
    pub collection: Name,
}

/// A job, as its path names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names of the API")]
pub struct JobKey {
    pub collection: CollectionKey,
    pub job: Name,
}

impl JobKey {
    /// Reads the path of a job as the store writes it: `{subscription}/{group}/{collection}/{job}`.
    pub fn of_path(path: &str) -> Option<Self> {
        let mut names = path.split('/').map(|name| Name::parse(name).ok());
        let mut next = || names.next().flatten();
        let collection = CollectionKey { subscription: next()?, group: next()?, collection: next()? };
        Some(Self { job: next()?, collection })
    }
}
