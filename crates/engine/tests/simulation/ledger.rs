//! What must be in the record: every nominal time once, every counter as history says.
//!
//! The ledger is told what users wrote and what went to history, and re-derives from both what must be.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::history::{NotRun, Reason, Status};
use punctual_model::job::{Counters, Job, JobState, State, Uid};
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::options::Overlap;
use punctual_model::recurrence::{Recurrence, Timetable};
use punctual_model::revise::{Effect, Revised};
use punctual_model::terms::Terms;
use punctual_model::time::Timestamp;
use punctual_simulated_store::{OpenRow, Tables, WorkRow};
use punctual_store::{HistoryEntry, JobEntry, JobId};

use crate::targets::AttemptKey;
use crate::witness::has_untold_stops;

/// The lives of all jobs.
#[derive(Default)]
pub(crate) struct Ledger {
    lives: BTreeMap<JobId, Life>,
    /// Attempts that were settled.
    settled: BTreeSet<AttemptKey>,
}

/// The nominal times of one timetable: those after `from`, up to where an edit began another one.
struct Epoch {
    timetable: Timetable,
    from: Timestamp,
    to: Option<Timestamp>,
}

/// What is known of a job.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says which promise the job was excused from, for its own reason"
)]
struct Life {
    epochs: Vec<Epoch>,
    /// Nominal times whose first attempt is in the record.
    runs: BTreeSet<Timestamp>,
    /// Those that are recorded as not run, without the rest of one that was.
    not_run: Vec<(Timestamp, Timestamp)>,
    /// How often each version retries.
    retries: BTreeMap<i64, u32>,
    counted: Counters,
    manual_asked: u32,
    manual_seen: BTreeSet<u32>,
    may_overlap: bool,
    was_stopped: bool,
    /// When the job was last written.
    edited_at: Option<Timestamp>,
    /// The job was stopped or edited after the clock went back to before what was in flight then. Nobody can tell then that
    /// an attempt is in flight, and it may come once more.
    may_repeat: bool,
    /// A row or the definition could not be read for a while. A row that cannot be read when its collection is enabled
    /// again counts as told of the stop, and nothing wakes it until the job is edited.
    was_damaged: bool,
    /// Past times that were to run, each once.
    backfills: Vec<Vec<Timestamp>>,
    /// Past times that ran.
    backfilled: BTreeSet<Timestamp>,
}

impl Ledger {
    /// A job was stopped or edited, maybe while the clock showed less than it ever had.
    pub(crate) fn touch(&mut self, id: JobId, is_stopped: bool, has_clock_gone_back: bool) {
        let life = self.lives.entry(id).or_default();
        life.was_stopped |= is_stopped;
        if is_stopped {
            // A backfill ends with the occurrence in which its job is disabled.
            life.backfills.clear();
        }
        life.may_repeat |= has_clock_gone_back;
    }

    /// A row of a job, or its definition, cannot be read. Whatever was in flight of the row cannot be compared with it.
    pub(crate) fn damage(&mut self, id: JobId) {
        let life = self.lives.entry(id).or_default();
        (life.was_damaged, life.may_repeat) = (true, true);
        life.backfills.clear();
    }

    /// Whether something of a job may come twice.
    pub(crate) fn may_repeat(&self, id: JobId) -> bool {
        self.lives.get(&id).is_none_or(|life| life.may_repeat)
    }

    /// A job was written.
    pub(crate) fn write(&mut self, id: JobId, before: Option<&JobEntry>, revision: &Revised, now: Timestamp) {
        let life = self.lives.entry(id).or_default();
        let job = &revision.job;
        let uid = Uid::from_bytes([0; 16]);
        let terms = Terms::of(uid, &job.definition, &revision.timetable, job.series, None, None);
        life.retries.insert(before.map_or(1, |before| before.revision.0 + 1), terms.retries.count);
        life.edited_at = life.edited_at.max(Some(now));
        life.may_overlap |= job.definition.options.overlap() == Overlap::Allow;
        let is_same = life.epochs.last().is_some_and(|epoch| epoch.timetable == revision.timetable);
        // After the last one that `count` allowed there was none to account for.
        let ended_with = before.and_then(|before| last_of_count(&before.job));
        let goes_on = ended_with.is_some() && before.is_some_and(|before| before.job.progress.open.is_none());
        if is_same && revision.effect != Effect::Rescheduled && !goes_on {
            return;
        }
        // The rest of it goes by the new timetable.
        life.backfills.clear();
        if let Some(last) = life.epochs.last_mut() {
            last.to = Some(ended_with.map_or(now, |ended_with| ended_with.min(now)));
        }
        life.epochs.push(Epoch { timetable: revision.timetable.clone(), from: job.progress.accounted, to: None });
    }

    /// A job is gone: nothing of it has to be in the record any more.
    pub(crate) fn forget(&mut self, id: JobId) {
        self.lives.remove(&id);
    }

    /// Forgets jobs that maintenance removed because they had ended.
    pub(crate) fn forget_removed(&mut self, tables: &Tables) {
        self.lives.retain(|id, _| tables.jobs.contains_key(id));
    }

