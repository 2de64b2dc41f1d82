//! What has come of a job, in the words that `/v1`, the command line and the console share.

use punctual_model::failure::Failure;
use punctual_model::health::{Health, RecentOutcome};
use punctual_model::history::{NotRun, Record, Status, StatusKind};
use punctual_model::job::{Counters, Job, JobState, State};
use punctual_model::occurrence::Occurrence;
use punctual_model::recurrence::{Recurrence, Timetable};
use punctual_model::time::Timestamp;
use punctual_store::{CollectionEntry, JobEntry};

/// When the status of a job is looked at, and what holds for all jobs then.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The instant.
    pub now: Timestamp,
    /// Whether the server is paused: what is due is not started.
    pub is_paused: bool,
}

/// What has come of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobStatus {
    /// What was counted.
    pub counters: Counters,
    /// How the last attempts of the action ended.
    pub health: Health,
    /// The nominal time that runs next.
    pub next: Option<Timestamp>,
    /// What the job does now, or else how its last attempt ended; none before the first attempt, or where that is not known.
    pub outcome: Option<Outcome>,
    /// When the retry is due that the job waits for.
    pub waiting_until: Option<Timestamp>,
    /// Runs that are due and not finished, the one under way included.
    pub owed_runs: u64,
    /// What keeps an enabled job from running.
    pub held_by: Option<Hold>,
    /// Since when, until when and why the job is disabled, if it is.
    pub disabled: Option<Disabled>,
    /// What is left of a backfill; none if there is none, or where nobody looked.
    pub backfill: Option<BackfillState>,
    /// How the last attempt ended.
    pub last: LastAttempt,
}

/// How the last attempt of the main action of a job ended, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastAttempt {
    /// The outcome of the attempt.
    pub outcome: Option<Outcome>,
    /// What the target answered, or why nothing was sent.
    pub message: Option<String>,
    /// Why the attempt failed, if it did.
    pub failure: Option<Failure>,
    /// The nominal times that were not run after the attempt.
    pub not_run: Option<NotRun>,
}

/// What is left of a backfill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackfillState {
    /// How many times are still to run, the one under way included.
    pub left: u64,
    /// The time that is under way or next.
    pub next: Timestamp,
    /// The last time.
    pub last: Timestamp,
}

impl BackfillState {
    /// What is left of the parts of a backfill; none if there are none.
    pub(crate) fn of(job: &JobEntry, parts: &[Occurrence]) -> Option<Self> {
        let timetable = Timetable::new(job.job.definition.recurrence.as_ref(), job.job.anchor).ok()?;
        let range = |part: &Occurrence| part.nominal..part.backlog_until.unwrap_or(part.nominal).saturating_add(1);
        let left = parts.iter().map(|part| timetable.count(range(part)).max(1)).sum();
        let next = parts.iter().min_by_key(|part| (part.wake_at, part.nominal))?.nominal;
        let last = parts.iter().filter_map(|part| part.backlog_until).max()?;
        Some(Self { left, next, last })
    }
}

/// Since when, until when and why a job is disabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// Since when.
    pub since: Timestamp,
    /// When it will be enabled; none if somebody has to do that.
    pub until: Option<Timestamp>,
    /// Why, if somebody said so.
    pub note: Option<String>,
}

impl Disabled {
    fn of(job: &JobEntry) -> Option<Self> {
        let JobState::Disabled(since) = job.job.state else { return None };
        Some(Self { since, until: job.disabled_until, note: job.annotations.note.clone() })
    }
}

/// What keeps a job from running although it is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Its collection is disabled.
    Collection,
    /// The server is paused.
    Pause,
}

impl Hold {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collection => "collectionDisabled",
            Self::Pause => "paused",
        }
    }
}

/// How an attempt or a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The target did what was asked for.
    Succeeded,
    /// The target did not, or could not be asked.
    Failed,
    /// Nominal times passed without a run, for a reason that stands beside this word.
    NotRun,
    /// A run is due: an attempt is in flight, or next in turn.
    Running,
    /// An attempt failed, and its retry is not due yet.
    Waiting,
    /// The last attempt failed, and there is no further one for its nominal time.
    GivenUp,
}

impl Outcome {
    /// How an attempt ended that is or is not followed by another one for the same nominal time.
    pub const fn of_attempt(kind: StatusKind, is_followed: bool) -> Self {
        match Self::of_kind(kind) {
            Self::Failed if !is_followed => Self::GivenUp,
            outcome => outcome,
        }
    }

