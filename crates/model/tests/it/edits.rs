//! Each sentence of what an edit does, as a life that shows it.

use insta::assert_snapshot;
use punctual_model::action::{Authentication, Secret, Target};
use punctual_model::dispatch::InFlight;
use punctual_model::job::State;
use punctual_model::options::OptionsParts;
use punctual_model::recurrence::{Frequency, Parts, ScheduleParts};
use punctual_model::retry::RetryKind;
use punctual_model::time::Start;

use crate::life::{Life, at, call, error_action, every, job, options, recurrence, retry, span, verdict};

const START: Option<&str> = Some("2026-01-01T00:00Z");

fn daily() -> Parts {
    every(Frequency::Day, 1)
}

#[test]
fn a_redeploy_runs_nothing() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(daily()))).next_takes(1, true).clock("2026-01-02T12:00Z").put(job(START, Some(daily())));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: succeeded
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    2026-01-02T12:00:00Z put: Unchanged
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn a_redeploy_with_the_same_times_in_another_order_keeps_the_series() {
    let hours =
        |hours: Vec<i64>| Parts { schedule: Some(ScheduleParts { hours, ..ScheduleParts::default() }), ..daily() };
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(hours(vec![5, 17])))).next_takes(1, true).put(job(START, Some(hours(vec![17, 5, 5]))));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T17:00:00Z at 2026-01-01T17:00:00Z (repeat 1, retry 0)
    2026-01-01T17:00:01Z MainAction for 2026-01-01T17:00:00Z, repeat 1, retry 0, started 2026-01-01T17:00:00Z: succeeded
      Enabled: MainAction for 2026-01-02T05:00:00Z at 2026-01-02T05:00:00Z (repeat 2, retry 0)
    2026-01-01T17:00:01Z put: Changed
      Enabled: MainAction for 2026-01-02T05:00:00Z at 2026-01-02T05:00:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn another_action_keeps_anchor_repeat_and_next_run() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, Some(daily()))).next_takes(1, true).clock("2026-01-01T18:00Z");
    life.patch(|job| job.action = call("https://example.com/other"));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Enabled: MainAction for 2026-01-02T12:00:00Z at 2026-01-02T12:00:00Z (repeat 2, retry 0)
    2026-01-01T18:00:00Z put: Changed
      Enabled: MainAction for 2026-01-02T12:00:00Z at 2026-01-02T12:00:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn a_count_that_ends_the_series_with_what_is_open_records_what_came_due_behind_it() {
    let minutes = every(Frequency::Minute, 1);
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, Some(minutes.clone())));
    let started = life.begin().unwrap();
    life.clock("2026-01-01T12:02:30Z");
    life.patch(|job| job.recurrence = Some(recurrence(&Parts { count: Some(1), ..minutes })));
    life.clock("2026-01-01T12:04:30Z").end(started, verdict(true));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:02:30Z put: Changed
      not run: 2 from 2026-01-01T12:01:00Z to 2026-01-01T12:02:00Z, overlap
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:04:30Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn count_and_end_time_alone_keep_the_series() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(daily()))).next_takes(1, true);
    life.patch(|job| job.recurrence = Some(recurrence(&Parts { count: Some(2), ..daily() })));
    life.next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: succeeded
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    2026-01-02T00:00:01Z put: Changed
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    2026-01-03T00:00:01Z MainAction for 2026-01-03T00:00:00Z, repeat 2, retry 0, started 2026-01-03T00:00:00Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn an_end_that_moves_keeps_the_repeat_number() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let end = punctual_model::time::DateTime::parse("2026-02-01").unwrap();
    life.put(job(START, Some(daily()))).next_takes(1, true).next_takes(1, true);
    life.patch(|job| job.recurrence = Some(recurrence(&Parts { end_time: Some(end), ..daily() })));
    assert_snapshot!(life.log.lines().last().unwrap(), @"  Enabled: MainAction for 2026-01-04T00:00:00Z at 2026-01-04T00:00:00Z (repeat 3, retry 0)");
}

