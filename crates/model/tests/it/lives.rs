//! Random lives of a job: whatever happens, every nominal time is accounted for once, none runs twice, and the counters
//! are what was counted.

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::*;
use punctual_model::dispatch::InFlight;
use punctual_model::history::NotRun;
use punctual_model::job::State;
use punctual_model::occurrence::{Occurrence, Origin};
use punctual_model::options::{CatchUp, OptionsParts, Overlap};
use punctual_model::recurrence::{Frequency, Parts, ScheduleParts};
use punctual_model::retry::RetryKind;
use punctual_model::time::{DateTime, TICKS_PER_SECOND, Timestamp};

use crate::life::{Entry, Life, error_action, every, job, options, recurrence, retry, span, verdict};

/// Something that happens.
#[derive(Clone, Debug)]
enum Event {
    /// The next wake comes, and its attempt takes so many seconds.
    Next { seconds: i64, succeeds: bool },
    /// The server is down for so many seconds.
    Down(i64),
    /// The next wake comes, and the server ends while its attempt may be on the wire. So many seconds later it is sent again.
    Crash { down: i64, seconds: i64, succeeds: bool },
    /// The clock is set back by so many seconds.
    ClockBack(i64),
    /// The job is edited while an attempt is on the wire.
    InFlight { edit: Edit, seconds: i64, succeeds: bool },
    /// The job is edited.
    Edit(Edit),
    /// Someone runs it by hand; the attempt is made when something else happens.
    ByHand,
    /// What came last beside the schedule wakes.
    Beside { succeeds: bool },
    /// The collection is disabled or enabled.
    Collection(bool),
    /// A day ends.
    DayEnds,
}

#[derive(Clone, Debug)]
enum Edit {
    Reschedule(usize),
    Count(i64),
    EndIn(i64),
    Disable,
    Enable,
    Retries(i64),
    ErrorAction(bool),
    Restart(i64),
    Once(i64),
}

fn edits() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0..rules().len()).prop_map(Edit::Reschedule),
        (1..20_i64).prop_map(Edit::Count),
        (-600..7200_i64).prop_map(Edit::EndIn),
        Just(Edit::Disable),
        Just(Edit::Disable),
        Just(Edit::Enable),
        Just(Edit::Enable),
        Just(Edit::Enable),
        (0..3_i64).prop_map(Edit::Retries),
        any::<bool>().prop_map(Edit::ErrorAction),
        (-600..600_i64).prop_map(Edit::Restart),
        (-600..600_i64).prop_map(Edit::Once),
    ]
}

fn events() -> impl Strategy<Value = Event> {
    let next = (0..200_i64, any::<bool>()).prop_map(|(seconds, succeeds)| Event::Next { seconds, succeeds });
    let in_flight = (edits(), 0..400_i64, any::<bool>()).prop_map(|(edit, seconds, succeeds)| Event::InFlight {
        edit,
        seconds,
        succeeds,
    });
    let crash = (0..20_000_i64, 0..200_i64, any::<bool>()).prop_map(|(down, seconds, succeeds)| Event::Crash {
        down,
        seconds,
        succeeds,
    });
    prop_oneof![
        8 => next,
        2 => (0..20_000_i64).prop_map(Event::Down),
        2 => crash,
        1 => (1..4000_i64).prop_map(Event::ClockBack),
        2 => in_flight,
        3 => edits().prop_map(Event::Edit),
        1 => Just(Event::ByHand),
        2 => any::<bool>().prop_map(|succeeds| Event::Beside { succeeds }),
        2 => Just(Event::DayEnds),
        1 => Just(Event::Collection(false)),
        2 => Just(Event::Collection(true)),
    ]
}

/// Rules with points close enough to overlap, to be missed, and to move over a change of the clock.
fn rules() -> Vec<Parts> {
    let schedule = |hours, minutes| Some(ScheduleParts { hours, minutes, ..ScheduleParts::default() });
    vec![
        every(Frequency::Minute, 1),
        every(Frequency::Minute, 7),
        every(Frequency::Hour, 1),
        Parts { schedule: schedule(vec![], vec![0, 1, 2, 30]), ..every(Frequency::Day, 1) },
        Parts {
            schedule: schedule(vec![1, 2, 3], vec![15, 45]),
            time_zone: Some("Europe/Berlin".to_owned()),
            ..every(Frequency::Day, 1)
        },
        Parts { cron: Some("*/2 0-3 * * *".to_owned()), ..Parts::default() },
    ]
}