    /// A backfill was accepted.
    pub(crate) fn ask_backfill(&mut self, id: JobId, times: &[Timestamp]) {
        self.lives.entry(id).or_default().backfills.push(times.to_vec());
    }

    /// A backfill was cancelled: what it has not run it never will.
    pub(crate) fn excuse_backfills(&mut self, id: JobId) {
        self.lives.entry(id).or_default().backfills.clear();
    }

    /// A manual run was accepted.
    pub(crate) fn ask(&mut self, id: JobId) {
        self.lives.entry(id).or_default().manual_asked += 1;
    }

    pub(crate) fn is_settled(&self, key: &AttemptKey) -> bool {
        self.settled.contains(key)
    }

    /// Whether occurrences of a job may ever have been allowed to overlap.
    pub(crate) fn may_overlap(&self, id: JobId) -> bool {
        self.lives.get(&id).is_some_and(|life| life.may_overlap)
    }

    /// Something went to history, and the job is in the tables as it is now.
    pub(crate) fn record(&mut self, entry: &HistoryEntry, tables: &Tables) -> Result<(), String> {
        let record = &entry.record;
        if entry.is_duplicate {
            return Ok(());
        }
        self.check_count(entry, tables)?;
        check_pauses(record.status, tables)?;
        let nominal = match record.status {
            Status::Completed(nominal) | Status::Failed(nominal) => nominal,
            Status::Postponed(range) => {
                return self.lives.get_mut(&entry.job).map_or(Ok(()), |life| life.record_not_run(range));
            }
        };
        let may_repeat = self.may_repeat(entry.job);
        if !self.settled.insert((record.occurrence, record.retry)) && !may_repeat {
            return Err(format!("{nominal}, retry {}, was settled twice", record.retry));
        }
        let Some(life) = self.lives.get_mut(&entry.job) else { return Ok(()) };
        if record.phase == Phase::Error {
            return Ok(());
        }
        if let Origin::Manual(number) = record.origin {
            life.manual_seen.insert(number);
        } else if record.origin == Origin::Backfill {
            if record.retry == 0 && !life.backfilled.insert(nominal) && !may_repeat {
                return Err(format!("a backfill ran {nominal} twice"));
            }
        } else if record.retry == 0 && !life.runs.insert(nominal) && !may_repeat {
            return Err(format!("{nominal} was run twice"));
        }
        let has_failed = matches!(record.status, Status::Failed(_));
        let is_last = record.retry >= life.retries[&entry.revision];
        life.counted = life.counted.plus(Counters {
            executions: 1,
            failures: u64::from(has_failed),
            faulted: u64::from(has_failed && is_last),
            last_started: Some(record.started),
        });
        Ok(())
    }

    /// What is recorded as not run must have existed: nothing comes after the last occurrence that `count` allows. At an edit
    /// and before it `count` may have been another.
    fn check_count(&self, entry: &HistoryEntry, tables: &Tables) -> Result<(), String> {
        let (Status::Postponed(range), Some(job)) = (entry.record.status, tables.jobs.get(&entry.job)) else {
            return Ok(());
        };
        let progress = tables.progress(entry.job);
        let count = job.definition.recurrence.as_ref().and_then(Recurrence::count);
        let last =
            progress.open.filter(|open| open.series == job.series && count.is_some_and(|max| open.repeat >= max));
        let edited_at = self.lives.get(&entry.job).and_then(|life| life.edited_at);
        let is_after_edits = edited_at.is_none_or(|edited_at| entry.record.ended > edited_at);
        match last.filter(|last| is_after_edits && range.first > last.nominal) {
            Some(last) => Err(format!("{range:?} never existed: count ends with {last:?}")),
            None => Ok(()),
        }
    }

    /// What must hold at every step.
    pub(crate) fn check_counters(&self, tables: &Tables) -> Result<(), String> {
        for (id, job) in &tables.jobs {
            let counted = self.lives[id].counted;
            if counted != job.counters {
                return Err(format!("job {}: history says {counted:?}, the job {:?}", id.0, job.counters));
            }
        }
        Ok(())
    }

    /// What must hold whenever it is quiet.
    pub(crate) fn check(&self, tables: &Tables) -> Result<(), String> {
        self.check_counters(tables)?;
        for id in tables.jobs.keys() {
            self.lives[id].check(*id, tables).map_err(|wrong| format!("job {}: {wrong}", id.0))?;
        }
        Ok(())
    }
}

/// Nothing is explained by a pause where there was none. Which times a pause explains is tested in the model: here clocks are set
/// while requests are on their way, so that the times of a pause say little.
fn check_pauses(status: Status, tables: &Tables) -> Result<(), String> {
    match status {
        Status::Postponed(range) if range.reason == Reason::Paused && tables.pauses.is_empty() => {
            Err(format!("{range:?} was not run because of a pause that never was"))
        }
        _ => Ok(()),
    }
}

