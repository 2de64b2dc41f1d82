//! What the machine says.

use std::sync::Arc;

use punctual_actions::Call;
use punctual_model::event::Event;
use punctual_model::job::Definition;
use punctual_model::time::Timestamp;
use punctual_store::{Batch, BatchId, Claim, DuePage, JobId, NodeId, WorkId};

use crate::row::FlightId;

/// What is to be done.
#[derive(Debug)]
pub enum Effect {
    /// Keys are to be read.
    ReadDue(DuePage),
    /// The keys of these jobs are to be read.
    ReadDueOf(Vec<JobId>),
    /// Rows are to be read, and the definitions of these jobs with them.
    ReadWork(Vec<WorkId>, Vec<JobId>),
    /// Definitions are to be read.
    ReadDefinitions(Vec<JobId>),
    /// The watermark of a node is to be made durable.
    SetWatermark(NodeId, Timestamp),
    /// A batch is to be written.
    Write(Batch),
    /// The store is to be asked whether a batch of a node has landed.
    AskLanded(NodeId, BatchId),
    /// An attempt is to be made.
    Start(FlightId, Call),
    /// A definition is not in force any more.
    Forget(Arc<Definition>),
    /// All rows that maintenance wanted to be looked at have been, and what follows is written.
    Rechecked,
    /// The clock went back: what waits for a retry has to be looked at.
    WentBack,
    /// Nothing is started any more in the shards that are given up; these attempts of them are in flight or not yet written down.
    GaveUp(Vec<Claim>),
    /// Keys of what wakes soon are to be read again.
    PollDue(DuePage),
    /// Those who watch are to be told.
    Publish(Event),
}
