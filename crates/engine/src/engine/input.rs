//! What the machine hears.

use punctual_actions::Outcome;
use punctual_model::time::Timestamp;
use punctual_store::{
    BatchId, BatchOutcome, Changed, DefinitionRead, DueKey, DuePage, Error, JobId, NodeId, Shards, WorkId, WorkPage,
};

use crate::ownership::Ownership;
use crate::row::FlightId;

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// Jobs were written by others.
    Changed(Changed),
    /// Keys were read, or could not be.
    Due(DuePage, Result<Vec<DueKey>, Error>),
    /// The keys of jobs that were written were read, or could not be.
    DueOf(Vec<JobId>, Result<Vec<DueKey>, Error>),
    /// Rows were read, or could not be.
    Work(Vec<WorkId>, Result<WorkPage, Error>),
    /// Definitions were read, or could not be.
    Definitions(Vec<JobId>, Result<Vec<DefinitionRead>, Error>),
    /// The watermark of a node was made durable, or could not be.
    Watermark(NodeId, Result<(), Error>),
    /// What became of a batch.
    Written(BatchId, BatchOutcome),
    /// Whether a batch of unknown outcome has landed, or that the store could not say.
    Landed(BatchId, Result<bool, Error>),
    /// An attempt came to its end.
    Ended(FlightId, Outcome),
    /// Maintenance wants these rows to be looked at, even if none of them wakes, and nominal times up to that instant to be
    /// accounted for.
    Recheck(Vec<WorkId>, Option<Timestamp>),
    /// What the node may run from now on.
    Ownership(Ownership),
    /// Nothing is to be started any more in these shards, which are about to be given away.
    GiveUp(Shards),
    /// Keys of what wakes soon were read again, or could not be.
    Polled(DuePage, Result<Vec<DueKey>, Error>),
    /// Nothing is to be started any more.
    Stop,
}
