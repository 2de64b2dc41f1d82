//! Being one of several nodes: keeping a lease, taking shards and giving them away.

mod balance;
mod lease;
mod member;
mod status;

use std::sync::Arc;
use std::time::Duration;

use punctual_store::{ClusterStore, NewNode};

pub use self::balance::{Plan, PlanFor};
pub use self::lease::{Lease, LeaseStep, Sent};
pub(crate) use self::member::{GiveUp, Member};
pub use self::status::ClusterStatus;

/// What a process needs to be one of several nodes.
#[derive(Clone)]
pub struct Membership {
    /// Where nodes meet.
    pub store: Arc<dyn ClusterStore>,
    /// What the process says of itself.
    pub node: NewNode,
    /// How long its shards are its own after a heartbeat.
    pub lease: Duration,
}
