//! The store in memory, for tests and simulations only.
//!
//! [`Tables`] is all that a store keeps, in maps, and every transaction is a function of it: so plain that it can be checked
//! by reading. Nothing waits here and nothing fails by itself; whoever simulates faults makes them around it, or says with
//! [`Damage`] which rows cannot be read or written. [`SimulatedStore`] is a handle to the same tables that implements the
//! store's traits: [`WorkStore`](punctual_store::WorkStore) whole, and of [`Store`](punctual_store::Store) all but tokens,
//! role assignments, sealing keys, changes and events.
//!
//! The conformance suite of the store crate runs over it, and random lives of SQLite are compared with it.

mod cluster;
mod collections;
mod failing;
mod groups;
mod history;
mod job_search;
mod jobs;
mod pauses;
mod runs;
mod series;
mod store;
mod tables;
mod tallies;
mod work;
mod work_store;
mod work_writes;

pub use cluster::{Cluster, NodeRow, RowClaim};
pub use store::SimulatedStore;
pub use tables::{CollectionRow, Damage, JobRow, OpenRow, StopRow, Tables, WorkRow};
