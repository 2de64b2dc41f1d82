//! What happens when two things happen to a job at once.

use insta::assert_snapshot;
use punctual_model::dispatch::{DispatchBeside, InFlight, dispatch_beside};
use punctual_model::job::State;
use punctual_model::options::{CatchUp, OptionsParts, Overlap};
use punctual_model::recurrence::{Frequency, Parts};
use punctual_model::retry::RetryKind;
use punctual_model::time::{DateTime, Start};

use crate::life::{Entry, Life, at, error_action, every, job, options, recurrence, retry, verdict, without_secrets};

const NOON: Option<&str> = Some("2026-01-01T12:00Z");

fn minutely() -> Parts {
    every(Frequency::Minute, 1)
}

fn counted(count: i64) -> Parts {
    Parts { count: Some(count), ..minutely() }
}

fn ending(end: &str) -> Parts {
    Parts { end_time: Some(DateTime::parse(end).unwrap()), ..minutely() }
}

#[test]
fn a_one_time_job_whose_time_fell_into_a_stop_runs_when_it_is_enabled() {
    let mut life = Life::new("2026-01-01T11:00Z");
    life.put(job(NOON, None)).collection(false).next_takes(1, true).clock("2026-01-01T14:00Z").collection(true);
    life.next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T11:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T11:00:00Z collection disabled
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:00Z not started
      Enabled: nothing open
    2026-01-01T14:00:00Z collection enabled
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T14:00:00Z (repeat 1, retry 0)
    2026-01-01T14:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T14:00:00Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn a_collection_that_is_enabled_after_the_end_of_a_job_ends_it() {
    let mut life = Life::new("2026-01-01T11:00Z");
    life.put(job(NOON, Some(ending("2026-01-01T12:01Z")))).collection(false).next_takes(1, true);
    life.clock("2026-01-01T14:00Z").collection(true);
    assert_snapshot!(life.log, @"
    2026-01-01T11:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T11:00:00Z collection disabled
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:00Z not started
      Enabled: nothing open
    2026-01-01T14:00:00Z collection enabled
      not run: 2 from 2026-01-01T12:00:00Z to 2026-01-01T12:01:00Z, disabled
      Completed: nothing open
    ");
}

#[test]
fn a_retry_that_waits_does_not_survive_a_stop_of_the_collection() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(NOON, Some(counted(1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 4));
    life.put(wanted).next_takes(1, false).collection(false).clock("2026-01-01T12:00:10Z").collection(true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      warning: action.retryPolicy: retrying takes up to 120 seconds; an occurrence that fails each time keeps 2 from running
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:31Z (repeat 1, retry 1)
    2026-01-01T12:00:01Z collection disabled
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:31Z (repeat 1, retry 1)
    2026-01-01T12:00:10Z collection enabled
      not run: 1 from 2026-01-01T12:00:00Z to 2026-01-01T12:00:00Z, disabled
      Faulted: nothing open
    ");
}

#[test]
fn an_occurrence_that_a_stop_cut_short_is_counted() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(NOON, Some(counted(1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 4));
    life.put(wanted).next_takes(1, false).switch(State::Disabled).clock("2026-01-01T12:05Z").switch(State::Enabled);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      warning: action.retryPolicy: retrying takes up to 120 seconds; an occurrence that fails each time keeps 2 from running
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:31Z (repeat 1, retry 1)
    2026-01-01T12:00:01Z put: Changed
      not run: 1 from 2026-01-01T12:00:00Z to 2026-01-01T12:00:00Z, disabled
      Disabled: nothing open
    2026-01-01T12:05:00Z put: Changed
      Faulted: nothing open
    ");
}

#[test]
fn an_error_action_that_an_edit_took_away_is_not_made() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(NOON, Some(minutely()));
    wanted.action.error = Some(error_action("https://example.com/error"));
    life.put(wanted).next_takes(1, false).patch(|job| job.action.error = None).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: ErrorAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:01Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z put: Changed
      Enabled: ErrorAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:01Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z not started
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn nothing_comes_due_behind_the_last_occurrence_that_count_allows() {
    for changes in [false, true] {
        let mut life = Life::new("2026-01-01T12:00Z");
        let mut wanted = job(NOON, Some(counted(1)));
        wanted.action.retry = Some(retry(RetryKind::Fixed, 20));
        life.put(wanted);
        for _ in 0..20 {
            life.next_takes(60, false).end_day();
        }
        if changes {
            life.patch(|job| job.recurrence = Some(recurrence(&every(Frequency::Hour, 1))));
        }
        life.next_takes(1, true);
        assert_eq!(life.ledger, [Entry::Started(at("2026-01-01T12:00Z"))], "{}", life.log);
    }
}

#[test]
fn the_end_of_a_day_leaves_a_backlog_as_it_is() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(NOON, Some(minutely()));
    wanted.options = options(OptionsParts { catch_up: Some(CatchUp::All), ..OptionsParts::default() });
    life.put(wanted).clock("2026-01-01T12:05:30Z");
    life.next_takes(0, true).next_takes(0, true).end_day();
    (0..5).for_each(|_| _ = life.next_takes(0, true));
    let minutes = (0..=5).map(|minute| Entry::Started(at(&format!("2026-01-01T12:0{minute}Z"))));
    assert_eq!(life.ledger, minutes.collect::<Vec<_>>(), "{}", life.log);
}

#[test]
fn what_a_manual_run_waits_for() {
    for (overlap, scheduled, asked_for, has_waited, waits) in [
        (Overlap::Skip, 0, 0, false, false),
        (Overlap::Skip, 1, 0, false, true),
        (Overlap::Skip, 0, 1, false, true),
        (Overlap::Skip, 1, 0, true, false),
        (Overlap::Skip, 0, 1, true, true),
        (Overlap::Allow, 100, 0, false, false),
        (Overlap::Allow, 0, 1, false, true),
        (Overlap::Allow, 100, 1, true, true),
    ] {
        let mut life = Life::new("2026-01-01T12:00Z");
        let mut wanted = job(NOON, Some(minutely()));
        wanted.options = options(OptionsParts { overlap: Some(overlap), ..OptionsParts::default() });
        life.put(wanted).run_by_hand();
        let in_flight = InFlight { scheduled, asked_for };
        let decided = life.with_terms(|terms, _| dispatch_beside(terms, &life.beside[0], in_flight, has_waited));
        let expected = if waits { DispatchBeside::Wait } else { DispatchBeside::Run };
        assert_eq!(decided, expected, "{overlap:?}, {in_flight:?}, has waited: {has_waited}");
    }
}

#[test]
fn a_manual_run_neither_keeps_a_job_alive_nor_decides_its_end() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(NOON, Some(counted(1))));
    let started = life.begin().unwrap();
    life.run_by_hand();
    assert!(life.begin_beside(InFlight { scheduled: 1, asked_for: 0 }).is_none());
    life.clock("2026-01-01T12:00:05Z").end(started, verdict(true));
    let by_hand = life.begin_beside(InFlight::default()).unwrap();
    life.clock("2026-01-01T12:00:09Z").end(by_hand, verdict(false));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:00Z run by hand
    2026-01-01T12:00:00Z waits for the wire
    2026-01-01T12:00:05Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Completed: nothing open
    2026-01-01T12:00:09Z manual 1, MainAction for 2026-01-01T12:00:00Z, repeat 0, retry 0, started 2026-01-01T12:00:05Z: failed
      Completed: nothing open
    ");
    assert_snapshot!(format!("{:?}", life.counters), @"Counters { executions: 2, failures: 1, faulted: 1, last_started: Some(2026-01-01T12:00:05Z) }");
}

