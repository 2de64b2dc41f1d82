use proptest::prelude::*;

use super::*;
use crate::occurrence::Origin;
use crate::recurrence::{Anchor, Frequency, Parts, Recurrence};
use crate::time::TICKS_PER_SECOND;

/// So many minutes after noon.
fn at(minute: i64) -> Timestamp {
    at_second(minute * 60)
}

fn at_second(second: i64) -> Timestamp {
    Timestamp::from_ticks((1_767_268_800 + second) * TICKS_PER_SECOND).unwrap()
}

/// Every minute from noon.
fn every_minute() -> Timetable {
    let parts = Parts { frequency: Some(Frequency::Minute), interval: Some(1), ..Parts::default() };
    Timetable::new(Some(&Recurrence::new(&parts).unwrap()), Anchor::new(None, true, at(0))).unwrap()
}

fn period(from: i64, until: Option<i64>, state: State) -> Period {
    let until = until.map(at_second);
    Period { from: at_second(from), until, state, series: 1, timetable: every_minute(), occurrences_max: None }
}

fn ran(minute: i64) -> Trace {
    Trace::Attempt { nominal: at(minute), has_failed: false, repeat: u32::try_from(minute + 1).unwrap() }
}

fn not_run(first: i64, last: i64, reason: Reason) -> Trace {
    let number = u64::try_from(last - first + 1).unwrap();
    Trace::NotRun(NotRun { first: at(first), last: at(last), number, reason })
}

fn waiting(minute: i64) -> Occurrence {
    let repeat = u32::try_from(minute + 1).unwrap();
    Occurrence { repeat, series: 1, ..Occurrence::asked_for(Origin::Schedule, at(minute), at(minute)) }
}

/// The schedule waits for that minute, and everything before is accounted for.
fn next(minute: i64) -> Progress {
    Progress { open: Some(waiting(minute)), ..Progress::new(1, at(minute - 1)) }
}

fn audited(periods: &[Period], traces: &[Trace], open: Option<Progress>, until: i64) -> Audit {
    let trail = Trail { periods, stops: &[], traces, open: open.map(|progress| (progress, [].as_slice())) };
    audit(&trail, at(0)..at(until))
}

fn unexplained(first: i64, last: i64) -> Unexplained {
    Unexplained { first: at(first), last: at(last), number: u64::try_from(last - first + 1).unwrap() }
}

#[test]
fn what_ran_and_what_did_not_is_explained() {
    let traces =
        [ran(0), ran(1), ran(1), not_run(2, 4, Reason::Overlap), ran(5), not_run(6, 8, Reason::Missed), ran(9)];
    let audit = audited(&[period(0, None, State::Enabled)], &traces, Some(next(10)), 10);
    assert_eq!((audit.run, audit.attempts, audit.not_run), (4, 5, [3, 3, 0, 0, 0]));
    assert_eq!((audit.open, audit.nominal(), audit.unexplained), (0, 10, vec![]));
}

#[test]
fn a_time_has_failed_if_none_of_its_attempts_succeeded() {
    let failed = |minute| Trace::Attempt { nominal: at(minute), has_failed: true, repeat: 1 };
    let traces = [failed(0), failed(0), failed(1), ran(1), ran(2), failed(2), ran(3)];
    let audit = audited(&[period(0, None, State::Enabled)], &traces, Some(next(4)), 4);
    assert_eq!((audit.run, audit.failed, audit.attempts), (4, 1, 7));
}

#[test]
fn what_nobody_knows_of_is_found_in_ranges() {
    let traces = [ran(2), not_run(5, 6, Reason::Missed)];
    let audit = audited(&[period(0, None, State::Enabled)], &traces, Some(next(20)), 10);
    assert_eq!(audit.unexplained, [unexplained(0, 1), unexplained(3, 4), unexplained(7, 9)]);
    assert_eq!(audit.nominal(), 10);
}

#[test]
fn nothing_stands_behind_the_last_occurrence_that_count_allows() {
    let last = Progress { open: Some(waiting(3)), started: 3, ..Progress::new(1, at(2)) };
    let periods = [Period { occurrences_max: Some(4), ..period(0, None, State::Enabled) }];
    let audit = audited(&periods, &[ran(0), ran(1), ran(2)], Some(last), 10);
    assert_eq!((audit.run, audit.open, audit.unexplained), (3, 1, vec![]));
}

