//! Users: what they ask for, and how the API does it: it reads, lets the model decide, and writes if nothing has changed.

use std::collections::BTreeMap;

use punctual_model::Name;
use punctual_model::collection::{Collection, CollectionState};
use punctual_model::history::{Record, Status};
use punctual_model::job::{State, Uid};
use punctual_model::labels::Annotations;
use punctual_model::lane::Lane;
use punctual_model::limits;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::recurrence::Timetable;
use punctual_model::revise::{EditContext, Effect, Revised, revise};
use punctual_model::time::Timestamp;
use punctual_simulated_store::Tables;
use punctual_store::{
    CollectionEntry, CollectionId, CollectionKey, CollectionWrite, EndedStop, Error, JobEntry, JobId, JobKey,
    JobSource, JobWrite, PauseEntry, Stamp,
};

use crate::definitions::{Style, Wanted, changed_definition, new_definition};
use crate::dice::Dice;

/// The collections of a simulation.
const COLLECTIONS: i64 = 2;

/// All users.
pub(crate) struct Users {
    /// What was last written of each job.
    pub(crate) written: BTreeMap<JobId, Wanted>,
    style: Style,
    jobs_max: usize,
}

/// What a user asks for.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Create(CollectionKey, Uid, Box<Wanted>, Option<State>),
    Edit(JobId, Box<Wanted>, Option<State>),
    Delete(JobId),
    Run(JobId),
    /// Has past times run now.
    Backfill(JobId),
    /// Ends that.
    CancelBackfill(JobId),
    Switch(CollectionKey, bool),
    /// Pauses the server.
    Pause,
    /// Ends the pause.
    Resume,
}

/// A request of a user, on its way.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) command: Command,
    /// The instant at which it came in.
    pub(crate) now: Timestamp,
    /// The collection as it was read, and the job if it was there.
    read: Option<(CollectionEntry, Option<JobEntry>)>,
}

/// What became of a request.
pub(crate) enum Answer {
    /// It was refused, or there was nothing to do.
    Nothing,
    /// Someone else was faster: it is read once more.
    Stale,
    /// The job was written, and this is what it was before and what it is now.
    Written(JobId, Option<Box<JobEntry>>, Box<Revised>),
    /// The job is gone.
    Deleted(JobId),
    /// A manual run was accepted.
    WillRun(JobId),
    /// A backfill of these times was accepted.
    WillBackfill(JobId, Vec<Timestamp>),
    /// A backfill was ended.
    Cancelled(JobId),
    /// The collection was written.
    Switched(CollectionId, bool),
    /// The server was paused, or its pause ended.
    Paused,
}

impl Users {
    /// Users of some collections, which are made for them.
    pub(crate) fn new(tables: &mut Tables, style: Style, jobs_max: usize) -> Self {
        for number in 1..=COLLECTIONS {
            let key = collection_key(number);
            let collection = Collection {
                name: key.collection.clone(),
                location: None,
                tags: BTreeMap::new(),
                sku: None,
                state: CollectionState::Enabled,
                quota: None,
            };
            let write = CollectionWrite::new(key, collection, Stamp::of_server(Timestamp::EPOCH));
            tables.put_collection(write).expect("a new collection");
        }
        Self { written: BTreeMap::new(), style, jobs_max }
    }

    /// What some user asks for now.
    pub(crate) fn ask(&mut self, dice: &mut Dice, tables: &Tables, now: Timestamp) -> Request {
        self.written.retain(|id, _| tables.jobs.contains_key(id));
        let jobs: Vec<JobId> = self.written.keys().copied().collect();
        let collection = collection_key(dice.number(1, COLLECTIONS + 1));
        self.style.version += 1;
        let command = match dice.number(0, 27) {
            _ if jobs.is_empty() => self.create(dice, collection, now),
            _ if jobs.len() < self.jobs_max / 2 && dice.once_in(2) => self.create(dice, collection, now),
            0..4 if jobs.len() < self.jobs_max => self.create(dice, collection, now),
            4 => Command::Delete(dice.pick(&jobs)),
            5..7 => Command::Run(dice.pick(&jobs)),
            7..9 => Command::Switch(collection, false),
            9..12 => Command::Switch(collection, true),
            23..26 => Command::Backfill(dice.pick(&jobs)),
            26 => Command::CancelBackfill(dice.pick(&jobs)),
            20 => Command::Pause,
            21..23 => Command::Resume,
            12..16 => {
                let job = dice.pick(&jobs);
                let state = if dice.once_in(2) { State::Disabled } else { State::Enabled };
                Command::Edit(job, Box::new(self.written[&job].clone()), Some(state))
            }
            _ => {
                let job = dice.pick(&jobs);
                let wanted = changed_definition(dice, &self.style, now, &self.written[&job]);
                Command::Edit(job, Box::new(wanted), tables.jobs.get(&job).map(|job| job.state.kind()))
            }
        };
        Request::new(command, now)
    }