#[test]
fn an_end_that_leaves_nothing_ends_the_job() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let ends = |end: &str| Parts { end_time: Some(punctual_model::time::DateTime::parse(end).unwrap()), ..daily() };
    life.put(job(START, Some(daily()))).next_takes(1, false).clock("2026-01-02T12:00Z");
    life.patch(|job| job.recurrence = Some(recurrence(&ends("2026-01-02T00:00Z"))));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: failed
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    2026-01-02T12:00:00Z put: Changed
      warning: recurrence.endTime: no occurrence is left up to 2026-01-02T00:00:00Z
      Faulted: nothing open
    ");
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(ends("2025-12-31"))));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      warning: recurrence.endTime: no occurrence is left up to 2025-12-31T00:00:00Z
      Completed: nothing open
    ");
}

#[test]
fn another_recurrence_begins_a_new_series_from_the_old_anchor() {
    let mut life = Life::new("2026-01-01T12:34Z");
    life.put(job(None, Some(daily()))).next_takes(1, true).next_takes(1, true).clock("2026-01-02T20:00Z");
    life.patch(|job| job.recurrence = Some(recurrence(&every(Frequency::Hour, 5))));
    assert_snapshot!(life.log, @"
    2026-01-01T12:34:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:34:00Z at 2026-01-01T12:34:00Z (repeat 1, retry 0)
    2026-01-01T12:34:01Z MainAction for 2026-01-01T12:34:00Z, repeat 1, retry 0, started 2026-01-01T12:34:00Z: succeeded
      Enabled: MainAction for 2026-01-02T12:34:00Z at 2026-01-02T12:34:00Z (repeat 2, retry 0)
    2026-01-02T12:34:01Z MainAction for 2026-01-02T12:34:00Z, repeat 2, retry 0, started 2026-01-02T12:34:00Z: succeeded
      Enabled: MainAction for 2026-01-03T12:34:00Z at 2026-01-03T12:34:00Z (repeat 3, retry 0)
    2026-01-02T20:00:00Z put: Rescheduled
      Enabled: MainAction for 2026-01-02T23:34:00Z at 2026-01-02T23:34:00Z (repeat 1, retry 0)
    ");
}

#[test]
fn another_start_begins_a_new_series() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(daily()))).next_takes(1, true).clock("2026-01-02T20:00Z");
    life.patch(|job| job.start = Some(Start::at(at("2026-01-02T20:00Z"))));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: succeeded
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    2026-01-02T20:00:00Z put: Rescheduled
      Enabled: MainAction for 2026-01-02T20:00:00Z at 2026-01-02T20:00:00Z (repeat 1, retry 0)
    ");
}

