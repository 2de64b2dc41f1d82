//! What is run once more.

use insta::assert_snapshot;
use punctual_model::dispatch::InFlight;
use punctual_model::history::{NotRun, Reason, Record, Status};
use punctual_model::job::State;
use punctual_model::occurrence::{Occurrence, Origin, Original, Phase};
use punctual_model::recurrence::Frequency;
use punctual_model::retry::RetryKind;
use punctual_model::settle::Verdict;

use crate::life::{Life, UID, at, error_action, every, job, retry};

const FAILED: Verdict = Verdict::Failed { retry_after_ticks: None };

fn record(origin: Origin, status: Status) -> Record {
    let occurrence = Occurrence::asked_for(origin, at("2026-01-01T12:00Z"), at("2026-01-01T12:00Z"));
    Record {
        started: at("2026-01-01T12:00:01Z"),
        ended: at("2026-01-01T12:00:02Z"),
        occurrence: occurrence.id(UID),
        origin,
        phase: Phase::Main,
        retry: 3,
        repeat: 5,
        status,
        is_resent: false,
        retry_at: None,
        message: String::new(),
        failure: None,
    }
}

#[test]
fn it_is_the_same_occurrence_from_its_first_attempt_on() {
    let (nominal, now) = (at("2026-01-01T12:00Z"), at("2026-01-02T09:00Z"));
    for origin in [Origin::Schedule, Origin::Manual(7), Origin::Backfill, Origin::Rerun(Original::Manual(7))] {
        for status in [Status::Failed(nominal), Status::Completed(nominal)] {
            let record = record(origin, status);
            let again = record.rerun(now).unwrap();
            assert_eq!(again.id(UID), record.occurrence, "{origin:?}");
            assert_eq!((again.nominal, again.attempt, again.repeat, again.wake_at), (nominal, 0, 5, now));
            assert!(again.is_rerun() && again.is_untried());
        }
    }
}

#[test]
fn what_was_not_attempted_and_trials_are_not_run_again() {
    let (nominal, now) = (at("2026-01-01T12:00Z"), at("2026-01-02T09:00Z"));
    let not_run = Status::Postponed(NotRun::one(nominal, Reason::Missed));
    assert_eq!(record(Origin::Schedule, not_run).rerun(now), None);
    assert_eq!(record(Origin::Test, Status::Failed(nominal)).rerun(now), None);
}

#[test]
fn the_schedule_does_not_notice_but_the_counters_do() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(every(Frequency::Hour, 1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
    wanted.action.error = Some(error_action("https://example.com/error"));
    life.put(wanted);
    let first = life.job.as_ref().unwrap().progress.open.unwrap();
    life.next_takes(1, true);
    let before = life.job.as_ref().unwrap().progress;
    life.run_again(&first);
    for verdict in [FAILED, FAILED, Verdict::Succeeded] {
        life.now = life.beside.last().unwrap().wake_at;
        let started = life.begin_beside(InFlight::default()).unwrap();
        life.end(started, verdict);
    }
    assert_eq!(life.job.as_ref().unwrap().progress, before, "last_failed, too");
    assert!(life.beside.is_empty());
    assert_eq!((life.counters.executions, life.counters.failures, life.counters.faulted), (3, 2, 1));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    2026-01-01T12:00:01Z run again
    2026-01-01T12:00:01Z again, MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:01Z: failed
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    2026-01-01T12:00:31Z again, MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 1, started 2026-01-01T12:00:31Z: failed
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    2026-01-01T12:00:31Z again, ErrorAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:31Z: succeeded
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn one_that_has_ended_stays_as_it_ended() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, None));
    let only = life.job.as_ref().unwrap().progress.open.unwrap();
    life.next_takes(1, false);
    assert_eq!(life.job.as_ref().unwrap().state.kind(), State::Faulted);
    life.run_again(&only);
    assert!(life.begin_beside(InFlight { scheduled: 1, asked_for: 0 }).is_none(), "it waits for the wire");
    let started = life.begin_beside(InFlight::default()).unwrap();
    life.end(started, Verdict::Succeeded);
    assert_eq!(life.job.as_ref().unwrap().state.kind(), State::Faulted);
}
