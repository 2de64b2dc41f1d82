//! Users: what they wish for, and how they write it. As the API does it: read, decide, and write if nothing has changed.

use punctual_model::action::{Action, Address, ErrorAction, HttpAction, HttpType, Secret, Target};
use punctual_model::history::Record;
use punctual_model::job::{Definition, State, Uid};
use punctual_model::limits;
use punctual_model::options::{CatchUp, Options, OptionsParts, Overlap};
use punctual_model::recurrence::{Frequency, Parts, Recurrence, ScheduleParts};
use punctual_model::retry::{RetryKind, RetryPolicy};
use punctual_model::revise::{EditContext, Effect, Revision, revise};
use punctual_model::time::{DateTime, Span, Start, TICKS_PER_HOUR, TICKS_PER_SECOND, Timestamp};
use punctual_store::{CollectionId, JobId};

use crate::dice::Dice;
use crate::store::{Draft, Store};

/// A definition as a client writes it.
pub(crate) type Wanted = Definition<Option<Secret>>;

/// What a user wishes for.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    Create(CollectionId, Uid, Box<Wanted>, Option<State>),
    Edit(JobId, Box<Wanted>, Option<State>),
    Delete(JobId),
    Run(JobId),
    Switch(CollectionId, bool),
}

impl Wish {
    /// The state that the client named.
    pub(crate) fn state(&self) -> Option<State> {
        if let Self::Create(.., state) | Self::Edit(.., state) = self { *state } else { None }
    }
}

/// A request of a user, on its way.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) wish: Wish,
    /// The instant at which it came in.
    pub(crate) now: Timestamp,
    /// What was read.
    pub(crate) read: Option<Draft>,
}

/// What became of a request.
pub(crate) enum Answer {
    /// It was refused, or there was nothing to do.
    Nothing,
    /// Someone else was faster: it is read once more.
    Stale,
    /// The job was written, and this is what it was before and what it is now.
    Written(JobId, Option<Box<Draft>>, Box<Revision>),
    /// The job is gone.
    Deleted(JobId),
    /// A manual run was accepted.
    WillRun(JobId),
    /// The collection was written.
    Switched,
}

impl Request {
    /// What the API reads before it decides.
    pub(crate) fn read(&mut self, store: &Store) {
        if let Wish::Edit(job, ..) = self.wish {
            self.read = store.read_job(job);
        }
    }

    /// What the API decides and writes.
    pub(crate) fn write(&self, store: &mut Store) -> Answer {
        match &self.wish {
            Wish::Create(collection, uid, wanted, state) => {
                let stopped_at = store.collections[collection].stopped_at;
                let Some(revision) = self.decide(None, *uid, stopped_at, wanted, *state) else {
                    return Answer::Nothing;
                };
                let (stored, not_run) = (revision.job.clone(), self.records(*uid, &revision));
                let id = store.insert_job(*collection, *uid, stored, not_run);
                Answer::Written(id, None, Box::new(revision))
            }
            Wish::Edit(job, wanted, state) => {
                let Some(read) = &self.read else { return Answer::Nothing };
                let decided = self.decide(Some(read), read.uid, read.collection_stopped_at, wanted, *state);
                let Some(revision) = decided.filter(|decided| decided.effect != Effect::Unchanged) else {
                    return Answer::Nothing;
                };
                let (stored, not_run) = (revision.job.clone(), self.records(read.uid, &revision));
                if !store.update_job(read, stored, not_run, self.now) {
                    return Answer::Stale;
                }
                Answer::Written(*job, Some(Box::new(read.clone())), Box::new(revision))
            }
            Wish::Delete(job) if store.jobs.contains_key(job) => {
                store.delete_job(*job);
                Answer::Deleted(*job)
            }
            Wish::Delete(_) => Answer::Nothing,
            Wish::Run(job) => {
                let waiting_max = usize::try_from(limits::MANUAL_RUNS_MAX).expect("a small number");
                if store.run_job(*job, self.now, waiting_max) { Answer::WillRun(*job) } else { Answer::Nothing }
            }
            Wish::Switch(collection, is_enabled) => {
                store.switch_collection(*collection, *is_enabled, self.now);
                Answer::Switched
            }
        }
    }

    fn decide(
        &self,
        read: Option<&Draft>,
        uid: Uid,
        collection_stopped_at: Option<Timestamp>,
        wanted: &Wanted,
        state: Option<State>,
    ) -> Option<Revision> {
        let context = EditContext {
            now: self.now,
            uid,
            sku: None,
            collection_stopped_at,
            scheduled_beside: read.map_or(0, |read| read.scheduled_beside),
        };
        revise(read.map(|read| &read.stored), wanted.clone(), state, &context).ok()
    }

    fn records(&self, uid: Uid, revision: &Revision) -> Vec<Record> {
        revision.not_run.iter().map(|range| Record::of_not_run(uid, *range, self.now)).collect()
    }
}

/// Where a call goes: the version of the definition stands in it, so that whoever is called knows which it was.
fn target(dice: &mut Dice, version: u64) -> Target<Option<Secret>> {
    Target::Http(HttpAction {
        kind: HttpType::Https,
        uri: Address::parse(&format!("https://host{}.example/{version}", dice.number(0, 3))).expect("an address"),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        authentication: None,
    })
}

