//! Each sentence of how a job is executed, as a life that shows it.

use insta::assert_snapshot;
use punctual_model::collection::Sku;
use punctual_model::dispatch::InFlight;
use punctual_model::occurrence::{Occurrence, Origin, Phase};
use punctual_model::options::{CatchUp, OptionsParts, Overlap, StatusRange, Success};
use punctual_model::recurrence::{Frequency, Parts};
use punctual_model::retry::{Retries, RetryKind, RetryPolicy, retry_interval_ticks_default};
use punctual_model::settle::Verdict;
use punctual_model::time::{TICKS_PER_HOUR, TICKS_PER_SECOND};

use crate::life::{Life, UID, at, error_action, every, job, options, recurrence, retry, span, verdict};

fn minutely() -> Parts {
    every(Frequency::Minute, 1)
}

#[test]
fn four_retries_of_thirty_seconds_are_the_default_and_suppress_occurrences() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(minutely()));
    wanted.action.retry = None;
    life.put(wanted);
    for _ in 0..5 {
        life.next_takes(1, false);
    }
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:31Z (repeat 1, retry 1)
    2026-01-01T12:00:32Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 1, started 2026-01-01T12:00:31Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:01:02Z (repeat 1, retry 2)
    2026-01-01T12:01:03Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 2, started 2026-01-01T12:01:02Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:01:33Z (repeat 1, retry 3)
    2026-01-01T12:01:34Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 3, started 2026-01-01T12:01:33Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:02:04Z (repeat 1, retry 4)
    2026-01-01T12:02:05Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 4, started 2026-01-01T12:02:04Z: failed
      not run: 2 from 2026-01-01T12:01:00Z to 2026-01-01T12:02:00Z, overlap
      Enabled: MainAction for 2026-01-01T12:03:00Z at 2026-01-01T12:03:00Z (repeat 2, retry 0)
    ");
    assert_snapshot!(format!("{:?}", life.counters), @"Counters { executions: 5, failures: 5, faulted: 1, last_started: Some(2026-01-01T12:02:04Z) }");
}

#[test]
fn the_error_action_follows_the_last_failed_attempt() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(every(Frequency::Hour, 1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
    wanted.action.error = Some(error_action("https://example.com/error"));
    wanted.action.error.as_mut().unwrap().retry = None;
    life.put(wanted).next_takes(1, false).next_takes(1, false).next_takes(1, false).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:31Z (repeat 1, retry 1)
    2026-01-01T12:00:32Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 1, started 2026-01-01T12:00:31Z: failed
      Enabled: ErrorAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:32Z (repeat 1, retry 0)
    2026-01-01T12:00:33Z ErrorAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:32Z: failed
      Enabled: ErrorAction for 2026-01-01T12:00:00Z at 2026-01-01T12:01:03Z (repeat 1, retry 1)
    2026-01-01T12:01:04Z ErrorAction for 2026-01-01T12:00:00Z, repeat 1, retry 1, started 2026-01-01T12:01:03Z: succeeded
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    ");
    assert_snapshot!(format!("{:?}", life.counters), @"Counters { executions: 2, failures: 2, faulted: 1, last_started: Some(2026-01-01T12:00:31Z) }");
}

#[test]
fn exponential_retries_double_up_to_a_longest() {
    let policy =
        RetryPolicy::new(Some(RetryKind::Exponential), Some(span("PT15S")), Some(span("PT2M")), Some(6)).unwrap();
    let retries = Retries::new(Some(&policy), retry_interval_ticks_default(None));
    let delays: Vec<_> = (0..retries.count).map(|attempt| retries.delay_ticks(attempt) / TICKS_PER_SECOND).collect();
    assert_snapshot!(format!("{delays:?}"), @"[15, 30, 60, 120, 120, 120]");
}

#[test]
fn a_wish_of_the_target_moves_the_retry_by_an_hour_at_most() {
    for (asked, wake) in [(10, "2026-01-01T12:00:30Z"), (300, "2026-01-01T12:05:00Z"), (86_400, "2026-01-01T13:00:00Z")]
    {
        let mut life = Life::new("2026-01-01T12:00Z");
        let mut wanted = job(None, None);
        wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
        let started = life.put(wanted).begin().unwrap();
        life.end(started, Verdict::Failed { retry_after_ticks: Some(asked * TICKS_PER_SECOND) });
        assert_eq!(life.job.unwrap().progress.open.unwrap().wake_at, at(wake));
    }
}

#[test]
fn what_cannot_succeed_is_not_retried() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(every(Frequency::Hour, 1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 4));
    let started = life.put(wanted).begin().unwrap();
    life.end(started, Verdict::CannotSucceed);
    let job = life.job.unwrap();
    assert_eq!(job.progress.open.map(|open| (open.nominal, open.attempt)), Some((at("2026-01-01T13:00:00Z"), 0)));
    let counters = life.counters;
    assert_eq!((counters.executions, counters.failures, counters.faulted), (1, 1, 1));
}

