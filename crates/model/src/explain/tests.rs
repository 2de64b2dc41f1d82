use super::*;
use crate::occurrence::{Origin, Phase};
use crate::recurrence::{Anchor, Parts, Recurrence, Timetable};
use crate::time::DateTime;

fn at(text: &str) -> Timestamp {
    DateTime::parse(text).unwrap().resolve(Zone::utc()).instant()
}

/// A timetable of a rule of cron.
fn cron(rule: &str, zone: &str) -> Timetable {
    let parts = Parts { cron: Some(rule.to_owned()), time_zone: Some(zone.to_owned()), ..Parts::default() };
    let recurrence = Recurrence::new(&parts).unwrap();
    Timetable::new(Some(&recurrence), Anchor::new(None, true, at("2026-01-01"))).unwrap()
}

fn hourly() -> Timetable {
    cron("0 * * * *", "UTC")
}

fn period(timetable: Timetable, from: &str, until: Option<&str>, state: State) -> Period {
    Period { from: at(from), until: until.map(at), state, series: 1, timetable, occurrences_max: None }
}

fn facts<'a>(periods: &'a [Period], asked: &str, zone: &str) -> Facts<'a> {
    let (now, zone) = (at("2026-11-15T12:30:00Z"), Zone::find(zone).unwrap());
    Facts {
        asked: AskedTime::parse(asked, now, zone).unwrap(),
        zone,
        now,
        periods,
        open: Some((Progress::new(1, now), &[])),
        attempts: Vec::new(),
        not_run: None,
        disabled: None,
        collection_disabled: None,
        paused: None,
        created: Some(("token a".to_owned(), at("2026-11-01"))),
        deleted: None,
        dropped_until: None,
    }
}

fn attempt(started: &str, failure: Option<&str>) -> AttemptFact {
    let failure = failure.map(ToOwned::to_owned);
    AttemptFact { started: at(started), failure, retry_at: None, is_resent: false, is_backfill: false }
}

fn hold(by: &str, from: &str, until: Option<&str>) -> Hold {
    Hold { by: Some(by.to_owned()), from: at(from), until: until.map(at) }
}

fn not_run(reason: Reason) -> NotRunFact {
    let range = NotRun { first: at("2026-11-15T03:00:00Z"), last: at("2026-11-15T05:00:00Z"), number: 3, reason };
    NotRunFact { range, message: "what would have been sent".to_owned(), open: None, latest_ran: None }
}

/// The verdict and the sentence.
fn said(facts: &Facts<'_>) -> String {
    let Explanation { verdict, sentence } = explain(facts);
    format!("{}: {sentence}", verdict.name())
}

fn enabled() -> [Period; 1] {
    [period(hourly(), "2026-11-01", None, State::Enabled)]
}