#[test]
fn what_is_open_and_what_stands_behind_it_is_open() {
    let trying = Progress { open: Some(waiting(3)), ..Progress::new(1, at(4)) };
    // An attempt of it was made; two of those behind it are accounted for already.
    let traces = [ran(0), ran(1), ran(2), ran(3), not_run(4, 4, Reason::Overlap)];
    let audit = audited(&[period(0, None, State::Enabled)], &traces, Some(trying), 10);
    assert_eq!((audit.run, audit.not_run, audit.open), (4, [1, 0, 0, 0, 0], 5));
    assert!(audit.unexplained.is_empty());
    let beside = [waiting(1), waiting(2)];
    let open = Some((next(10), beside.as_slice()));
    let periods = [period(0, None, State::Enabled)];
    let traces: Vec<_> = [0, 3, 4, 5, 6, 7, 8, 9].map(ran).into();
    let audit = super::audit(&Trail { periods: &periods, stops: &[], traces: &traces, open }, at(0)..at(10));
    assert_eq!((audit.run, audit.open, audit.unexplained.len()), (8, 2, 0));
}

#[test]
fn an_occurrence_that_was_not_run_to_its_end_ran() {
    let traces = [ran(0), not_run(0, 2, Reason::Disabled)];
    let periods = [period(0, Some(125), State::Enabled), period(125, None, State::Disabled)];
    let stopped = Progress::new(1, at(2));
    let audit = audited(&periods, &traces, Some(stopped), 10);
    assert_eq!((audit.run, audit.not_run, audit.nominal()), (1, [0, 0, 2, 0, 0], 3));
}

#[test]
fn while_it_is_disabled_nothing_is_expected_but_what_was_recorded_counts() {
    let periods = [
        period(0, Some(150), State::Enabled),
        period(150, Some(330), State::Disabled),
        period(330, None, State::Enabled),
    ];
    let traces = [ran(0), ran(1), ran(2), not_run(3, 5, Reason::Disabled), ran(6)];
    let audit = audited(&periods, &traces, Some(next(7)), 7);
    assert_eq!((audit.run, audit.not_run, audit.nominal()), (4, [0, 0, 3, 0, 0], 7));
    // The times after the third are not told of before it is enabled again.
    let audit = audited(&periods[..2], &traces[..3], Some(Progress::new(1, at(2))), 5);
    assert_eq!((audit.nominal(), audit.unexplained), (3, vec![]));
}

#[test]
fn while_its_collection_is_disabled_nothing_is_expected() {
    let stops = [Stop { from: at(2), until: Some(at(4)) }, Stop { from: at_second(450), until: None }];
    let traces = [ran(0), ran(1), ran(5), ran(6)];
    let periods = [period(0, None, State::Enabled)];
    let trail = Trail { periods: &periods, stops: &stops, traces: &traces, open: Some((Progress::new(1, at(6)), &[])) };
    let audit = audit(&trail, at(0)..at(20));
    // What was due when the collection was disabled is not of the stop.
    assert_eq!(audit.unexplained, [unexplained(2, 2), unexplained(7, 7)]);
}

#[test]
fn each_series_has_its_own_times() {
    let mut later = period(90, None, State::Enabled);
    let parts = Parts { frequency: Some(Frequency::Minute), interval: Some(3), ..Parts::default() };
    let every_third = Recurrence::new(&parts).unwrap();
    later.timetable = Timetable::new(Some(&every_third), Anchor::new(None, true, at(0))).unwrap();
    later.series = 2;
    let periods = [period(0, Some(90), State::Enabled), later];
    let audit = audited(&periods, &[ran(0), ran(1), ran(3), ran(6)], Some(next(9)), 9);
    assert_eq!((audit.run, audit.nominal(), audit.unexplained), (4, 4, vec![]));
    // What is due at the instant of an edit belongs to what was before.
    let periods = [period(0, Some(120), State::Enabled), period(120, None, State::Enabled)];
    let audit = audited(&periods, &[ran(0), ran(1), ran(2), ran(3)], Some(next(4)), 4);
    assert_eq!((audit.run, audit.nominal()), (4, 4));
}

#[test]
fn after_the_last_of_a_count_nothing_is_expected() {
    let counted = Period { occurrences_max: Some(3), ..period(0, None, State::Enabled) };
    let last = Progress { open: Some(waiting(2)), ..Progress::new(1, at(1)) };
    let audit = audited(std::slice::from_ref(&counted), &[ran(0), ran(1), ran(2)], None, 10);
    assert_eq!((audit.nominal(), audit.deleted), (3, 0));
    let ended = [Period { until: Some(at_second(250)), ..counted.clone() }, period(250, None, State::Completed)];
    assert_eq!(audited(&ended, &[ran(0), ran(1), ran(2)], Some(Progress::new(1, at(2))), 10).nominal(), 3);
    // The range begins after the last one started, and before it was settled.
    let trail = Trail { periods: &ended, stops: &[], traces: &[], open: Some((Progress::new(1, at(2)), &[])) };
    assert_eq!(super::audit(&trail, at(3)..at(9)).nominal(), 0);
    assert!(audited(&[counted], &[ran(0), ran(1)], Some(last), 10).unexplained.is_empty());
}