#[test]
fn a_job_ends_completed_or_faulted_by_its_last_attempt() {
    let twice = Some(Parts { count: Some(2), ..every(Frequency::Hour, 1) });
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, twice.clone())).next_takes(1, false).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    2026-01-01T13:00:01Z MainAction for 2026-01-01T13:00:00Z, repeat 2, retry 0, started 2026-01-01T13:00:00Z: succeeded
      Completed: nothing open
    ");
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, twice);
    wanted.action.error = Some(error_action("https://example.com/error"));
    life.put(wanted).next_takes(1, true).next_takes(1, false).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    2026-01-01T13:00:01Z MainAction for 2026-01-01T13:00:00Z, repeat 2, retry 0, started 2026-01-01T13:00:00Z: failed
      Enabled: ErrorAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:01Z (repeat 2, retry 0)
    2026-01-01T13:00:02Z ErrorAction for 2026-01-01T13:00:00Z, repeat 2, retry 0, started 2026-01-01T13:00:01Z: succeeded
      Faulted: nothing open
    ");
}

#[test]
fn what_comes_due_while_another_runs_is_skipped_and_recorded() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, Some(minutely()))).next_takes(210, true).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:03:30Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      not run: 3 from 2026-01-01T12:01:00Z to 2026-01-01T12:03:00Z, overlap
      Enabled: MainAction for 2026-01-01T12:04:00Z at 2026-01-01T12:04:00Z (repeat 2, retry 0)
    2026-01-01T12:04:01Z MainAction for 2026-01-01T12:04:00Z, repeat 2, retry 0, started 2026-01-01T12:04:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:05:00Z at 2026-01-01T12:05:00Z (repeat 3, retry 0)
    ");
}

#[test]
fn count_counts_what_the_schedule_started_and_nothing_else() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, Some(Parts { count: Some(2), ..every(Frequency::Minute, 1) }))).next_takes(210, true);
    life.run_by_hand();
    let started = life.begin_beside(InFlight::default()).unwrap();
    life.end(started, verdict(true)).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:03:30Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      not run: 3 from 2026-01-01T12:01:00Z to 2026-01-01T12:03:00Z, overlap
      Enabled: MainAction for 2026-01-01T12:04:00Z at 2026-01-01T12:04:00Z (repeat 2, retry 0)
    2026-01-01T12:03:30Z run by hand
    2026-01-01T12:03:30Z manual 1, MainAction for 2026-01-01T12:03:30Z, repeat 0, retry 0, started 2026-01-01T12:03:30Z: succeeded
      Enabled: MainAction for 2026-01-01T12:04:00Z at 2026-01-01T12:04:00Z (repeat 2, retry 0)
    2026-01-01T12:04:01Z MainAction for 2026-01-01T12:04:00Z, repeat 2, retry 0, started 2026-01-01T12:04:00Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn occurrences_may_overlap_where_the_user_allows_it() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(Parts { count: Some(2), ..every(Frequency::Minute, 1) }));
    wanted.options = options(OptionsParts { overlap: Some(Overlap::Allow), ..OptionsParts::default() });
    life.put(wanted);
    let first = life.begin().unwrap();
    life.clock("2026-01-01T12:01Z");
    let second = life.begin().unwrap();
    life.clock("2026-01-01T12:03Z").end(second, verdict(true)).end(first, verdict(true));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:03:00Z MainAction for 2026-01-01T12:01:00Z, repeat 2, retry 0, started 2026-01-01T12:01:00Z: succeeded
      Enabled: nothing open
    2026-01-01T12:03:00Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn a_hundred_may_be_open_at_once_and_no_more() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(minutely()));
    wanted.options = options(OptionsParts { overlap: Some(Overlap::Allow), ..OptionsParts::default() });
    life.put(wanted);
    for _ in 0..100 {
        assert!(life.begin().unwrap().is_beside);
        life.now = life.job.as_ref().unwrap().progress.open.unwrap().wake_at;
    }
    assert!(life.begin().is_none());
    assert_snapshot!(life.log.lines().skip(2).collect::<Vec<_>>().join("\n"), @"
    2026-01-01T13:40:00Z not started
      not run: 1 from 2026-01-01T13:40:00Z to 2026-01-01T13:40:00Z, overlap
      Enabled: MainAction for 2026-01-01T13:41:00Z at 2026-01-01T13:41:00Z (repeat 101, retry 0)
    ");
}