#[test]
fn what_ran_and_what_failed() {
    let periods = enabled();
    let of = |attempts: Vec<AttemptFact>| said(&Facts { attempts, ..facts(&periods, "04:00", "UTC") });
    let mut resent = attempt("2026-11-15T04:00:09Z", None);
    resent.is_resent = true;
    let told = [
        of(vec![attempt("2026-11-15T04:00:00Z", None)]),
        of(vec![attempt("2026-11-15T04:00:00Z", Some("HTTP 500.")), attempt("2026-11-15T04:00:30Z", None)]),
        of(vec![attempt("2026-11-15T06:10:00Z", None)]),
        of(vec![
            attempt("2026-11-15T04:00:00Z", Some("HTTP 500.")),
            attempt("2026-11-15T04:00:30Z", Some("HTTP 502.")),
        ]),
        of(vec![resent]),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    ran: It ran at 2026-11-15 04:00:00Z.
    ran: It ran at 2026-11-15 04:00:30Z, after 1 failed attempt.
    ranLate: It ran later, at 2026-11-15 06:10:00Z: 2 hours after its time.
    givenUp: It failed for good at 2026-11-15 04:00:30Z, after 2 attempts: HTTP 502.
    ran: It ran at 2026-11-15 04:00:09Z. It may have been sent twice: the server ended while it was on its way.
    ");
}

#[test]
fn what_was_not_run_and_why() {
    let periods = enabled();
    let of = |fact: NotRunFact| Facts { not_run: Some(fact), ..facts(&periods, "04:00", "UTC") };
    let overlap = NotRunFact { open: Some(at("2026-11-15T02:00:00Z")), ..not_run(Reason::Overlap) };
    let missed = NotRunFact { latest_ran: Some(at("2026-11-15T05:10:00Z")), ..not_run(Reason::Missed) };
    let paused = Some(hold("token b", "2026-11-15T02:30:00Z", Some("2026-11-15T05:30:00Z")));
    let mut made_good = attempt("2026-11-15T11:00:00Z", None);
    made_good.is_backfill = true;
    let told = [
        said(&of(overlap)),
        said(&of(missed.clone())),
        said(&Facts { disabled: paused.clone(), ..of(not_run(Reason::Disabled)) }),
        said(&Facts { collection_disabled: paused.clone(), ..of(not_run(Reason::Disabled)) }),
        said(&Facts { paused, ..of(not_run(Reason::Paused)) }),
        said(&of(not_run(Reason::Shadow))),
        said(&Facts { attempts: vec![made_good], ..of(missed) }),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    notRun: Not run: the one of 2026-11-15 02:00:00Z was still running or waiting for a retry.
    notRun: Not run: nothing could start it in its time. The latest ran at 2026-11-15 05:10:00Z.
    notRun: Not run: the job was disabled by token b, 2026-11-15 02:30:00Z to 2026-11-15 05:30:00Z.
    notRun: Not run: its collection was disabled by token b, 2026-11-15 02:30:00Z to 2026-11-15 05:30:00Z.
    notRun: Not run: everything was paused by token b, 2026-11-15 02:30:00Z to 2026-11-15 05:30:00Z.
    notRun: what would have been sent
    notRun: Not run: nothing could start it in its time. The latest ran at 2026-11-15 05:10:00Z. A backfill ran it at 2026-11-15 11:00:00Z.
    ");
}

#[test]
fn times_at_which_it_was_not_due() {
    let ended = [
        period(hourly(), "2026-11-01", Some("2026-11-10"), State::Enabled),
        period(hourly(), "2026-11-10", None, State::Completed),
    ];
    let counted = ended.clone().map(|period| Period { occurrences_max: Some(216), ..period });
    let periods = enabled();
    let deleted = Some(("token c".to_owned(), at("2026-11-15T01:00:00Z")));
    let told = [
        said(&facts(&periods, "04:10", "UTC")),
        said(&facts(&periods, "2026-11-16T04:10:00Z", "UTC")),
        said(&facts(&periods, "2026-11-16T04:00:00Z", "UTC")),
        said(&facts(&periods, "2026-10-01T04:00:00Z", "UTC")),
        said(&Facts { dropped_until: Some(at("2026-11-03")), ..facts(&periods, "2026-10-01T04:00:00Z", "UTC") }),
        said(&Facts { dropped_until: Some(at("2026-11-03")), ..facts(&periods, "2026-11-02T04:00:00Z", "UTC") }),
        said(&facts(&ended, "2026-11-11T04:00:00Z", "UTC")),
        said(&facts(&counted, "2026-11-11T04:00:00Z", "UTC")),
        said(&Facts { deleted, open: None, ..facts(&periods, "04:00", "UTC") }),
        said(&facts(&periods, "04:00", "UTC")),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    notDue: It was not due at 2026-11-15 04:10:00Z. Before it 2026-11-15 04:00:00Z, after it 2026-11-15 05:00:00Z.
    notDue: It is not due at 2026-11-16 04:10:00Z. Before it 2026-11-16 04:00:00Z, after it 2026-11-16 05:00:00Z.
    due: It is due then.
    notYet: The job did not exist yet; token a created it at 2026-11-01 00:00:00Z.
    unknown: History up to 2026-11-03 00:00:00Z was dropped. Whether it was due is not known.
    unknown: History up to 2026-11-03 00:00:00Z was dropped. It was due, more is not known.
    ended: It ended at 2026-11-10 00:00:00Z.
    ended: It ended at 2026-11-10 00:00:00Z: it had run 216 of 216 times.
    deleted: The job was deleted by token c at 2026-11-15 01:00:00Z.
    unexplained: It was due and nobody can say why it did not run.
    ");
}

#[test]
fn what_is_open() {
    let periods = enabled();
    let open = |nominal: &str, attempt: u32, wake_at: &str| {
        let occurrence = Occurrence { attempt, ..Occurrence::asked_for(Origin::Schedule, at(nominal), at(wake_at)) };
        let occurrence = Occurrence { phase: Phase::Main, series: 1, repeat: 1, ..occurrence };
        Some((Progress { open: Some(occurrence), ..Progress::new(1, at("2026-11-15T11:00:00Z")) }, [].as_slice()))
    };
    let failed = vec![attempt("2026-11-15T12:00:00Z", Some("HTTP 500."))];
    let pause = Some(hold("token b", "2026-11-15T11:30:00Z", None));
    let noon = || facts(&periods, "2026-11-15T12:00:00Z", "UTC");
    let told = [
        said(&Facts { open: open("2026-11-15T12:00:00Z", 0, "2026-11-15T12:00:00Z"), ..noon() }),
        said(&Facts { open: open("2026-11-15T12:00:00Z", 0, "2026-11-15T12:00:00Z"), paused: pause, ..noon() }),
        said(&Facts { open: open("2026-11-15T12:00:00Z", 0, "2026-11-15T12:40:00Z"), ..noon() }),
        said(&Facts {
            open: open("2026-11-15T12:00:00Z", 1, "2026-11-15T12:40:00Z"),
            attempts: failed.clone(),
            ..noon()
        }),
        said(&Facts { open: open("2026-11-15T12:00:00Z", 1, "2026-11-15T12:20:00Z"), attempts: failed, ..noon() }),
        said(&Facts { open: open("2026-11-15T11:00:00Z", 1, "2026-11-15T12:40:00Z"), ..noon() }),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    running: It is running, or next in turn.
    waits: It waits: everything is paused by token b, since 2026-11-15 11:30:00Z.
    waits: It waits until 2026-11-15 12:40:00Z.
    waits: It failed at 2026-11-15 12:00:00Z: HTTP 500. It is tried again at 2026-11-15 12:40:00Z.
    running: It failed at 2026-11-15 12:00:00Z, and is tried again now: HTTP 500.
    waits: The one of 2026-11-15 11:00:00Z is still running or waiting for a retry.
    ");
}

/// In Prague there was no 02:30 on 29 March 2026, and two of them on 25 October.
#[test]
fn nights_on_which_the_clock_changes() {
    let nightly = [period(cron("30 2 * * *", "Europe/Prague"), "2026-01-01", None, State::Enabled)];
    let ran = |asked: &str, started: &str| {
        said(&Facts { attempts: vec![attempt(started, None)], ..facts(&nightly, asked, "Europe/Prague") })
    };
    let told = [
        ran("2026-03-29T02:30", "2026-03-29T01:30:00Z"),
        ran("2026-10-25T02:30", "2026-10-25T00:30:00Z"),
        said(&facts(&nightly, "2026-10-25T01:30:00Z", "Europe/Prague")),
        ran("2026-03-28T02:30", "2026-03-28T01:30:00Z"),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    ran: There was no 02:30 that night; it ran at 03:30. It ran at 2026-03-29 03:30:00+02:00.
    ran: 02:30 came twice; it ran the first time. It ran at 2026-10-25 02:30:00+02:00.
    notDue: 02:30 came twice; it ran the first time, at 2026-10-25 02:30:00+02:00.
    ran: It ran at 2026-03-28 02:30:00+01:00.
    ");
}

#[test]
fn times_that_are_asked_for() {
    let (now, prague) = (at("2026-11-15T12:30:00Z"), Zone::find("Europe/Prague").unwrap());
    let read = |text: &str| AskedTime::parse(text, now, prague).map(|asked| asked.instant().to_string());
    assert_eq!(read("03:15").unwrap(), "2026-11-15T02:15:00Z");
    assert_eq!(read("13:31").unwrap(), "2026-11-14T12:31:00Z");
    assert_eq!(read("2026-11-15T03:15").unwrap(), "2026-11-15T02:15:00Z");
    assert_eq!(read("2026-11-15T03:15:00Z").unwrap(), "2026-11-15T03:15:00Z");
    assert!(read("yesterday").is_err() && read("25:00").is_err());
}