    /// What a record of history is about.
    pub const fn of_kind(kind: StatusKind) -> Self {
        match kind {
            StatusKind::Completed => Self::Succeeded,
            StatusKind::Failed => Self::Failed,
            StatusKind::Postponed => Self::NotRun,
        }
    }

    /// The word for the outcome.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::NotRun => "notRun",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::GivenUp => "givenUp",
        }
    }
}

impl LastAttempt {
    /// What the row of a job tells without a look at its history.
    pub fn of_row(job: &JobEntry) -> Self {
        let outcome = job.health.recent.latest_first().find_map(|outcome| match outcome {
            RecentOutcome::Succeeded => Some(Outcome::Succeeded),
            RecentOutcome::Failed => Some(Outcome::Failed),
            RecentOutcome::NotRun => None,
        });
        Self { outcome, ..Self::default() }
    }

    /// What the last records of the main action tell, newest first.
    pub fn of_records<'a>(job: &JobEntry, records: impl Iterator<Item = &'a Record>) -> Self {
        let mut not_run = None;
        for record in records {
            match record.status {
                Status::Postponed(range) => not_run = not_run.or(Some(range)),
                status => {
                    let (outcome, message) = (Some(Outcome::of_kind(status.kind())), Some(record.message.clone()));
                    return Self { outcome, message, failure: record.failure.clone(), not_run };
                }
            }
        }
        // The records are gone, or there never was one.
        Self { not_run, ..Self::of_row(job) }
    }
}

impl JobStatus {
    /// How a job in a collection stands. `next` is the nominal time that runs next.
    pub fn of(
        collection: &CollectionEntry,
        job: &JobEntry,
        next: Option<Timestamp>,
        mut last: LastAttempt,
        Moment { now, is_paused }: Moment,
    ) -> Self {
        let Job { definition, state, anchor, progress, .. } = &job.job;
        // What would have begun after the collection was stopped does not.
        let open = progress.open.filter(|open| collection.stopped_at.is_none_or(|stopped| open.wake_at <= stopped));
        let begun = open.filter(|open| open.wake_at <= now || !open.is_untried());
        let wakes = begun.map(|open| open.wake_at).into_iter().chain(job.beside_wakes).min();
        let is_stopped = matches!(state, JobState::Disabled(_)) || collection.stopped_at.is_some();
        if last.outcome == Some(Outcome::Failed) && wakes.is_none() && !is_stopped {
            last.outcome = Some(Outcome::GivenUp);
        }
        let (outcome, waiting_until) = match wakes {
            Some(wakes) if wakes > now => (Some(Outcome::Waiting), Some(wakes)),
            Some(_) if !is_paused => (Some(Outcome::Running), None),
            _ => (last.outcome, None),
        };
        let timetable = || Timetable::new(definition.recurrence.as_ref(), *anchor).ok();
        let made_good_after = |open: &Occurrence| open.nominal.max(progress.accounted);
        let recurrence = definition.recurrence.as_ref();
        let left = open.map_or(0, |open| backlog(&open, made_good_after(&open), recurrence, timetable));
        let is_owed = begun.or(open.filter(|open| open.backlog_until.is_some())).is_some();
        let owed_runs = u64::from(job.beside) + u64::from(is_owed) + left;
        let held_by = match collection.stopped_at {
            _ if state.kind() != State::Enabled => None,
            Some(_) => Some(Hold::Collection),
            None => is_paused.then_some(Hold::Pause),
        };
        let (counters, health, disabled) = (job.counters, job.health, Disabled::of(job));
        Self { counters, health, next, outcome, waiting_until, owed_runs, held_by, disabled, backfill: None, last }
    }
}

/// How many missed nominal times after that one are still to be made good behind the open occurrence.
fn backlog(
    open: &Occurrence,
    last: Timestamp,
    recurrence: Option<&Recurrence>,
    timetable: impl FnOnce() -> Option<Timetable>,
) -> u64 {
    let after = |at: Timestamp| at.saturating_add(1);
    let range = open.backlog_until.map(|until| after(last)..after(until));
    let Some(range) = range.filter(|range| range.start < range.end) else { return 0 };
    let left = timetable().map_or(0, |timetable| timetable.count(range));
    let count = recurrence.and_then(Recurrence::count);
    count.map_or(left, |count| left.min(u64::from(count.saturating_sub(open.repeat))))
}