fn down_for_ten_minutes(catch_up: OptionsParts, back: &str) -> Life {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(minutely()));
    wanted.options = options(catch_up);
    life.put(wanted).next_takes(1, true).clock(back);
    life
}

#[test]
fn after_downtime_the_last_missed_one_runs_once() {
    let mut life = down_for_ten_minutes(OptionsParts::default(), "2026-01-01T12:10:05Z");
    life.next_takes(1, true).next_takes(1, true).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    2026-01-01T12:10:05Z not started
      not run: 9 from 2026-01-01T12:01:00Z to 2026-01-01T12:09:00Z, missed
      Enabled: MainAction for 2026-01-01T12:10:00Z at 2026-01-01T12:10:05Z (repeat 2, retry 0)
    2026-01-01T12:10:06Z MainAction for 2026-01-01T12:10:00Z, repeat 2, retry 0, started 2026-01-01T12:10:05Z: succeeded
      Enabled: MainAction for 2026-01-01T12:11:00Z at 2026-01-01T12:11:00Z (repeat 3, retry 0)
    2026-01-01T12:11:01Z MainAction for 2026-01-01T12:11:00Z, repeat 3, retry 0, started 2026-01-01T12:11:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:12:00Z at 2026-01-01T12:12:00Z (repeat 4, retry 0)
    ");
}

#[test]
fn after_downtime_all_missed_ones_walk_in_order() {
    let all = OptionsParts {
        catch_up: Some(CatchUp::All),
        catch_up_max: Some(3),
        catch_up_spacing: Some(span("PT10S")),
        ..OptionsParts::default()
    };
    let mut life = down_for_ten_minutes(all, "2026-01-01T12:10:05Z");
    for _ in 0..5 {
        life.next_takes(1, true);
    }
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    2026-01-01T12:10:05Z not started
      not run: 7 from 2026-01-01T12:01:00Z to 2026-01-01T12:07:00Z, missed
      Enabled: MainAction for 2026-01-01T12:08:00Z at 2026-01-01T12:10:05Z (repeat 2, retry 0)
    2026-01-01T12:10:06Z MainAction for 2026-01-01T12:08:00Z, repeat 2, retry 0, started 2026-01-01T12:10:05Z: succeeded
      Enabled: MainAction for 2026-01-01T12:09:00Z at 2026-01-01T12:10:15Z (repeat 3, retry 0)
    2026-01-01T12:10:16Z MainAction for 2026-01-01T12:09:00Z, repeat 3, retry 0, started 2026-01-01T12:10:15Z: succeeded
      Enabled: MainAction for 2026-01-01T12:10:00Z at 2026-01-01T12:10:25Z (repeat 4, retry 0)
    2026-01-01T12:10:26Z MainAction for 2026-01-01T12:10:00Z, repeat 4, retry 0, started 2026-01-01T12:10:25Z: succeeded
      Enabled: MainAction for 2026-01-01T12:11:00Z at 2026-01-01T12:11:00Z (repeat 5, retry 0)
    2026-01-01T12:11:01Z MainAction for 2026-01-01T12:11:00Z, repeat 5, retry 0, started 2026-01-01T12:11:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:12:00Z at 2026-01-01T12:12:00Z (repeat 6, retry 0)
    ");
}

