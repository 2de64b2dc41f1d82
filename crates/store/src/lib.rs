//! Where jobs live.
//!
//! The [`Store`] is the one seam: whole transactions with names from the domain. What decides is not here; a caller reads,
//! lets the model decide, and writes on the condition that nothing has changed since. [`sqlite`] is the store inside the
//! binary, [`postgres`] the one for several nodes. Definitions are written as [`record`]s, and the [`seal`] keeps the actions among them from being read.

mod access;
mod alert;
mod alert_store;
mod bell;
mod cells;
mod change;
mod cluster;
mod cluster_store;
mod collection;
mod columns;
pub mod copy;
mod damage;
mod error;
mod events;
mod failing;
mod history;
mod job;
mod job_search;
mod key;
mod key_source;
mod known_alerts;
mod pause;
pub mod postgres;
pub mod record;
mod run_log;
pub mod seal;
mod series;
mod session;
mod session_store;
mod shards;
pub mod sqlite;
mod store;
mod tally;
mod told;
mod work_change;
mod work_store;
mod write_outcome;

pub use access::{AssignmentEntry, TokenEntry};
pub use alert::{
    AlertEntry, AlertSource, AlertTurn, AlertWrite, Deadline, DeadlineEntry, DeliveryEntry, DeliveryOutcome,
    DeliveryPage, DeliveryWrite, EndedDelivery, FailedAttempt, FoundAlert, IncidentEntry, IncidentFacts, IncidentPage,
    IncidentWrite, LOST_MESSAGE, MemberChange, Mute, ScopeLimits, SignalEntry, SignalKind,
};
pub use alert_store::AlertStore;
pub use bell::{Bell, Changed};
pub use change::{ChangeEntry, ChangePage, ChangePlace, Stamp, Version};
pub use cluster::{Claim, ClusterView, Handover, NewNode, NodeEntry, NodeReport, TakenShards};
pub use cluster_store::ClusterStore;
pub use collection::{CollectionEntry, CollectionPage, CollectionWrite, EndedStop, GroupEntry, GroupRemoval};
pub use error::Error;
pub use events::{EventPage, EventPlace, Events, Told, Watcher};
pub use failing::{FailingJob, FailingPage, FailingPlace};
pub use history::{HistoryEntry, HistoryFilter, HistoryItem, HistoryKey, HistoryPage, LatestPage, LatestRecord};
pub use job::{EnablePage, JobEntry, JobPage, JobSource, JobToEnable, JobWrite, OpenJob};
pub use job_search::{FailingSince, FoundJob, FoundJobs, JobFacts, JobFilter, JobPlace, JobSearch, JobSort, JobStart};
pub use key::{
    AlertId, BatchId, CollectionId, CollectionKey, DeliveryId, GroupKey, IncidentId, JobId, JobKey, NodeId, Revision,
    WorkId,
};
pub use key_source::KeySource;
pub use pause::PauseEntry;
pub use series::{SeriesEntry, SeriesKey, SeriesPage, Stop};
pub use session::{SessionEntry, SessionOwner};
pub use session_store::SessionStore;
pub use shards::{SHARDS, Shards};
pub use store::{ResealProgress, Store};
pub use tally::{TallyEntry, TallyPage, TallyPlace};
pub use work_change::{Batch, BatchOutcome, BesideRow, RowChange, WorkChange, Written};
pub use work_store::{
    DefinitionRead, DroppedHistory, DueKey, DuePage, DueStart, DueWork, HistoryBounds, JobDefinition, Oldest, OpenWork,
    RowKind, RowPage, StoppedJobs, WorkEntry, WorkPage, WorkRead, WorkStore,
};
pub use write_outcome::WriteOutcome;
