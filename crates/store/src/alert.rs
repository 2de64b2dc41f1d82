//! Alerts, incidents and messages as the store gives and takes them.

use std::sync::Arc;

use punctual_model::Name;
use punctual_model::access::Scope;
use punctual_model::action::Action;
use punctual_model::alert::{Alert, Form, Incident, MessageKind, Standing, Trouble, TroubledJob};
use punctual_model::event::Edit;
use punctual_model::failure::Failure;
use punctual_model::job::{Job, Uid};
use punctual_model::time::Timestamp;

use crate::change::Stamp;
use crate::history::HistoryKey;
use crate::key::{AlertId, DeliveryId, IncidentId, JobId, Revision};

/// An alert that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertEntry {
    /// Its number.
    pub id: AlertId,
    /// Which version this is.
    pub revision: Revision,
    /// The random number by which it is the same alert for ever.
    pub uid: Uid,
    /// Its name, as it was first written.
    pub name: Name,
    /// What it watches.
    pub alert: Alert,
    /// What is done to tell.
    pub action: Action,
    /// Who wants to hear nothing of it, and until when.
    pub mute: Option<Mute>,
    /// Who wrote this version, and when.
    pub stamp: Stamp,
}

/// What is known of an alert by its row alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundAlert {
    /// Its number.
    pub id: AlertId,
    /// Which version this is.
    pub revision: Revision,
    /// What it watches, or the collection of the job that it watches. Names are in the form in which they are compared.
    pub scope: Scope,
}

/// Someone wants to hear nothing for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Mute {
    pub until: Timestamp,
    pub by: String,
}

/// An alert that is to be there.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct AlertWrite {
    pub name: Name,
    pub source: AlertSource,
    pub alert: Alert,
    pub action: Action,
    pub stamp: Stamp,
    /// How many alerts there may be of what it watches, with this one; any number where none is given.
    pub scope_limits: Option<ScopeLimits>,
    /// What is told to a receiver that the edited alert does not point to any more: that incidents which it keeps are over for it.
    pub last: Vec<DeliveryWrite>,
}

/// How many alerts there may be of parts of the server, each with all that is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ScopeLimits {
    pub collection: u32,
    pub group: u32,
    pub subscription: u32,
}

/// Where an alert that is written comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AlertSource {
    /// The alert is new.
    New { uid: Uid, alerts_max: u32 },
    /// The alert was there in this version.
    Edited { id: AlertId, uid: Uid, revision: Revision },
}

impl AlertSource {
    /// What writing the alert is, in the log of changes.
    pub(crate) const fn edit(&self) -> Edit {
        match self {
            Self::New { .. } => Edit::Created,
            Self::Edited { .. } => Edit::Changed,
        }
    }

    /// The random number of the alert.
    pub const fn uid(&self) -> Uid {
        match self {
            Self::New { uid, .. } | Self::Edited { uid, .. } => *uid,
        }
    }
}

/// Something that happened to a job and that alerts may have to tell, with how the job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalEntry {
    /// Its number, by which it is taken.
    pub id: i64,
    /// The job.
    pub job: JobId,
    /// The path of the job; none if it is gone.
    pub path: Option<Arc<str>>,
    /// What the job calls.
    pub target: String,
    /// What happened.
    pub kind: SignalKind,
    /// When it happened.
    pub at: Timestamp,
    /// How the job stands.
    pub standing: Standing,
}

/// What happened to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// The job began to fail, fails more often or for another reason, runs again, or was edited while an incident is about it.
    Health,
    /// The job has ended with a failure.
    Ended,
    /// A run of the job started late, by that many ticks.
    Late(i64),
}

/// A job gets into trouble, or out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberChange {
    /// The job joins the incident of that target and cause, which opens if there is none.
    Join {
        /// The alert that watches it.
        alert: AlertId,
        /// What it is in.
        trouble: Trouble,
        /// The job; below 0 for a trouble of the server itself.
        job: JobId,
        /// What it calls.
        target: String,
        /// The class of its failure, or what else makes incidents different ones.
        cause: String,
        /// What is known of it, in words.
        detail: String,
        /// When it got into it.
        at: Timestamp,
    },
    /// The job leaves the incident that it is in, if it is in one.
    Leave {
        /// The alert that watches it; all alerts where none is given.
        alert: Option<AlertId>,
        /// What it was in; every trouble about failures where none is given.
        trouble: Option<Trouble>,
        /// The job.
        job: JobId,
        /// Whether it is well again; else it was disabled, deleted or has ended.
        is_well: bool,
        /// When it left.
        at: Timestamp,
    },
}

/// When a job is to be looked at on behalf of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Deadline {
    pub alert: AlertId,
    pub trouble: Trouble,
    pub job: JobId,
    pub due_at: Timestamp,
    /// The nominal time whose outcome is expected; none before the first look.
    pub expected: Option<Timestamp>,
}

/// A deadline that has come, with what decides about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadlineEntry {
    /// The deadline.
    pub deadline: Deadline,
    /// The path of the job.
    pub path: Arc<str>,
    /// What the job calls.
    pub target: String,
    /// When the last attempt started that came to its end.
    pub last_started: Option<Timestamp>,
    /// When the last attempt started that succeeded.
    pub last_success: Option<Timestamp>,
    /// Since when the job is what it is.
    pub since: Timestamp,
    /// When a certificate or signature of its action ends.
    pub expires_at: Option<Timestamp>,
    /// The cause of the incident of the same alert and trouble that is about it; none if none is.
    pub cause: Option<String>,
}

