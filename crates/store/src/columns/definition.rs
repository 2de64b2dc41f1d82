//! What the columns of a job hold, made before a transaction begins: sealing takes time.

use punctual_model::job::{Definition, JobState, Uid};
use punctual_model::lane::{Host, Lane};
use punctual_model::occurrence::Phase;
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_model::time::Timestamp;

use crate::error::Error;
use crate::job::JobWrite;
use crate::record::{self, ScheduleRecord, codes};
use crate::seal::Keyring;

/// What the columns of a job hold.
pub(crate) struct Columns {
    pub(crate) uid: Uid,
    pub(crate) state: i64,
    pub(crate) disabled_at: Option<i64>,
    pub(crate) anchor_at: i64,
    pub(crate) anchor_moved: Option<i64>,
    pub(crate) schedule: String,
    /// Sealed.
    pub(crate) action: Vec<u8>,
    /// The action with fingerprints instead of secrets, sealed: what the log of changes keeps.
    pub(crate) kept_action: Vec<u8>,
    pub(crate) lane: Lane,
    pub(crate) error_lane: Lane,
    pub(crate) target: String,
    pub(crate) ended_at: Option<i64>,
    pub(crate) expires_at: Option<i64>,
    pub(crate) note: Option<String>,
    pub(crate) labels: Option<String>,
    pub(crate) disabled_until: Option<i64>,
}

impl Columns {
    /// The columns of a job that is written. `stored` are schedule and action, which is sealed, of the job that it replaces: what this
    /// version does not know of it stays.
    pub(crate) fn of(write: &JobWrite, keyring: &Keyring, stored: Option<&(String, Vec<u8>)>) -> Result<Self, Error> {
        let (uid, job) = (write.source.uid(), &write.job);
        let lane = |target| Lane::new(write.collection.0.0, &Host::of(target));
        let Definition { start, recurrence, options, action: main } = &job.definition;
        let schedule = ScheduleRecord { start: *start, recurrence: recurrence.clone(), options: options.clone() };
        let (schedule, action) = match stored {
            None => (record::write_schedule(&schedule), record::write_action(main)),
            Some((old_schedule, sealed)) => (
                record::rewrite_schedule(old_schedule, &schedule)?,
                keyring.open(uid, sealed).map_or_else(
                    |_| Ok(record::write_action(main)),
                    |old_action| record::rewrite_action(&old_action, main),
                )?,
            ),
        };
        let (anchor_at, anchor_moved) = match job.anchor {
            Anchor::Start(start) => (start.instant(), Some(start.moved_ticks())),
            Anchor::Creation(at) => (at, None),
        };
        let disabled_at = if let JobState::Disabled(since) = job.state { Some(since.ticks()) } else { None };
        let seal = |action: &str| keyring.seal(uid, action.as_bytes()).map_err(Error::unavailable);
        let action = seal(&action)?;
        // What this version does not know of a stored action may be a secret.
        let kept_action = if stored.is_none() && !main.has_secrets() {
            action.clone()
        } else {
            seal(&record::write_action(&main.clone().with_fingerprints(uid)))?
        };
        let main_lane = lane(&main.target);
        Ok(Self {
            uid,
            state: codes::state(job.state.kind()),
            disabled_at,
            anchor_at: anchor_at.ticks(),
            anchor_moved,
            schedule,
            action,
            kept_action,
            lane: main_lane,
            error_lane: main.error.as_ref().map_or(main_lane, |error| lane(&error.target)),
            target: main.target.label(),
            expires_at: main.expires_at().map(Timestamp::ticks),
            note: write.annotations.note.clone(),
            labels: record::write_labels(&write.annotations.labels),
            disabled_until: write.kept_disabled_until().map(Timestamp::ticks),
            ended_at: job.state.kind().is_final().then_some(write.stamp.at.ticks()),
        })
    }

    /// The lane of what is open.
    pub(crate) fn lane_of(&self, progress: &Progress) -> Lane {
        match progress.open.map(|open| open.phase) {
            Some(Phase::Error) => self.error_lane,
            Some(Phase::Main) | None => self.lane,
        }
    }
}