fn choices() -> impl Strategy<Value = OptionsParts> {
    let overlap = prop_oneof![Just(None), Just(Some(Overlap::Allow))];
    let catch_up = prop_oneof![Just(None), Just(Some(CatchUp::All)), Just(Some(CatchUp::None))];
    let jitter = prop_oneof![Just(None), Just(Some(span("PT45S"))), Just(Some(span("PT20M")))];
    (overlap, catch_up, 1..30_i64, jitter).prop_map(|(overlap, catch_up, max, jitter)| OptionsParts {
        overlap,
        catch_up,
        catch_up_max: Some(max),
        jitter,
        ..OptionsParts::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_nominal_time_is_accounted_for_once(
        rule in 0..rules().len(),
        start in prop_oneof![Just(None), Just(Some("2026-03-28T20:00:30Z")), Just(Some("2026-03-29T00:30Z"))],
        count in prop_oneof![2 => Just(None), 1 => (1..5_i64).prop_map(Some)],
        choice in choices(),
        happens in vec(events(), 1..60),
    ) {
        let mut life = Life::new("2026-03-29T00:00Z");
        let mut wanted = job(start, Some(Parts { count, ..rules()[rule].clone() }));
        wanted.options = options(choice);
        wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
        life.put(wanted);
        for event in &happens {
            happen(&mut life, event);
            check(&life).map_err(|wrong| TestCaseError::fail(format!("{wrong}\n{event:?}\n{}", life.log)))?;
        }
    }
}

fn cases() -> u32 {
    if std::env::var_os("PUNCTUAL_TEST_LONG").is_some() { 100_000 } else { 3000 }
}

fn happen(life: &mut Life, event: &Event) {
    match event {
        Event::Next { seconds, succeeds } => {
            life.next_takes(*seconds, *succeeds);
        }
        Event::Down(seconds) => life.now = life.now.saturating_add(seconds * TICKS_PER_SECOND),
        Event::Crash { down, seconds, succeeds } => {
            let open = life.job.as_ref().and_then(|job| job.progress.open);
            let Some(open) = open else { return };
            life.now = life.now.max(open.wake_at).saturating_add(down * TICKS_PER_SECOND);
            if let Some(started) = life.begin_again() {
                life.now = life.now.saturating_add(seconds * TICKS_PER_SECOND);
                life.end(started, verdict(*succeeds));
            }
        }
        Event::ClockBack(seconds) => life.now = life.now.saturating_add(-seconds * TICKS_PER_SECOND),
        Event::InFlight { edit, seconds, succeeds } => {
            let open = life.job.as_ref().and_then(|job| job.progress.open);
            let Some(open) = open else { return };
            life.now = life.now.max(open.wake_at);
            let (begun, began_at) = (life.begin(), life.now);
            life.now = began_at.saturating_add(seconds / 2 * TICKS_PER_SECOND);
            change(life, edit);
            life.now = began_at.saturating_add(seconds * TICKS_PER_SECOND);
            if let Some(started) = begun {
                life.end(started, verdict(*succeeds));
            }
        }
        Event::Edit(edit) => change(life, edit),
        Event::ByHand => {
            life.run_by_hand();
        }
        Event::Beside { succeeds } if !life.beside.is_empty() => {
            if let Some(started) = life.begin_beside(InFlight::default()) {
                life.end(started, verdict(*succeeds));
            }
        }
        Event::Beside { .. } => {}
        Event::Collection(is_enabled) => {
            life.collection(*is_enabled);
        }
        Event::DayEnds => {
            life.end_day();
        }
    }
}

fn change(life: &mut Life, edit: &Edit) {
    let now = life.now;
    let zone = punctual_model::time::Zone::utc();
    let later = |seconds: i64| now.saturating_add(seconds * TICKS_PER_SECOND);
    let current = life.job.as_ref().unwrap().definition.recurrence.clone();
    let parts =
        rules().into_iter().find(|parts| current.as_ref().is_some_and(|c| c.is_same_rule(&recurrence(&parts.clone()))));
    let parts = parts.unwrap_or_else(|| rules().remove(0));
    if let Edit::Disable | Edit::Enable = edit {
        life.switch(if matches!(edit, Edit::Disable) { State::Disabled } else { State::Enabled });
        return;
    }
    life.patch(|job| match edit {
        Edit::Reschedule(rule) => job.recurrence = Some(recurrence(&rules()[*rule].clone())),
        Edit::Count(count) => job.recurrence = Some(recurrence(&Parts { count: Some(*count), ..parts })),
        Edit::EndIn(seconds) => {
            let end = DateTime::parse(&later(*seconds).to_string()).unwrap();
            job.recurrence = Some(recurrence(&Parts { end_time: Some(end), ..parts }));
        }
        Edit::Disable | Edit::Enable => unreachable!("handled above"),
        Edit::Retries(count) => job.action.retry = Some(retry(RetryKind::Fixed, *count)),
        Edit::ErrorAction(is_wanted) => job.action.error = is_wanted.then(|| error_action("https://example.com/error")),
        Edit::Once(seconds) => {
            job.start = Some(DateTime::parse(&later(*seconds).to_string()).unwrap().resolve(zone));
            job.recurrence = None;
        }
        Edit::Restart(seconds) => {
            job.start = Some(DateTime::parse(&later(*seconds).to_string()).unwrap().resolve(zone));
        }
    });
}

/// What must hold at every moment of a life.
fn check(life: &Life) -> Result<(), String> {
    let accounted = accounted(life)?;
    let counters = &life.counters;
    if counters.failures > counters.executions || counters.faulted > counters.failures {
        return Err(format!("counters do not add up: {counters:?}"));
    }
    if let Some(range) = life.never_existed.first() {
        return Err(format!("{range:?} comes after the last occurrence that count allows"));
    }
    let job = life.job.as_ref().unwrap();
    let is_scheduled = |row: &Occurrence| row.origin == Origin::Schedule;
    let is_alive = job.progress.open.is_some() || life.beside.iter().any(is_scheduled) || life.is_stopped();
    if job.state.kind() == State::Enabled && !is_alive {
        return Err("the job is enabled and nothing will ever wake it".to_owned());
    }
    let mut from = Timestamp::MIN;
    for epoch in &life.epochs {
        let to = epoch.to.unwrap_or(job.progress.accounted);
        from = from.max(epoch.from);
        for nominal in epoch.timetable.occurrences(from.saturating_add(1)..to.saturating_add(1)) {
            let times = accounted.iter().filter(|range| range.contains(&nominal)).count();
            let is_open = job.progress.open.iter().chain(&life.beside).any(|open| open.nominal == nominal);
            if times > 1 || (times == 0 && !is_open) {
                return Err(format!("{nominal} is accounted for {times} times"));
            }
        }
        from = from.max(to);
    }
    Ok(())
}

/// The nominal times in the record, as ranges, each as long as the record says.
fn accounted(life: &Life) -> Result<Vec<RangeInclusive<Timestamp>>, String> {
    let mut accounted = Vec::new();
    let mut last_started = None;
    for entry in &life.ledger {
        match *entry {
            Entry::Started(nominal) => {
                if last_started.is_some_and(|last| nominal <= last) {
                    return Err(format!("{nominal} was started although a later one was"));
                }
                last_started = Some(nominal);
                accounted.push(nominal..=nominal);
            }
            Entry::NotRun(NotRun { first, last, number, .. }) => {
                let range = first..last.saturating_add(1);
                if !life.epochs.iter().any(|epoch| epoch.timetable.count(range.clone()) == number) {
                    return Err(format!("{number} is not how many lie from {first} to {last}"));
                }
                // The rest of an occurrence that a stop cut short is recorded with what came due behind it.
                let is_rest = accounted.contains(&(first..=first));
                accounted.push(first.saturating_add(i64::from(is_rest))..=last);
            }
        }
    }
    Ok(accounted)
}