#[test]
fn a_job_that_recurs_no_more_runs_once() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(daily()))).next_takes(1, true).clock("2026-01-02T20:00Z");
    life.patch(|job| job.recurrence = None).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: succeeded
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    2026-01-02T20:00:00Z put: Rescheduled
      Enabled: MainAction for 2026-01-02T20:00:00Z at 2026-01-02T20:00:00Z (repeat 1, retry 0)
    2026-01-02T20:00:01Z MainAction for 2026-01-02T20:00:00Z, repeat 1, retry 0, started 2026-01-02T20:00:00Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn what_is_due_or_waiting_finishes_first() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(START, Some(daily()));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
    life.put(wanted).next_takes(1, false);
    life.patch(|job| job.recurrence = Some(recurrence(&every(Frequency::Hour, 5))));
    life.next_takes(1, true).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: failed
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:31Z (repeat 1, retry 1)
    2026-01-02T00:00:01Z put: Rescheduled
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:31Z (repeat 1, retry 1)
    2026-01-02T00:00:32Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 1, started 2026-01-02T00:00:31Z: succeeded
      Enabled: MainAction for 2026-01-02T01:00:00Z at 2026-01-02T01:00:00Z (repeat 1, retry 0)
    2026-01-02T01:00:01Z MainAction for 2026-01-02T01:00:00Z, repeat 1, retry 0, started 2026-01-02T01:00:00Z: succeeded
      Enabled: MainAction for 2026-01-02T06:00:00Z at 2026-01-02T06:00:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn each_attempt_follows_the_definition_of_its_time() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(START, Some(daily()));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 4));
    life.put(wanted).next_takes(1, false);
    life.patch(|job| {
        job.action.retry = Some(retry(RetryKind::None, 0));
        job.action.error = Some(error_action("https://example.com/error"));
    });
    life.next_takes(1, false).next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: failed
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:31Z (repeat 1, retry 1)
    2026-01-02T00:00:01Z put: Changed
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:31Z (repeat 1, retry 1)
    2026-01-02T00:00:32Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 1, started 2026-01-02T00:00:31Z: failed
      Enabled: ErrorAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:32Z (repeat 1, retry 0)
    2026-01-02T00:00:33Z ErrorAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:32Z: succeeded
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    ");
}

fn with_password(password: Option<&str>, user: &str) -> punctual_model::job::Definition<Option<Secret>> {
    let mut wanted = job(START, Some(daily()));
    let Target::Http(http) = &mut wanted.action.target else { unreachable!() };
    http.authentication =
        Some(Authentication::Basic { username: user.to_owned(), password: password.map(Secret::new) });
    wanted
}

#[test]
fn a_credential_without_its_secret_keeps_the_stored_one() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(with_password(Some("hunter2"), "ann")).put(with_password(None, "ann")).put(with_password(None, "bob"));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:00Z put: Unchanged
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:00Z put: refused, action.request.authentication.password: missing, and no stored password has this username, scheme, host and port: send the password
    ");
    let Target::Http(http) = &life.job.as_ref().unwrap().definition.action.target else { unreachable!() };
    let Some(Authentication::Basic { password, .. }) = &http.authentication else { unreachable!() };
    assert_eq!(password.expose(), "hunter2");
    assert_snapshot!(format!("{:?}", http.authentication), @r#"Some(Basic { username: "ann", password: Secret(…) })"#);
}

#[test]
fn no_credential_at_all_removes_it() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(with_password(Some("hunter2"), "ann")).put(job(START, Some(daily())));
    let Target::Http(http) = &life.job.as_ref().unwrap().definition.action.target else { unreachable!() };
    assert_eq!(http.authentication, None);
}

#[test]
fn dropping_an_extension_is_obeyed_and_named() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(START, Some(Parts { time_zone: Some("Europe/Prague".to_owned()), ..daily() }));
    wanted.options = options(OptionsParts { timeout: Some(span("PT5M")), ..OptionsParts::default() });
    let start = wanted.start;
    life.put(wanted).clock("2026-06-01T12:00Z").put(job(START, Some(daily())));
    assert_eq!(start, life.job.as_ref().unwrap().definition.start);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-06-01T12:00:00Z put: Rescheduled
      not run: 150 from 2026-01-03T00:00:00Z to 2026-05-31T23:00:00Z, overlap
      warning: recurrence.timeZone, options.timeout: dropped, since the new definition has none; the next run was 2026-06-01T23:00:00Z, is 2026-06-02T00:00:00Z
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    ");
}

#[test]
fn every_extension_that_is_dropped_is_named() {
    let schedule = Some(ScheduleParts { months: vec![2], ..ScheduleParts::default() });
    for extended in
        [Parts { schedule, ..every(Frequency::Year, 1) }, Parts { cron: Some("@daily".to_owned()), ..Parts::default() }]
    {
        let mut life = Life::new("2026-01-01T12:00Z");
        life.put(job(START, Some(extended))).put(job(START, Some(daily())));
        assert_eq!(life.log.lines().filter(|line| line.contains("dropped, since")).count(), 1, "{}", life.log);
    }
}