#[test]
fn an_edit_does_not_end_a_job_whose_occurrences_still_run() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(NOON, Some(minutely()));
    wanted.options = options(OptionsParts { overlap: Some(Overlap::Allow), ..OptionsParts::default() });
    let started = life.put(wanted).begin().unwrap();
    life.clock("2026-01-01T12:00:40Z");
    life.patch(|job| job.recurrence = Some(recurrence(&ending("2026-01-01T12:00:30Z"))));
    life.clock("2026-01-01T12:00:50Z").end(started, verdict(false));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:40Z put: Changed
      warning: recurrence.endTime: no occurrence is left up to 2026-01-01T12:00:30Z
      Enabled: nothing open
    2026-01-01T12:00:50Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Faulted: nothing open
    ");
}

#[test]
fn a_single_run_that_an_edit_asks_for_while_another_runs_is_made_after_it() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let started = life.put(job(NOON, Some(minutely()))).begin().unwrap();
    life.clock("2026-01-01T12:00:05Z").patch(|job| {
        job.start = Some(Start::at(at("2026-01-01T12:00:20Z")));
        job.recurrence = None;
    });
    life.clock("2026-01-01T12:00:30Z").end(started, verdict(true)).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:05Z put: Rescheduled
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:30Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:00:20Z at 2026-01-01T12:00:30Z (repeat 1, retry 0)
    2026-01-01T12:00:31Z MainAction for 2026-01-01T12:00:20Z, repeat 1, retry 0, started 2026-01-01T12:00:30Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn an_answer_for_a_row_that_has_moved_on_changes_nothing() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let started = life.put(job(NOON, Some(minutely()))).begin().unwrap();
    life.clock("2026-01-01T12:00:05Z").end(started, verdict(true)).end(started, verdict(false));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:05Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    2026-01-01T12:00:05Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
    2026-01-01T12:00:05Z a duplicate delivery
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    ");
    assert_eq!(life.counters.executions, 1);
}

