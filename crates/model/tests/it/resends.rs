//! What a crash leaves behind: an attempt that may have been sent is sent again, and the times that came due while the server
//! was down are missed ones.

use insta::assert_snapshot;
use punctual_model::options::{CatchUp, OptionsParts, Overlap};
use punctual_model::recurrence::Frequency;
use punctual_model::resumption::Resumption;
use punctual_model::retry::RetryKind;
use punctual_model::settle::Verdict;

use crate::life::{Life, at, every, job, options, retry};

/// A minutely job whose server ended at noon with its attempt on the wire, and runs again at 12:10:30; the attempt then takes
/// 90 seconds. What happened, and what a preview of the start would have said.
fn crashed(chosen: OptionsParts) -> (String, Resumption) {
    let mut life = Life::new("2026-01-01T11:59:30Z");
    let mut wanted = job(Some("2026-01-01T12:00Z"), Some(every(Frequency::Minute, 1)));
    wanted.options = options(chosen);
    life.put(wanted).clock("2026-01-01T12:10:30Z");
    let progress = life.job.as_ref().unwrap().progress;
    let foreseen = life.with_terms(|terms, now| Resumption::of_resent(terms, progress, 0, now));
    let started = life.begin_again().unwrap();
    life.clock("2026-01-01T12:12:00Z").end(started, Verdict::Succeeded);
    (life.log.lines().skip(2).collect::<Vec<_>>().join("\n"), foreseen)
}

#[test]
fn the_last_missed_time_runs_once() {
    let (log, foreseen) = crashed(OptionsParts::default());
    assert_eq!(foreseen, Resumption { runs: 2, not_run: 9 });
    assert_snapshot!(log, @r"
    2026-01-01T12:12:00Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:10:30Z: succeeded
      not run: 9 from 2026-01-01T12:01:00Z to 2026-01-01T12:09:00Z, missed
      Enabled: MainAction for 2026-01-01T12:10:00Z at 2026-01-01T12:12:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn all_missed_times_run_where_that_is_chosen() {
    let (log, foreseen) = crashed(OptionsParts { catch_up: Some(CatchUp::All), ..OptionsParts::default() });
    assert_eq!(foreseen, Resumption { runs: 11, not_run: 0 });
    assert_snapshot!(log, @r"
    2026-01-01T12:12:00Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:10:30Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:12:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn as_many_of_them_as_may_be_made_good() {
    let chosen = OptionsParts { catch_up: Some(CatchUp::All), catch_up_max: Some(3), ..OptionsParts::default() };
    let (log, foreseen) = crashed(chosen);
    assert_eq!(foreseen, Resumption { runs: 4, not_run: 7 });
    assert_snapshot!(log, @r"
    2026-01-01T12:12:00Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:10:30Z: succeeded
      not run: 7 from 2026-01-01T12:01:00Z to 2026-01-01T12:07:00Z, missed
      Enabled: MainAction for 2026-01-01T12:08:00Z at 2026-01-01T12:12:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn the_schedule_goes_on_beside_it_where_occurrences_may_overlap() {
    let (log, foreseen) = crashed(OptionsParts { overlap: Some(Overlap::Allow), ..OptionsParts::default() });
    assert_eq!(foreseen, Resumption { runs: 2, not_run: 9 });
    assert_snapshot!(log, @r"
    2026-01-01T12:12:00Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 0, started 2026-01-01T12:10:30Z: succeeded
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn what_came_due_while_its_retry_waited_overlapped() {
    let mut life = Life::new("2026-01-01T11:59:30Z");
    let mut wanted = job(Some("2026-01-01T12:00Z"), Some(every(Frequency::Minute, 1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 1));
    life.put(wanted).next_takes(100, false).clock("2026-01-01T12:30:20Z");
    assert_eq!(life.job.as_ref().unwrap().progress.open.unwrap().wake_at, at("2026-01-01T12:02:10Z"));
    let started = life.begin_again().unwrap();
    life.end(started, Verdict::Succeeded);
    assert_snapshot!(life.log.lines().skip(4).collect::<Vec<_>>().join("\n"), @r"
    2026-01-01T12:30:20Z MainAction for 2026-01-01T12:00:00Z, repeat 1, retry 1, started 2026-01-01T12:30:20Z: succeeded
      not run: 2 from 2026-01-01T12:01:00Z to 2026-01-01T12:02:00Z, overlap
      not run: 27 from 2026-01-01T12:03:00Z to 2026-01-01T12:29:00Z, missed
      Enabled: MainAction for 2026-01-01T12:30:00Z at 2026-01-01T12:30:21Z (repeat 2, retry 0)
    ");
}