    fn create(&self, dice: &mut Dice, collection: CollectionKey, now: Timestamp) -> Command {
        let wanted = new_definition(dice, &self.style, now);
        let state = dice.once_in(10).then_some(State::Disabled);
        Command::Create(collection, Uid::from_bytes(dice.bytes()), Box::new(wanted), state)
    }

    /// Remembers what was written.
    pub(crate) fn hear(&mut self, answer: &Answer, command: &Command) {
        if let (Answer::Written(id, ..), Command::Create(_, _, wanted, _) | Command::Edit(_, wanted, _)) =
            (answer, command)
        {
            self.written.insert(*id, (**wanted).clone());
        }
    }
}

pub(crate) fn collection_key(number: i64) -> CollectionKey {
    CollectionKey { subscription: name("s"), group: name("g"), collection: name(&format!("c{number}")) }
}

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

impl Request {
    /// A request that came in at `now`.
    pub(crate) fn new(command: Command, now: Timestamp) -> Self {
        Self { command, now, read: None }
    }

    /// What the API reads before it decides.
    pub(crate) fn read(&mut self, tables: &Tables) {
        self.read = match &self.command {
            Command::Create(collection, ..) | Command::Switch(collection, _) => {
                tables.collection(collection).map(|entry| (entry, None))
            }
            Command::Edit(id, ..) | Command::Delete(id) => job_key(tables, *id).and_then(|key| tables.job(&key)),
            Command::Run(_) | Command::Backfill(_) | Command::CancelBackfill(_) | Command::Pause | Command::Resume => {
                None
            }
        };
    }

    /// Lets a pause begin or end when it is written: a machine that sleeps in between would know of it only then.
    pub(crate) fn arrive(&mut self, now: Timestamp) {
        if matches!(self.command, Command::Pause | Command::Resume) {
            self.now = now;
        }
    }

    /// What the API decides and writes.
    pub(crate) fn write(&self, tables: &mut Tables) -> Answer {
        let written = match &self.command {
            Command::Create(_, uid, wanted, state) => self.put_job(tables, *uid, wanted, *state),
            Command::Edit(_, wanted, state) => match &self.read {
                Some((_, Some(job))) => self.put_job(tables, job.uid, wanted, *state),
                _ => Ok(Answer::Nothing),
            },
            Command::Delete(_) => match &self.read {
                Some((_, Some(JobEntry { id, revision, .. }))) => {
                    tables.delete_job(*id, *revision, self.now).map(|()| Answer::Deleted(*id))
                }
                _ => Ok(Answer::Nothing),
            },
            Command::Run(id) => {
                let is_accepted = tables.run_job(*id, self.now, limits::MANUAL_RUNS_MAX).is_ok();
                Ok(if is_accepted { Answer::WillRun(*id) } else { Answer::Nothing })
            }
            Command::Backfill(id) => Ok(self.backfill(tables, *id)),
            Command::CancelBackfill(id) => {
                let is_cancelled = tables.cancel_backfill(*id, self.now.saturating_add(limits::BEGUN_TICKS));
                Ok(if is_cancelled { Answer::Cancelled(*id) } else { Answer::Nothing })
            }
            Command::Switch(_, is_enabled) => self.switch_collection(tables, *is_enabled),
            Command::Pause => {
                let is_new = !tables.is_paused();
                tables.pause(PauseEntry::begin("user".to_owned(), String::new(), self.now));
                Ok(if is_new { Answer::Paused } else { Answer::Nothing })
            }
            Command::Resume => {
                let ended = tables.resume("user".to_owned(), self.now);
                Ok(if ended.is_some() { Answer::Paused } else { Answer::Nothing })
            }
        };
        written.unwrap_or(Answer::Stale)
    }

