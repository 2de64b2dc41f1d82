//! Where jobs live.
//!
//! The [`Store`] is the one seam: whole transactions with names from the domain. What decides is not here; a caller reads,
//! lets the model decide, and writes on the condition that nothing has changed since. [`sqlite`] is the store inside the
//! binary. Definitions are written as [`record`]s, and the [`seal`] keeps the actions among them from being read.

mod access;
mod agenda;
mod bell;
mod collection;
mod error;
mod events;
mod history;
mod job;
mod key;
pub mod record;
pub mod seal;
mod series;
pub mod sqlite;
mod store;

pub use access::{AssignmentEntry, TokenEntry};
pub use agenda::{
    Agenda, DefinitionRead, DroppedHistory, DueKey, DuePage, JobDefinition, Oldest, OpenWork, PausedJobs, RowChange,
    WorkChange, WorkEntry, Written,
};
pub use bell::{Bell, Rung};
pub use collection::{CollectionEntry, CollectionPage, CollectionWrite, GroupEntry, GroupRemoval, Pause};
pub use error::Error;
pub use events::{Events, Seen};
pub use history::{HistoryEntry, HistoryFilter, HistoryItem, HistoryKey, HistoryPage};
pub use job::{JobEntry, JobPage, JobSource, JobWrite, OpenJob};
pub use key::{CollectionId, CollectionKey, GroupKey, JobId, JobKey, Revision, WorkId};
pub use series::{SeriesEntry, SeriesKey, SeriesPage, Stop};
pub use store::{ResealProgress, Store};