#[test]
fn disabling_closes_an_error_action_that_waits() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(Some("2026-01-01T12:00Z"), Some(daily()));
    wanted.action.error = Some(error_action("https://example.com/error"));
    wanted.action.error.as_mut().unwrap().retry = Some(retry(RetryKind::Fixed, 3));
    life.put(wanted).next_takes(1, false).next_takes(1, false).switch(State::Disabled);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: ErrorAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:01Z (repeat 1, retry 0)
    2026-01-01T12:00:02Z ErrorAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:01Z: failed
      Enabled: ErrorAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:32Z (repeat 1, retry 1)
    2026-01-01T12:00:02Z put: Changed
      not run: 1 from 2026-01-01T12:00:00Z to 2026-01-01T12:00:00Z, disabled
      Disabled: nothing open
    ");
}

#[test]
fn completed_and_faulted_are_final() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(None, None)).next_takes(1, true).put(job(None, None)).put(job(START, Some(daily())));
    life.switch(State::Disabled);
    life.run_by_hand();
    let started = life.begin_beside(InFlight::default()).unwrap();
    life.end(started, verdict(false));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: succeeded
      Completed: nothing open
    2026-01-01T12:00:01Z put: Unchanged
      warning: state: the job is Completed, and writing it again runs nothing: delete it first
      Completed: nothing open
    2026-01-01T12:00:01Z put: refused, the job is Completed
    2026-01-01T12:00:01Z put: refused, the job is Completed
    2026-01-01T12:00:01Z run by hand
    2026-01-01T12:00:01Z manual 1, MainAction for 2026-01-01T12:00:01Z, repeat 0, retry 0, started 2026-01-01T12:00:01Z: failed
      Completed: nothing open
    ");
}

#[test]
fn disabling_closes_what_waits_with_one_record() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(Some("2026-01-01T12:00Z"), Some(every(Frequency::Minute, 1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 10));
    life.put(wanted).next_takes(1, false).next_takes(1, false).next_takes(1, false).clock("2026-01-01T12:01:10Z");
    life.switch(State::Disabled);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      warning: action.retryPolicy: retrying takes up to 300 seconds; an occurrence that fails each time keeps 5 from running
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:01Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:31Z (repeat 1, retry 1)
    2026-01-01T12:00:32Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 1, started 2026-01-01T12:00:31Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:01:02Z (repeat 1, retry 2)
    2026-01-01T12:01:03Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 2, started 2026-01-01T12:01:02Z: failed
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:01:33Z (repeat 1, retry 3)
    2026-01-01T12:01:10Z put: Changed
      not run: 2 from 2026-01-01T12:00:00Z to 2026-01-01T12:01:00Z, disabled
      Disabled: nothing open
    ");
}

#[test]
fn an_attempt_on_the_wire_finishes_although_the_job_is_disabled() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(Some("2026-01-01T12:00Z"), Some(every(Frequency::Minute, 1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 10));
    life.put(wanted);
    let started = life.begin().unwrap();
    life.clock("2026-01-01T12:02:10Z").switch(State::Disabled);
    life.clock("2026-01-01T12:05Z").end(started, verdict(false));
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      warning: action.retryPolicy: retrying takes up to 300 seconds; an occurrence that fails each time keeps 5 from running
      Enabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:02:10Z put: Changed
      Disabled: MainAction for 2026-01-01T12:00:00Z at 2026-01-01T12:00:00Z (repeat 1, retry 0)
    2026-01-01T12:05:00Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:00:00Z: failed
      not run: 3 from 2026-01-01T12:00:00Z to 2026-01-01T12:02:00Z, disabled
      Disabled: nothing open
    ");
}