/// What one look at jobs leads to, written together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertTurn {
    /// The signals that were looked at.
    pub signals: Vec<i64>,
    /// Jobs that get into trouble or out of it.
    pub changes: Vec<MemberChange>,
    /// When jobs are to be looked at next.
    pub deadlines: Vec<Deadline>,
}

/// An incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentEntry {
    /// Its number.
    pub id: IncidentId,
    /// How often it was written.
    pub revision: Revision,
    /// The alert that watches.
    pub alert: AlertId,
    /// What its jobs call.
    pub target: String,
    /// The class of the failure, or what else makes it another one.
    pub cause: String,
    /// What its next step depends on.
    pub incident: Incident,
    /// Who muted it, and until when.
    pub mute: Option<Mute>,
    /// When it was over; none if it lasts.
    pub closed_at: Option<Timestamp>,
}

/// What a message about an incident says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncidentFacts {
    /// The first jobs in trouble.
    pub jobs: Vec<TroubledJob>,
    /// The first jobs that are well again, and how they were.
    pub well_jobs: Vec<TroubledJob>,
    /// The first jobs that were disabled or have ended, or fail in another way, and how they were.
    pub gone_jobs: Vec<TroubledJob>,
    /// When the trouble began of whoever is or was in it first: the start of an attempt that failed, or when it was noticed.
    pub since: Option<Timestamp>,
    /// Why the last attempt failed, of a job that is or was in trouble, if it is about failures.
    pub failure: Option<Failure>,
    /// The record of that attempt.
    pub record: Option<(JobId, HistoryKey)>,
    /// What is known of the first job, in words.
    pub detail: String,
}

/// What is done about an incident, written together with what is told.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct IncidentWrite {
    pub id: IncidentId,
    pub revision: Revision,
    pub told_at: Option<Timestamp>,
    pub last_told_at: Option<Timestamp>,
    pub look_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
    pub well_since: Option<Timestamp>,
    pub delivery: Option<DeliveryWrite>,
}

/// A message that is to be delivered: a job of its own, outside all collections, that runs once.
#[derive(Clone, Debug)]
pub struct DeliveryWrite {
    /// The alert that tells.
    pub alert: AlertId,
    /// The incident it is about; none for a test.
    pub incident: Option<IncidentId>,
    /// What it is about.
    pub kind: MessageKind,
    /// The message in one line.
    pub headline: String,
    /// When it was written.
    pub at: Timestamp,
    /// The random number of the job.
    pub uid: Uid,
    /// The job that delivers it.
    pub job: Job,
    /// The version of the alert that says where it goes.
    pub alert_revision: Revision,
    /// The form it is written in.
    pub form: Form,
    /// Messages on their way whose place it takes. They must be waiting for their next attempts.
    pub supersedes: Vec<DeliveryId>,
}

/// A message, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct DeliveryEntry {
    pub id: DeliveryId,
    pub alert: AlertId,
    pub incident: Option<IncidentId>,
    pub kind: MessageKind,
    pub headline: String,
    pub at: Timestamp,
    /// The job that delivers it.
    pub job: JobId,
    /// The form it is written in.
    pub form: Form,
    /// Attempts that failed, as far as that was noted.
    pub failed_attempts: u32,
    /// When the next attempt is made; none if it has ended.
    pub next_attempt_at: Option<Timestamp>,
    /// While it is on its way, why the last attempt failed; of one that arrived, whom it did not reach.
    pub note: Option<String>,
    /// What became of it; none while it is on its way.
    pub outcome: Option<DeliveryOutcome>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryOutcome {
    /// When it arrived, or was given up.
    pub at: Timestamp,
    /// Why it did not arrive; none if it did.
    pub failure: Option<String>,
    /// Whom it did not reach, of one that arrived.
    pub note: Option<String>,
}

/// A message whose job has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct EndedDelivery {
    pub id: DeliveryId,
    pub alert: AlertId,
    pub kind: MessageKind,
    pub job: JobId,
    pub has_arrived: bool,
    pub ended_at: Timestamp,
    /// Whether it tells that a message of another alert did not arrive.
    pub is_about_lost_message: bool,
}

/// A message whose last attempt has failed, which is not yet noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// The message.
    pub id: DeliveryId,
    /// The alert that tells.
    pub alert: AlertId,
    /// The job that delivers it.
    pub job: JobId,
    /// How many attempts have failed.
    pub attempts: u32,
    /// Whether none of them was noted before.
    pub is_first: bool,
    /// When the next attempt is made.
    pub next_attempt_at: Timestamp,
}

/// What the cause of an incident begins with that is about a message of an alert which did not arrive.
pub const LOST_MESSAGE: &str = "message ";

/// Which incidents are listed, the latest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncidentPage {
    /// Those of this alert.
    pub alert: Option<AlertId>,
    /// Those that last, or those that are over; all where nothing is said.
    pub is_open: Option<bool>,
    /// Those before this one.
    pub before: Option<IncidentId>,
    /// How many at most.
    pub limit: usize,
}

/// Which messages are listed, the latest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryPage {
    /// Those of this alert.
    pub alert: Option<AlertId>,
    /// Those before this one.
    pub before: Option<DeliveryId>,
    /// How many at most.
    pub limit: usize,
}