    fn put_job(&self, tables: &mut Tables, uid: Uid, wanted: &Wanted, state: Option<State>) -> Result<Answer, Error> {
        let Some((collection, before)) = &self.read else { return Ok(Answer::Nothing) };
        let context = EditContext {
            now: self.now,
            uid,
            sku: collection.collection.sku,
            collection_stopped_at: collection.stopped_at,
            scheduled_beside: before.as_ref().map_or(0, |before| before.scheduled_beside),
            failures: 0,
            pauses: PauseEntry::times(&tables.pauses),
        };
        let revision = match revise(before.as_ref().map(|before| &before.job), wanted.clone(), state, &context) {
            Ok(revision) if revision.effect != Effect::Unchanged => revision,
            _ => return Ok(Answer::Nothing),
        };
        let source = match before {
            None => JobSource::New { uid, jobs_max: None },
            Some(JobEntry { id, uid, revision, work_revision, .. }) => {
                JobSource::Edited { id: *id, uid: *uid, revision: *revision, work_revision: *work_revision }
            }
        };
        let not_run = revision.not_run.iter().map(|range| Record::of_not_run(uid, *range, self.now)).collect();
        let entry = tables.put_job(JobWrite {
            collection: (collection.id, collection.revision),
            name: before.as_ref().map_or_else(|| name(&format!("{uid:?}")), |before| before.name.clone()),
            source,
            job: revision.job.clone(),
            annotations: Annotations::default(),
            disabled_until: None,
            not_run,
            stamp: Stamp::of_server(self.now),
        })?;
        Ok(Answer::Written(entry.id, before.clone().map(Box::new), Box::new(revision)))
    }

    /// Has the last times of a job run now that no backfill has run yet.
    fn backfill(&self, tables: &mut Tables, id: JobId) -> Answer {
        let Some(job) = tables.jobs.get(&id) else { return Answer::Nothing };
        let is_stopped =
            job.state.kind() == State::Disabled || tables.collections[&job.collection].stopped_at.is_some();
        let Ok(timetable) = Timetable::new(job.definition.recurrence.as_ref(), job.anchor) else {
            return Answer::Nothing;
        };
        let lane = Lane::of(job.collection.0, &job.definition.action, Phase::Main);
        let done = tables.history.values().filter(|entry| entry.job == id && entry.record.origin == Origin::Backfill);
        let done_until = done.filter_map(|entry| match entry.record.status {
            Status::Completed(nominal) | Status::Failed(nominal) => Some(nominal),
            Status::Postponed(_) => None,
        });
        let done_until = done_until.max().unwrap_or(Timestamp::MIN);
        let before = std::iter::successors(timetable.previous(self.now), |at| timetable.previous(*at));
        let mut times: Vec<Timestamp> = before.take_while(|at| *at > done_until).take(5).collect();
        times.reverse();
        let (Some(first), Some(last), false) = (times.first(), times.last(), is_stopped) else {
            return Answer::Nothing;
        };
        let part = Occurrence::backfill(*first, *last, 2000, self.now);
        match tables.backfill_job(id, &[part], lane) {
            Ok(true) => Answer::WillBackfill(id, times),
            _ => Answer::Nothing,
        }
    }

    fn switch_collection(&self, tables: &mut Tables, is_enabled: bool) -> Result<Answer, Error> {
        let Some((entry, _)) = &self.read else { return Ok(Answer::Nothing) };
        let (stopped_at, ended_stop) = match (is_enabled, entry.stopped_at) {
            (true, Some(from)) => (None, Some(EndedStop { from, until: self.now.max(from) })),
            (false, None) => (Some(self.now), None),
            _ => return Ok(Answer::Nothing),
        };
        let (key, collection) = (entry.key.clone(), entry.collection.clone());
        let replaces = Some(entry.revision);
        tables.put_collection(CollectionWrite {
            key,
            collection,
            replaces,
            stopped_at,
            ended_stop,
            collections_max: None,
            stamp: Stamp::of_server(self.now),
        })?;
        Ok(Answer::Switched(entry.id, is_enabled))
    }
}

fn job_key(tables: &Tables, id: JobId) -> Option<JobKey> {
    let job = tables.jobs.get(&id)?;
    Some(JobKey { collection: tables.collections[&job.collection].key.clone(), job: job.name.clone() })
}