#[test]
fn enabling_goes_on_after_now_without_catch_up() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(daily()))).next_takes(1, true);
    life.switch(State::Disabled).clock("2026-01-11T12:00Z");
    life.switch(State::Enabled);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-02T00:00:00Z: succeeded
      Enabled: MainAction for 2026-01-03T00:00:00Z at 2026-01-03T00:00:00Z (repeat 2, retry 0)
    2026-01-02T00:00:01Z put: Changed
      Disabled: nothing open
    2026-01-11T12:00:00Z put: Changed
      not run: 9 from 2026-01-03T00:00:00Z to 2026-01-11T00:00:00Z, disabled
      Enabled: MainAction for 2026-01-12T00:00:00Z at 2026-01-12T00:00:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn a_one_time_job_that_never_ran_runs_when_it_is_enabled() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put_as(job(Some("2026-01-02T00:00Z"), None), Some(State::Disabled))
        .clock("2026-01-05T00:00Z")
        .switch(State::Enabled)
        .next_takes(1, true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Disabled: nothing open
    2026-01-05T00:00:00Z put: Changed
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-05T00:00:00Z (repeat 1, retry 0)
    2026-01-05T00:00:01Z MainAction for 2026-01-02T00:00:00Z, repeat 1, retry 0, started 2026-01-05T00:00:00Z: succeeded
      Completed: nothing open
    ");
}

#[test]
fn a_disabled_collection_stops_its_jobs_without_touching_their_state() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(daily())))
        .collection(false)
        .next_takes(1, true)
        .clock("2026-01-05T12:00Z")
        .collection(true);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:00Z collection disabled
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-02T00:00:00Z not started
      Enabled: nothing open
    2026-01-05T12:00:00Z collection enabled
      not run: 4 from 2026-01-02T00:00:00Z to 2026-01-05T00:00:00Z, disabled
      Enabled: MainAction for 2026-01-06T00:00:00Z at 2026-01-06T00:00:00Z (repeat 1, retry 0)
    ");
}

#[test]
fn a_disabled_job_that_is_rescheduled_accounts_for_what_it_did_not_run() {
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(job(START, Some(daily()))).switch(State::Disabled).clock("2026-01-04T12:00Z");
    life.patch(|job| job.recurrence = Some(recurrence(&every(Frequency::Hour, 5)))).clock("2026-01-04T23:00Z");
    life.switch(State::Enabled);
    assert_snapshot!(life.log, @"
    2026-01-01T12:00:00Z put: Created
      Enabled: MainAction for 2026-01-02T00:00:00Z at 2026-01-02T00:00:00Z (repeat 1, retry 0)
    2026-01-01T12:00:00Z put: Changed
      Disabled: nothing open
    2026-01-04T12:00:00Z put: Rescheduled
      not run: 3 from 2026-01-02T00:00:00Z to 2026-01-04T00:00:00Z, disabled
      Disabled: nothing open
    2026-01-04T23:00:00Z put: Changed
      not run: 3 from 2026-01-04T13:00:00Z to 2026-01-04T23:00:00Z, disabled
      Enabled: MainAction for 2026-01-05T04:00:00Z at 2026-01-05T04:00:00Z (repeat 1, retry 0)
    ");
}

#[test]
fn retries_that_nobody_chose_are_warned_of_when_something_has_failed() {
    let warnings = |life: &Life| life.log.matches("warning: action.retryPolicy").count();
    let calling = |uri| {
        let mut minutely = job(START, Some(every(Frequency::Minute, 1)));
        minutely.action = call(uri);
        minutely.action.retry = None;
        minutely
    };
    let mut life = Life::new("2026-01-01T12:00Z");
    life.put(calling("https://example.com/1")).put(calling("https://example.com/2"));
    assert_eq!(warnings(&life), 0, "not on day one: {}", life.log);
    life.next_takes(1, false).put(calling("https://example.com/3"));
    assert_eq!(warnings(&life), 1, "{}", life.log);
}