#[test]
fn after_downtime_none_runs_but_what_is_only_late() {
    let none = OptionsParts { catch_up: Some(CatchUp::None), ..OptionsParts::default() };
    let mut life = down_for_ten_minutes(none.clone(), "2026-01-01T12:10:05Z");
    life.next_takes(1, true).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    2026-01-01T12:10:05Z not started
      not run: 9 from 2026-01-01T12:01:00Z to 2026-01-01T12:09:00Z, missed
      Enabled: MainAction for 2026-01-01T12:10:00Z at 2026-01-01T12:10:05Z (repeat 2, retry 0)
    2026-01-01T12:10:06Z MainAction for 2026-01-01T12:10:00Z, repeat 2, retry 0, started 2026-01-01T12:10:05Z: succeeded
      Enabled: MainAction for 2026-01-01T12:11:00Z at 2026-01-01T12:11:00Z (repeat 3, retry 0)
    ");
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(every(Frequency::Hour, 1)));
    wanted.options = options(none);
    life.put(wanted).next_takes(1, true).clock("2026-01-01T14:01:01Z").next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    2026-01-01T14:01:01Z not started
      not run: 2 from 2026-01-01T13:00:00Z to 2026-01-01T14:00:00Z, missed
      Enabled: MainAction for 2026-01-01T15:00:00Z at 2026-01-01T15:00:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn a_minute_late_is_only_late() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, Some(every(Frequency::Hour, 1)))).next_takes(1, true).clock("2026-01-01T13:01Z");
    life.next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:00Z (repeat 2, retry 0)
    2026-01-01T13:01:01Z MainAction for 2026-01-01T13:00:00Z, repeat 2, retry 0, started 2026-01-01T13:01:00Z: succeeded
      Enabled: MainAction for 2026-01-01T14:00:00Z at 2026-01-01T14:00:00Z (repeat 3, retry 0)
    ");
}

#[test]
fn a_clock_that_goes_back_brings_no_nominal_time_twice() {
    let mut life = Life::new("2026-01-02T12:00Z");
    life.put(job(Some("2026-01-01T00:00Z"), Some(every(Frequency::Hour, 1)))).next_takes(1, true);
    life.clock("2026-01-01T06:00Z").patch(|job| job.recurrence = Some(recurrence(&every(Frequency::Hour, 2))));
    assert_snapshot!(life.log, @"
    2026-01-02T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T13:00:00Z at 2026-01-02T13:00:00Z (repeat 1, retry 0)
    2026-01-02T13:00:01Z MainAction for 2026-01-02T13:00:00Z, repeat 1, retry 0, started 2026-01-02T13:00:00Z: succeeded
      Enabled: MainAction for 2026-01-02T14:00:00Z at 2026-01-02T14:00:00Z (repeat 2, retry 0)
    2026-01-01T06:00:00Z put: Rescheduled
      Enabled: MainAction for 2026-01-02T14:00:00Z at 2026-01-02T14:00:00Z (repeat 1, retry 0)
    ");
}

#[test]
fn jitter_moves_the_start_and_never_the_nominal_time() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(Some("2026-01-01T12:00Z"), Some(every(Frequency::Hour, 1)));
    wanted.options = options(OptionsParts { jitter: Some(span("PT10M")), ..OptionsParts::default() });
    life.put(wanted).next_takes(1, true).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:05:00Z (repeat 1, retry 0)
    2026-01-01T12:05:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:05:00Z: succeeded
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:05:00Z (repeat 2, retry 0)
    2026-01-01T13:05:01Z MainAction for 2026-01-01T13:00:00Z, repeat 2, retry 0, started 2026-01-01T13:05:00Z: succeeded
      Enabled: MainAction for 2026-01-01T14:00:00Z at 2026-01-01T14:05:00Z (repeat 3, retry 0)
    ");
    let mut wanted = job(Some("2026-01-01T13:00Z"), Some(minutely()));
    wanted.options = options(OptionsParts { jitter: Some(span("PT10M")), ..OptionsParts::default() });
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(wanted);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T13:00:00Z at 2026-01-01T13:00:30Z (repeat 1, retry 0)
    ");
}

