//! Jobs as the store gives and takes them.

use std::sync::Arc;

use punctual_model::Name;
use punctual_model::health::Health;
use punctual_model::history::Record;
use punctual_model::job::{Counters, Job, JobState, State, Uid};
use punctual_model::labels::Annotations;
use punctual_model::occurrence::Occurrence;
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;

use crate::change::Stamp;
use crate::key::{CollectionId, JobId, Revision};

/// A job that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEntry {
    /// Its number.
    pub id: JobId,
    /// Which version of the definition this is.
    pub revision: Revision,
    /// How often its row of work was written.
    pub work_revision: Revision,
    /// Its name, as it was first written.
    pub name: Name,
    /// The random number by which it is the same job for ever.
    pub uid: Uid,
    /// What it is and how far it has come.
    pub job: Job,
    /// What people say about it for each other.
    pub annotations: Annotations,
    /// Until when it is disabled; none if it is not, or for good.
    pub disabled_until: Option<Timestamp>,
    /// What was counted.
    pub counters: Counters,
    /// How the last attempts of its action ended.
    pub health: Health,
    /// How many occurrences that its schedule opened have rows of their own.
    pub scheduled_beside: u32,
    /// How many occurrences have rows of their own, whoever asked for them.
    pub beside: u32,
    /// When the first of those wakes.
    pub beside_wakes: Option<Timestamp>,
}

impl JobEntry {
    /// A job that was just made.
    pub(crate) fn new(id: JobId, uid: Uid, write: JobWrite) -> Self {
        let (revision, counters) = (Revision(1), Counters::default());
        Self {
            id,
            revision,
            work_revision: revision,
            uid,
            disabled_until: write.kept_disabled_until(),
            name: write.name,
            job: write.job,
            annotations: write.annotations,
            counters,
            health: Health::default(),
            scheduled_beside: 0,
            beside: 0,
            beside_wakes: None,
        }
    }
}

/// How far the schedule of a job has come, as an audit needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenJob {
    /// Its path as users write it: `{subscription}/{group}/{collection}/{job}`.
    pub path: String,
    /// How far the schedule has come.
    pub progress: Progress,
    /// The occurrences that the schedule opened in rows of their own.
    pub beside: Vec<Occurrence>,
}

/// A job that is to be there.
#[derive(Clone, Debug)]
pub struct JobWrite {
    /// The collection it is in, as the caller has read it.
    pub collection: (CollectionId, Revision),
    /// Its name.
    pub name: Name,
    /// Which job it replaces, or which it becomes.
    pub source: JobSource,
    /// What it is and how far it has come.
    pub job: Job,
    /// What people say about it for each other.
    pub annotations: Annotations,
    /// Until when it is disabled. Kept only of a job that is disabled.
    pub disabled_until: Option<Timestamp>,
    /// What is recorded as not run.
    pub not_run: Vec<Record>,
    /// Who writes it, and when that was decided.
    pub stamp: Stamp,
}

impl JobWrite {
    /// Until when the job is disabled. It means nothing of a job that is not.
    pub fn kept_disabled_until(&self) -> Option<Timestamp> {
        self.disabled_until.filter(|_| matches!(self.job.state, JobState::Disabled(_)))
    }
}

/// Where a job that is written comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobSource {
    /// It is new.
    New {
        /// The random number that it gets.
        uid: Uid,
        /// How many jobs the collection may hold, at most.
        jobs_max: Option<u32>,
    },
    /// It was there: in this version, with its work as the caller has read it.
    Edited {
        /// The number that it has.
        id: JobId,
        /// The random number that it has.
        uid: Uid,
        /// The version of its definition.
        revision: Revision,
        /// The version of its row of work.
        work_revision: Revision,
    },
}

impl JobSource {
    /// The random number of the job.
    pub const fn uid(&self) -> Uid {
        match self {
            Self::New { uid, .. } | Self::Edited { uid, .. } => *uid,
        }
    }
}

/// Which jobs of a collection are listed.
#[derive(Clone, Debug, Default)]
pub struct JobPage {
    /// Those in this state only.
    pub state: Option<State>,
    /// Those after this name.
    pub after: Option<Name>,
    /// Without the first so many of them.
    pub skip: u32,
    /// So many at most.
    pub limit: usize,
}

/// A job whose time of being disabled is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobToEnable {
    /// The job.
    pub id: JobId,
    /// The path of the job: `{subscription}/{group}/{collection}/{job}`.
    pub path: Arc<str>,
    /// Until when it was to be disabled.
    pub until: Timestamp,
}

/// Which jobs are listed whose time of being disabled is over, those that waited longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnablePage {
    /// Those that were to be disabled until then or earlier.
    pub now: Timestamp,
    /// Those after this one.
    pub after: Option<(Timestamp, JobId)>,
    /// How many jobs at most.
    pub limit: usize,
}
