//! What happens to a row, and what has to be done then.

use std::sync::Arc;

use punctual_actions::{Call, Outcome};
use punctual_model::event::Event;
use punctual_model::lane::Host;
use punctual_model::time::Timestamp;
use punctual_store::{CollectionId, DueKey, HistoryEntry, JobId, Revision, WorkChange, WorkEntry, WorkId};

use super::Row;
use super::attempt::FlightId;
use crate::concurrency::{Lesson, Slot};
use crate::definitions::LoadedJob;

/// What happened to a row.
#[derive(Debug)]
pub(crate) enum RowEvent {
    /// Its key was found, and the window has room for it.
    Found(DueKey),
    /// Its key gives way in the window, or is not to be trusted any more.
    Forgotten,
    /// Its time comes near.
    ComesNear,
    /// Its read was sent.
    ReadSent,
    /// The store has had its rest.
    Rested,
    /// It was read, and its definition was known.
    Read(Box<Row>),
    /// It was read, and its definition is to be read.
    ReadUndefined(Box<WorkEntry>),
    /// Its definition was read.
    Defined(Arc<LoadedJob>),
    /// Its job has no definition any more.
    NotDefined,
    /// It is not there any more.
    Gone,
    /// It cannot be read, or its definition cannot, for this reason.
    Unreadable(String),
    /// The store could not read it now.
    NotRead,
    /// It or its job was changed by someone else.
    Changed,
    /// Maintenance wants it to be looked at.
    Recheck,
    /// Its turn came: the attempt of this number starts.
    Start(Slot, u64),
    /// Its turn came: it is sent again, which is written first.
    CountResend(Slot),
    /// Its turn came: it is written without an attempt.
    Write(Box<WorkChange>),
    /// Its turn came: it waits until its job is free.
    HoldBack,
    /// Its resend starts, as the attempt of this number.
    StartResend(u64),
    /// Its resend does not start now; it waits until its job is free, or for its time.
    PutOff { is_job_in_flight: bool },
    /// Nothing else of its job is in flight.
    JobFree,
    /// Its attempt takes long.
    BecameSlow,
    /// Its attempt came to its end.
    Ended(Outcome),
    /// It was written.
    Written { revision: Revision, beside: Option<WorkId> },
    /// It was not as it was read, and was not written.
    Stale,
    /// The store could not write it now.
    NotWritten,
    /// Its batch has landed, and nobody knows whether it was stale.
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
    Publish(Vec<Event>),
    /// The job has ended; its definition is not needed any more.
    ForgetDefinition(JobId),
    /// The row is set aside, for this reason.
    SetAside(String),
    /// Nobody thought of this.
    Impossible(String),
}

/// What a step depends on besides the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    /// Maintenance accounts for nominal times up to here.
    pub(crate) account_until: Option<Timestamp>,
}