#[test]
fn an_occurrence_has_the_same_id_wherever_it_is_computed() {
    let occurrence = |origin, phase| Occurrence {
        origin,
        nominal: at("2026-01-01T12:00Z"),
        phase,
        attempt: 0,
        wake_at: at("2026-01-01T12:00Z"),
        repeat: 1,
        series: 1,
        backlog_until: None,
    };
    let ids = [
        occurrence(Origin::Schedule, Phase::Main),
        occurrence(Origin::Schedule, Phase::Error),
        occurrence(Origin::Manual(1), Phase::Main),
        occurrence(Origin::Backfill, Phase::Main),
        occurrence(Origin::Test, Phase::Main),
    ];
    let ids: Vec<_> = ids.iter().map(|occurrence| occurrence.id(UID).to_string()).collect();
    assert_snapshot!(ids.join("\n"), @"
    37be68aa460e0d724ff693c3e4c0dd41
    a025148ca54b5477b51dbf207cdabd59
    095f42ebef8e47bfaa1424c05d1565c8
    726485d69f94a814f176090f3b01a92f
    49b21745af93a7a2703d10891325534a
    ");
}

#[test]
fn what_counts_as_success_is_2xx_unless_the_user_says_otherwise() {
    let success = |status: &[&str], body: Option<&str>| {
        let status = status.iter().map(|text| StatusRange::parse(text).unwrap()).collect();
        let success = Some(Success { status, body_contains: body.map(str::to_owned) });
        options(OptionsParts { success, ..OptionsParts::default() })
    };
    let choices = [
        ("default", options(OptionsParts::default())),
        ("200-204, 404", success(&["200-204", "404"], None)),
        ("3xx", success(&["3xx"], None)),
        ("body", success(&[], Some("done"))),
    ];
    let lines = choices.map(|(name, choice)| {
        let accepted =
            [200, 202, 205, 302, 404, 503].into_iter().filter(|status| Success::accepts(choice.success(), *status));
        format!("{name}: {:?}", accepted.collect::<Vec<_>>())
    });
    assert_snapshot!(lines.join("\n"), @r"
    default: [200, 202, 205]
    200-204, 404: [200, 202, 404]
    3xx: [302]
    body: [200, 202, 205]
    ");
}

#[test]
fn in_the_free_plan_attempts_are_an_hour_apart() {
    let policy = |interval: Option<&str>| RetryPolicy::new(None, interval.map(span), None, None).unwrap();
    let mut wanted = job(None, None).action;
    let mut told = Vec::new();
    for (main, error) in [(Some("PT59M"), Some("PT1H")), (None, Some("PT30S")), (Some("01:00:00"), None)] {
        wanted.retry = Some(policy(main));
        wanted.error = Some(error_action("https://example.com/error"));
        wanted.error.as_mut().unwrap().retry = Some(policy(error));
        told.push(format!(
            "{:?}",
            Sku::Free.check_retries(&wanted).iter().map(ToString::to_string).collect::<Vec<_>>()
        ));
        assert!(Sku::Standard.check_retries(&wanted).is_empty());
    }
    assert_snapshot!(told.join("\n"), @r#"
    ["retryPolicy.retryInterval: given PT59M, expected at least 1 hour in a Free collection"]
    ["errorAction.retryPolicy.retryInterval: given PT30S, expected at least 1 hour in a Free collection"]
    []
    "#);
    let defaults = [Some(Sku::Free), Some(Sku::Standard), None].map(retry_interval_ticks_default);
    assert_eq!(defaults, [TICKS_PER_HOUR, 30 * TICKS_PER_SECOND, 30 * TICKS_PER_SECOND]);
}