/// The version that stands in a definition.
pub(crate) fn version<S>(definition: &Definition<S>) -> u64 {
    let Target::Http(http) = &definition.action.target else { unreachable!("these jobs call HTTP") };
    http.uri.as_str().rsplit('/').next().and_then(|version| version.parse().ok()).expect("a version")
}

/// A new definition. `is_rare` if it must not come due too often, because months are to pass.
pub(crate) fn wanted(dice: &mut Dice, version: u64, now: Timestamp, is_rare: bool) -> Wanted {
    let retry = retry(dice);
    let error = dice.once_in(3).then(|| ErrorAction { target: target(dice, version), retry: self::retry(dice) });
    let start = dice.once_in(2).then(|| Start::at(now.saturating_add(dice.number(-7200, 7200) * TICKS_PER_SECOND)));
    let recurrence = (!dice.once_in(6)).then(|| recurrence(dice, now, is_rare));
    Definition {
        start,
        action: Action { target: target(dice, version), retry, error, sign: None },
        recurrence,
        options: options(dice),
    }
}

/// The definition with something changed.
pub(crate) fn changed(dice: &mut Dice, version: u64, now: Timestamp, is_rare: bool, before: &Wanted) -> Wanted {
    let mut after = before.clone();
    after.action.target = target(dice, version);
    let other = wanted(dice, version, now, is_rare);
    match dice.number(0, 8) {
        0 => after.start = other.start,
        1 => after.recurrence = other.recurrence,
        2 => after.action.retry = other.action.retry,
        3 => after.action.error = other.action.error,
        4 => after.options = other.options,
        5 => return other,
        _ => {}
    }
    after
}

fn recurrence(dice: &mut Dice, now: Timestamp, is_rare: bool) -> Recurrence {
    let every =
        |frequency, interval| Parts { frequency: Some(frequency), interval: Some(interval), ..Parts::default() };
    let schedule = |hours, minutes| Some(ScheduleParts { hours, minutes, ..ScheduleParts::default() });
    let berlin = || Some("Europe/Berlin".to_owned());
    let often = [
        every(Frequency::Minute, 1),
        every(Frequency::Minute, 1),
        every(Frequency::Minute, 7),
        every(Frequency::Hour, 1),
        Parts { schedule: schedule(vec![], vec![0, 1, 2, 30]), ..every(Frequency::Day, 1) },
        Parts { cron: Some("*/2 0-3 * * *".to_owned()), ..Parts::default() },
        Parts { cron: Some("*/20 * * * * *".to_owned()), ..Parts::default() },
    ];
    let rarely = [
        every(Frequency::Hour, 11),
        every(Frequency::Day, 1),
        every(Frequency::Week, 1),
        every(Frequency::Month, 1),
        Parts { schedule: schedule(vec![1, 2, 3], vec![15, 45]), time_zone: berlin(), ..every(Frequency::Day, 2) },
        Parts { schedule: schedule(vec![2], vec![30, 31]), time_zone: berlin(), ..every(Frequency::Day, 1) },
        Parts { cron: Some("30 2 * * *".to_owned()), time_zone: berlin(), ..Parts::default() },
        Parts { cron: Some("0 0 L * 1#2".to_owned()), ..Parts::default() },
    ];
    let mut parts = if is_rare || dice.once_in(4) { dice.pick(&rarely) } else { dice.pick(&often) };
    let unit = if is_rare { 24 * TICKS_PER_HOUR } else { TICKS_PER_HOUR / 2 };
    parts.count = dice.once_in(4).then(|| dice.number(1, 20));
    parts.end_time = dice.once_in(6).then(|| {
        let end = now.saturating_add(dice.number(-1, 20) * unit);
        DateTime::parse(&end.to_string()).expect("a date-time")
    });
    Recurrence::new(&parts).expect("a rule")
}

fn retry(dice: &mut Dice) -> Option<RetryPolicy> {
    let kind = dice.pick(&[RetryKind::None, RetryKind::Fixed, RetryKind::Fixed, RetryKind::Exponential]);
    let interval = Span::parse(dice.pick(&["PT15S", "PT30S", "PT5M"])).expect("a span");
    let policy = RetryPolicy::new(Some(kind), Some(interval), None, Some(dice.number(0, 4)));
    Some(policy.expect("a policy")).filter(|_| !dice.once_in(5))
}

fn options(dice: &mut Dice) -> Options {
    let span = |text: &str| Some(Span::parse(text).expect("a span"));
    let parts = OptionsParts {
        timeout: dice.pick(&[None, span("PT2S"), span("PT10S"), span("PT90S")]),
        jitter: dice.pick(&[None, None, None, span("PT30S"), span("PT20M")]),
        overlap: dice.pick(&[None, None, Some(Overlap::Allow)]),
        catch_up: dice.pick(&[None, Some(CatchUp::Latest), Some(CatchUp::All), Some(CatchUp::None)]),
        catch_up_max: Some(dice.number(1, 30)),
        catch_up_spacing: dice.pick(&[None, span("PT0S"), span("PT3S")]),
        success: None,
    };
    Options::new(parts).expect("options")
}