/// The nominal time of the last occurrence that `count` allows, if that occurrence is open or was started.
fn last_of_count(job: &Job) -> Option<Timestamp> {
    let count = job.definition.recurrence.as_ref().and_then(Recurrence::count)?;
    let progress = &job.progress;
    let started = if progress.series == job.series { progress.started + u32::from(progress.open.is_some()) } else { 0 };
    let last = progress.open.map_or(progress.accounted, |open| open.nominal);
    (started >= count).then_some(last)
}

impl Life {
    fn record_not_run(&mut self, range: NotRun) -> Result<(), String> {
        let NotRun { first, last, number, reason } = range;
        if reason == Reason::Disabled && !self.was_stopped && !self.may_repeat {
            return Err(format!("{first} was not run because of a stop that never was"));
        }
        let whole = first..last.saturating_add(1);
        if !self.epochs.iter().any(|epoch| epoch.timetable.count(whole.clone()) == number) {
            return Err(format!("{number} is not how many lie from {first} to {last}"));
        }
        // The rest of an occurrence that a stop cut short is recorded with what came due behind it.
        let is_rest = self.runs.contains(&first);
        let first = first.saturating_add(i64::from(is_rest));
        if first <= last {
            self.not_run.push((first, last));
        }
        Ok(())
    }

    fn check(&self, id: JobId, tables: &Tables) -> Result<(), String> {
        let job = &tables.jobs[&id];
        let rows = || tables.work.values().filter(|row| row.job == id);
        let open: BTreeSet<Timestamp> = rows()
            .filter_map(WorkRow::occurrence)
            .filter(|open| open.origin == Origin::Schedule)
            .map(|open| open.nominal)
            .collect();
        self.check_nominals(id, tables, &open)?;
        let is_stopped = matches!(job.state, JobState::Disabled(_))
            || tables.collections[&job.collection].stopped_at.is_some()
            || has_untold_stops(tables, id);
        if job.state.kind() == State::Enabled && open.is_empty() && !is_stopped && !self.was_damaged {
            return Err("it is enabled and nothing will ever wake it".to_owned());
        }
        if job.state.kind().is_final() && !open.is_empty() {
            return Err("it has ended and something of it is open".to_owned());
        }
        self.check_backfills(rows().filter_map(WorkRow::occurrence))?;
        let waiting: BTreeSet<u32> = rows()
            .filter_map(|row| match row.open {
                OpenRow::Beside(occurrence) => Some(occurrence.origin),
                OpenRow::Schedule(_) => None,
            })
            .filter_map(|origin| if let Origin::Manual(number) = origin { Some(number) } else { None })
            .collect();
        let lost = (1..=self.manual_asked).find(|n| !waiting.contains(n) && !self.manual_seen.contains(n));
        match lost {
            Some(number) => Err(format!("manual run {number} was lost")),
            None if self.manual_seen.last().is_some_and(|last| *last > self.manual_asked) => {
                Err("there were more manual runs than were asked for".to_owned())
            }
            None => Ok(()),
        }
    }

    /// Every past time that was to run has run, or is still to.
    fn check_backfills(&self, open: impl Iterator<Item = Occurrence>) -> Result<(), String> {
        let open = open.filter(|open| open.origin == Origin::Backfill).last();
        let is_to_come =
            |at: &Timestamp| open.is_some_and(|open| open.nominal <= *at && open.backlog_until >= Some(*at));
        let mut asked = self.backfills.iter().flatten();
        match asked.find(|at| !self.backfilled.contains(at) && !is_to_come(at)) {
            Some(lost) => Err(format!("{lost} of a backfill was lost")),
            None => Ok(()),
        }
    }

    /// Promise 2: every nominal time is in the record once, or open.
    fn check_nominals(&self, id: JobId, tables: &Tables, open: &BTreeSet<Timestamp>) -> Result<(), String> {
        let job = &tables.jobs[&id];
        let progress = tables.progress(id);
        let ranges = self.not_run.iter().copied();
        let mut accounted: Vec<_> = ranges.chain(self.runs.iter().map(|nominal| (*nominal, *nominal))).collect();
        accounted.sort_unstable();
        let is_twice = |pair: &&[(Timestamp, Timestamp)]| pair[1].0 <= pair[0].1 && !self.may_repeat;
        if let Some(pair) = accounted.windows(2).find(is_twice) {
            return Err(format!("{} is in the record twice: {pair:?}", pair[1].0));
        }
        let next = progress.open.filter(|open| open.series == job.series).map(|open| open.nominal);
        let known_until = progress.accounted.max(next.unwrap_or(progress.accounted));
        let mut from = Timestamp::MIN;
        for epoch in &self.epochs {
            let to = epoch.to.unwrap_or(known_until);
            from = from.max(epoch.from);
            for nominal in epoch.timetable.occurrences(from.saturating_add(1)..to.saturating_add(1)) {
                let before = accounted.partition_point(|(first, _)| *first <= nominal);
                let is_accounted = before > 0 && accounted[before - 1].1 >= nominal;
                if !is_accounted && !open.contains(&nominal) {
                    return Err(format!("{nominal} is lost: accounted until {}, open {open:?}", progress.accounted));
                }
            }
            from = from.max(to);
        }
        Ok(())
    }
}
