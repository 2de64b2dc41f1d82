//! What happens to a row, and what has to be done then.

use std::sync::Arc;

use punctual_actions::{Call, Outcome};
use punctual_model::event::Event;
use punctual_model::lane::Host;
use punctual_model::pause::Pauses;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionId, DueKey, HistoryEntry, JobId, Revision, WorkChange, WorkEntry, WorkId};

use super::Row;
use super::attempt::FlightId;
use crate::concurrency::{Lesson, Slot};
use crate::definitions::LoadedJob;
use crate::ownership::Ownership;

/// What happened to a row.
#[derive(Debug)]
pub(crate) enum RowEvent {
    /// The row's key was found, and the window has room for it.
    Found(DueKey),
    /// The row's key gives way in the window, or is not to be trusted any more.
    Forgotten,
    /// The row's wake time comes near.
    ComesNear,
    /// The read of the row was sent.
    ReadSent,
    /// The store has had its rest.
    Rested,
    /// The row was read, and its definition was in the cache.
    Read(Box<Row>),
    /// The row was read, and its definition is not in the cache.
    ReadUndefined(Box<WorkEntry>),
    /// The definition was read.
    Defined(Arc<LoadedJob>),
    /// The job has no definition any more.
    NotDefined,
    /// The row is not in the store any more.
    Gone,
    /// The row or its definition cannot be read, for this reason.
    Unreadable(String),
    /// The store could not read the row now.
    NotRead,
    /// The row or its job was changed by someone else.
    Changed,
    /// Maintenance wants the row to be looked at.
    Recheck,
    /// The row's turn came: the attempt of this number starts.
    Start(Slot, u64),
    /// The row's turn came: its attempt is sent again, which is written first.
    CountResend(Slot),
    /// The row's turn came: a change is written without an attempt.
    Write(Box<WorkChange>),
    /// The row's turn came: it waits for other attempts of its job.
    HoldBack,
    /// The resend starts, as the attempt of this number.
    StartResend(u64),
    /// The resend does not start now; it waits for its time.
    PutOff,
    /// Nothing of the row's job that the row waited for is in flight any more.
    JobFree,
    /// The attempt takes long.
    BecameSlow,
    /// The attempt came to its end.
    Ended(Outcome),
    /// The change was written.
    Written { revision: Revision, beside: Option<WorkId> },
    /// The row was not as it was read, and nothing was written.
    Stale,
    /// The store could not write the change now.
    NotWritten,
    /// The batch of the change has landed, and nobody knows whether the change was stale.
    Landed,
    /// The database refuses what was to be written, for this reason.
    Refused(String),
}

/// What has to be done.
#[derive(Debug)]
pub(crate) enum RowEffect {
    /// The row is put where the window has room for it.
    EnterWindow(DueKey),
    /// The definition of the job is read.
    ReadDefinition(JobId),
    /// The watermark has to cover this wake time soon.
    CoverWakeTime(Timestamp),
    /// The change is written.
    Write(Box<WorkChange>),
    /// The record is written, which changes no row.
    Note(HistoryEntry),
    /// The attempt starts.
    Start(FlightId, Call),
    /// The slot of a row of that job is free, and its attempt has shown something of the host if there was one.
    FreeSlot(Slot, JobId, Option<Lesson>),
    /// The host does not answer quickly; the slot did not count as one of such a host if `is_new`.
    HostIsSlow { collection: CollectionId, host: Arc<Host>, is_new: bool },
    /// Those who watch are told.
    Publish(Event),
    /// The job has ended; its definition is not needed any more.
    ForgetDefinition(JobId),
    /// The row is set aside, for this reason.
    SetAside(String),
    /// Nobody thought of this.
    Impossible(String),
}

/// The instant at which something happens to rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    /// Maintenance accounts for nominal times up to here.
    pub(crate) account_until: Option<Timestamp>,
}

/// What a step depends on besides the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepContext<'a> {
    pub(crate) now: Timestamp,
    /// Maintenance accounts for nominal times up to here.
    pub(crate) account_until: Option<Timestamp>,
    /// The pauses of the server, which explain times that are not run.
    pub(crate) pauses: &'a Pauses,
    /// What the node may run.
    pub(crate) ownership: &'a Ownership,
}