#[test]
fn what_a_deleted_job_did_not_get_to_is_not_unexplained() {
    let periods = [period(0, Some(200), State::Enabled)];
    let audit = audited(&periods, &[ran(0), ran(2)], None, 10);
    assert_eq!((audit.deleted, audit.unexplained), (1, vec![unexplained(1, 1)]));
}

#[test]
fn what_came_due_behind_an_occurrence_that_was_open_until_its_job_was_deleted_is_explained() {
    // The occurrence of minute 1 waits for its retries, while the schedule is edited twice.
    let counted = Period { occurrences_max: Some(20), ..period(300, Some(500), State::Enabled) };
    let periods = [period(0, Some(130), State::Enabled), period(130, Some(300), State::Enabled), counted];
    let failed = Trace::Attempt { nominal: at(1), has_failed: true, repeat: 2 };
    let traces = [ran(0), failed, not_run(2, 2, Reason::Overlap)];
    let audit = audited(&periods, &traces, None, 20);
    assert_eq!((audit.deleted, audit.unexplained), (6, vec![]));
    // What ran later shows that the occurrence was closed.
    let traces = [ran(0), failed, not_run(2, 2, Reason::Overlap), ran(7)];
    let audit = audited(&periods, &traces, None, 20);
    assert_eq!((audit.deleted, audit.unexplained), (1, vec![unexplained(3, 5), unexplained(6, 6)]));
}

#[test]
fn a_job_that_runs_once_waits_until_it_is_enabled() {
    let once = Timetable::new(None, Anchor::new(None, false, at(3))).unwrap();
    let with = |period: Period| Period { timetable: once.clone(), ..period };
    let periods = [with(period(0, Some(185), State::Enabled)), with(period(185, None, State::Disabled))];
    let audit = audited(&periods, &[], Some(Progress::new(1, at(0))), 10);
    assert_eq!((audit.open, audit.nominal()), (1, 1));
}

/// What happens to a minute in a made-up history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fortune {
    Ran(u64),
    NotRun(Reason),
    Lost,
}

proptest! {
    #[test]
    fn every_time_is_counted_once(
        fortunes in prop::collection::vec(prop_oneof![
            3 => (1..3_u64).prop_map(Fortune::Ran),
            3 => prop::sample::select(Reason::ALL.to_vec()).prop_map(Fortune::NotRun),
            1 => Just(Fortune::Lost),
        ], 1..40),
        (from, until) in (0..40_i64, 0..40_i64),
    ) {
        let mut traces = Vec::new();
        for (minute, fortune) in (0..).zip(&fortunes) {
            match *fortune {
                Fortune::Ran(attempts) => traces.extend((0..attempts).map(|_| ran(minute))),
                // One after the other for the same reason are one record.
                Fortune::NotRun(reason) => match traces.last_mut() {
                    Some(Trace::NotRun(before)) if before.reason == reason && before.last == at(minute - 1) => {
                        before.last = at(minute);
                    }
                    _ => traces.push(not_run(minute, minute, reason)),
                },
                Fortune::Lost => {}
            }
        }
        traces.reverse();
        let number = i64::try_from(fortunes.len()).unwrap();
        let periods = [period(0, None, State::Enabled)];
        let progress = next(number);
        let trail = Trail { periods: &periods, stops: &[], traces: &traces, open: Some((progress, &[])) };
        let audit = audit(&trail, at(from)..at(until));
        let in_range = |minute: i64| (from..until).contains(&minute);
        let fortunes: Vec<_> = (0..).zip(&fortunes).filter(|(minute, _)| in_range(*minute)).map(|(_, it)| *it).collect();
        let count = |is: &dyn Fn(Fortune) -> bool| fortunes.iter().filter(|it| is(**it)).count() as u64;
        prop_assert_eq!(audit.run, count(&|it| matches!(it, Fortune::Ran(_))));
        for reason in Reason::ALL {
            prop_assert_eq!(audit.not_run[reason.index()], count(&|it| it == Fortune::NotRun(reason)));
        }
        let lost: u64 = audit.unexplained.iter().map(|range| range.number).sum();
        prop_assert_eq!(lost, count(&|it| it == Fortune::Lost));
        prop_assert_eq!(audit.open, u64::try_from((until - from.max(number)).max(0)).unwrap());
    }
}
