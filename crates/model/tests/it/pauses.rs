//! What a pause of the whole server means for a job: the end of a downtime, with a reason of its own.

use insta::assert_snapshot;
use punctual_model::history::{NotRun, Reason};
use punctual_model::options::{CatchUp, OptionsParts, Overlap};
use punctual_model::pause::{Pause, Pauses};
use punctual_model::recurrence::{Frequency, Parts};
use punctual_model::resumption::Resumption;
use punctual_model::retry::RetryKind;
use punctual_model::terms::Terms;

use crate::life::{Life, UID, at, every, job, options, retry, span};

fn life(parts: Parts, chosen: OptionsParts) -> Life {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(Some("2026-01-01T12:00Z"), Some(parts));
    wanted.options = options(chosen);
    life.put(wanted);
    life
}

fn terms(life: &Life) -> Terms<'_> {
    let job = life.job.as_ref().unwrap();
    Terms::of(UID, &job.definition, life.timetable.as_ref().unwrap(), job.series, None, None)
}

fn pauses(times: &[(&str, Option<&str>)]) -> Pauses {
    let pause =
        |(from, until): &(&str, Option<&str>)| Pause { from: at(from), until: until.map(at), holds_messages: false };
    Pauses::new(times.iter().map(pause).collect())
}

fn explain(life: &Life, pauses: &Pauses, (first, last): (&str, &str), reason: Reason) -> String {
    let terms = terms(life);
    let number = terms.timetable.count(at(first)..at(last).saturating_add(1));
    let parts = pauses.explain(&terms, NotRun { first: at(first), last: at(last), number, reason });
    let describe = |part: &NotRun| format!("{} to {}: {}, {}", part.first, part.last, part.number, part.reason.name());
    parts.iter().map(describe).collect::<Vec<_>>().join("\n")
}

#[test]
fn times_within_a_pause_were_not_run_because_of_it() {
    let life = life(every(Frequency::Minute, 1), OptionsParts::default());
    let two = pauses(&[
        ("2026-01-01T12:10:30Z", Some("2026-01-01T12:20Z")),
        ("2026-01-01T12:30Z", Some("2026-01-01T12:30:30Z")),
        ("2026-01-01T12:40Z", None),
    ]);
    let range = ("2026-01-01T12:01Z", "2026-01-01T12:50Z");
    assert_snapshot!(explain(&life, &two, range, Reason::Missed), @"
    2026-01-01T12:01:00Z to 2026-01-01T12:10:00Z: 10, missed
    2026-01-01T12:11:00Z to 2026-01-01T12:20:00Z: 10, paused
    2026-01-01T12:21:00Z to 2026-01-01T12:29:00Z: 9, missed
    2026-01-01T12:30:00Z to 2026-01-01T12:30:00Z: 1, paused
    2026-01-01T12:31:00Z to 2026-01-01T12:39:00Z: 9, missed
    2026-01-01T12:40:00Z to 2026-01-01T12:50:00Z: 11, paused
    ");
    assert_snapshot!(explain(&life, &two, range, Reason::Disabled), @"2026-01-01T12:01:00Z to 2026-01-01T12:50:00Z: 50, disabled");
    assert_snapshot!(explain(&life, &Pauses::default(), range, Reason::Overlap), @"2026-01-01T12:01:00Z to 2026-01-01T12:50:00Z: 50, overlap");
}

#[test]
fn jitter_moves_a_time_into_a_pause_or_out_of_it() {
    let jitter = OptionsParts { jitter: Some(span("PT30M")), ..OptionsParts::default() };
    let life = life(every(Frequency::Hour, 1), jitter);
    let starts = terms(&life).wake_at(at("2026-01-01T13:00Z"));
    let (before, after) = (starts.saturating_add(-1), starts.saturating_add(1));
    let explained = |from, until| {
        let pauses = Pauses::new(vec![Pause { from, until: Some(until), holds_messages: false }]);
        let range = NotRun::one(at("2026-01-01T13:00Z"), Reason::Missed);
        pauses.explain(&terms(&life), range)[0].reason
    };
    assert_eq!(explained(starts, after), Reason::Paused);
    assert_eq!(explained(at("2026-01-01T13:00Z"), before), Reason::Missed);
    assert_eq!(explained(after, at("2026-01-01T14:00Z")), Reason::Missed);
}

#[test]
fn a_range_of_a_timetable_that_is_gone_stays_whole() {
    let life = life(every(Frequency::Hour, 1), OptionsParts::default());
    let paused = pauses(&[("2026-01-01T12:00Z", None)]);
    let (first, last) = (at("2026-01-01T12:01Z"), at("2026-01-01T15:59Z"));
    let range = NotRun { first, last, number: 239, reason: Reason::Missed };
    assert_eq!(paused.explain(&terms(&life), range), [range]);
}

#[test]
fn an_edit_in_a_pause_says_so_of_the_times_that_it_ends() {
    let mut life = life(every(Frequency::Minute, 1), OptionsParts::default());
    life.pauses = pauses(&[("2026-01-01T12:00:30Z", None)]);
    life.next_takes(1, true)
        .clock("2026-01-01T12:10Z")
        .put(job(Some("2026-01-01T12:00Z"), Some(every(Frequency::Hour, 1))));
    assert_snapshot!(life.log.lines().skip(4).collect::<Vec<_>>().join("\n"), @"
    2026-01-01T12:10:00Z put: Rescheduled
      not run: 9 from 2026-01-01T12:02:00Z to 2026-01-01T12:10:00Z, paused
      Enabled: MainAction for 2026-01-01T12:01:00Z at 2026-01-01T12:01:00Z (repeat 2, retry 0)
    ");
}

#[test]
fn a_preview_says_what_would_run() {
    let of = |chosen: OptionsParts, parts: Parts| {
        let life = life(parts, chosen);
        let progress = life.job.as_ref().unwrap().progress;
        let Resumption { runs, not_run } = Resumption::of(&terms(&life), progress, 0, at("2026-01-01T14:00:30Z"));
        (runs, not_run)
    };
    let minutely = || every(Frequency::Minute, 1);
    let chosen = |catch_up| OptionsParts { catch_up: Some(catch_up), ..OptionsParts::default() };
    assert_eq!(of(OptionsParts::default(), minutely()), (1, 120), "the last one");
    assert_eq!(of(chosen(CatchUp::None), every(Frequency::Hour, 3)), (0, 1));
    assert_eq!(of(chosen(CatchUp::All), minutely()), (100, 21));
    assert_eq!(of(chosen(CatchUp::All), Parts { count: Some(3), ..minutely() }), (3, 21), "as many as count allows");
    let overlapping = OptionsParts { overlap: Some(Overlap::Allow), ..OptionsParts::default() };
    assert_eq!(of(overlapping, minutely()), (1, 120));
}

#[test]
fn a_preview_knows_what_came_due_behind_a_retry() {
    let mut life = Life::new("2026-01-01T12:00Z");
    let mut wanted = job(None, Some(every(Frequency::Minute, 1)));
    wanted.action.retry = Some(retry(RetryKind::Fixed, 2));
    life.put(wanted).next_takes(1, false);
    let progress = life.job.as_ref().unwrap().progress;
    let resumed = Resumption::of(&terms(&life), progress, 0, at("2026-01-01T12:30Z"));
    assert_eq!(resumed, Resumption { runs: 1, not_run: 30 });
}