#[test]
fn a_missed_one_that_was_decided_to_run_runs_however_long_it_waits() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(NOON, Some(minutely()))).next_takes(1, true).clock("2026-01-01T12:10:01Z");
    assert!(life.begin().is_none());
    life.clock("2026-01-01T12:15Z").next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    2026-01-01T12:10:01Z not started
      not run: 9 from 2026-01-01T12:01:00Z to 2026-01-01T12:09:00Z, missed
      Enabled: MainAction for 2026-01-01T12:10:00Z at 2026-01-01T12:10:01Z (repeat 2, retry 0)
    2026-01-01T12:15:01Z MainAction for 2026-01-01T12:10:00Z, repeat 2, retry 0, started 2026-01-01T12:15:00Z: succeeded
      not run: 5 from 2026-01-01T12:11:00Z to 2026-01-01T12:15:00Z, overlap
      Enabled: MainAction for 2026-01-01T12:16:00Z at 2026-01-01T12:16:00Z (repeat 3, retry 0)
    ");
}

#[test]
fn what_comes_due_behind_a_long_attempt_is_recorded_before_it_ends() {
    let mut life = Life::new("2026-01-01T23:58Z");
    let started = life.put(job(Some("2026-01-01T23:58Z"), Some(minutely()))).begin().unwrap();
    let progress = life.job.as_ref().unwrap().progress;
    let midnight = at("2026-01-02T00:00Z");
    let (accounted, not_run) = life.with_terms(|terms, _| progress.account(terms, midnight));
    assert_snapshot!(format!("{not_run:?}"), @"Some(NotRun { first: 2026-01-01T23:59:00Z, last: 2026-01-02T00:00:00Z, number: 2, reason: Overlap })");
    life.job.as_mut().unwrap().progress = accounted;
    life.clock("2026-01-02T00:01:30Z").end(started, verdict(true));
    assert_snapshot!(life.log, @"
    2026-01-01T23:58:00Z put: Created
      Enabled: MainAction for 2026-01-01T23:58:00Z at 2026-01-01T23:58:00Z (repeat 1, retry 0)
    2026-01-02T00:01:30Z MainAction for 2026-01-01T23:58:00Z, repeat 1, retry 0, started 2026-01-01T23:58:00Z: succeeded
      not run: 1 from 2026-01-02T00:01:00Z to 2026-01-02T00:01:00Z, overlap
      Enabled: MainAction for 2026-01-02T00:02:00Z at 2026-01-02T00:02:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn the_next_run_is_never_that_of_a_retry() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let next = |life: &Life| {
        let progress = life.job.as_ref().unwrap().progress;
        format!("{:?}", life.with_terms(|terms, now| progress.next_nominal(terms, now)))
    };
    let mut wanted = job(NOON, Some(counted(2)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
    life.put(wanted);
    let mut told = vec![next(&life)];
    life.next_takes(1, false);
    told.push(next(&life));
    life.next_takes(1, false).next_takes(1, false);
    told.push(next(&life));
    life.switch(State::Disabled);
    told.push(next(&life));
    assert_snapshot!(told.join("\n"), @"
    Some(2026-01-01T12:00:00Z)
    Some(2026-01-01T12:01:00Z)
    None
    None
    ");
}

#[test]
fn a_job_that_has_ended_is_written_back_as_it_was_read() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, None)).next_takes(1, false);
    let read = without_secrets(&life.job.as_ref().unwrap().definition);
    for state in [None, Some(State::Enabled), Some(State::Faulted), Some(State::Completed), Some(State::Disabled)] {
        life.put_as(read.clone(), state);
    }
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Faulted: nothing open
    2026-01-01T12:00:01Z put: Unchanged
      warning: state: the job is Faulted, and writing it again runs nothing: delete it first
      Faulted: nothing open
    2026-01-01T12:00:01Z put: Unchanged
      warning: state: the job is Faulted, and writing it again runs nothing: delete it first
      Faulted: nothing open
    2026-01-01T12:00:01Z put: Unchanged
      warning: state: the job is Faulted, and writing it again runs nothing: delete it first
      Faulted: nothing open
    2026-01-01T12:00:01Z put: refused, the job is Faulted
    2026-01-01T12:00:01Z put: refused, the job is Faulted
    ");
    life = Life::new("2026-01-01T12:00Z");
    life.put_as(job(None, None), Some(State::Completed));
    assert_snapshot!(life.log, @"2026-01-01T12:00:00Z put: refused, state: given Completed, expected Enabled or Disabled; a job ends by itself");
}

#[test]
fn a_single_run_becomes_a_series_from_its_own_start() {
    let mut life = Life::new("2026-01-01T12:34Z");
    life.put_as(job(Some("2026-01-01T00:00Z"), None), Some(State::Disabled));
    life.patch(|job| job.recurrence = Some(recurrence(&every(Frequency::Day, 1)))).switch(State::Enabled);
    assert_snapshot!(life.log, @"
    2026-01-01T12:34:00Z put: Created
      Disabled: nothing open
    2026-01-01T12:34:00Z put: Rescheduled
      not run: 1 from 2026-01-01T12:34:00Z to 2026-01-01T12:34:00Z, disabled
      Disabled: nothing open
    2026-01-01T12:34:00Z put: Changed
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    ");
}

#[test]
fn a_run_asked_for_now_comes_also_if_the_clock_went_back() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(NOON, Some(minutely()))).next_takes(1, true).clock("2026-01-01T11:00Z").put(job(None, None));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    2026-01-01T11:00:00Z put: Rescheduled
      Enabled: MainAction for 2026-01-01T12:00:00.0000001Z at 2026-01-01T12:00:00.0000001Z (repeat 1, retry 0)
    ");
}

#[test]
fn a_retry_does_not_wait_a_day_because_the_clock_went_back_one() {
    let mut life = Life::new("2026-01-02T12:00Z");
    let mut wanted = job(Some("2026-01-02T12:00Z"), Some(minutely()));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
    life.put(wanted).next_takes(1, false).clock("2026-01-01T12:00Z");
    let open = life.job.as_ref().unwrap().progress.open.unwrap();
    // An hour at most: so long a target may have asked to be left alone.
    assert_eq!(life.with_terms(|terms, now| terms.wake_at_latest(&open, now)), at("2026-01-01T13:00Z"));
    life.clock("2026-01-02T12:00:02Z");
    assert_eq!(life.with_terms(|terms, now| terms.wake_at_latest(&open, now)), open.wake_at);
}
