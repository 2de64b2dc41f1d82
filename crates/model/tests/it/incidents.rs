//! What is told of incidents, and when.

use punctual_model::access::Scope;
use punctual_model::alert::{
    Alert, AlertScope, Conditions, Finding, Form, Incident, Look, Members, QuietHours, Step, Tell, Trouble, Watched,
};
use punctual_model::time::{Span, Timestamp, Zone};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds).unwrap_or(Timestamp::EPOCH)
}

fn alert() -> Alert {
    Alert {
        scope: AlertScope { scope: Scope::Server, job: None },
        conditions: Conditions { failing: Some(1), recovered: true, ..Conditions::default() },
        reminder: None,
        quiet_hours: None,
        form: Form::Json,
    }
}

fn failing(troubled: u64) -> Incident {
    let members = Members { troubled, last_failure: Some(at(100)), ..Members::default() };
    let (told_at, last_told_at, muted_until, well_since) = (None, None, None, None);
    Incident { trouble: Trouble::Failing, opened_at: at(100), told_at, last_told_at, muted_until, well_since, members }
}

fn told(incident: &Incident) -> Incident {
    Incident { told_at: Some(at(105)), last_told_at: Some(at(105)), ..incident.clone() }
}

const fn tells(tell: Tell, look_at: Option<Timestamp>) -> Step {
    Step { tell: Some(tell), closes: false, look_at, well_since: None }
}

const fn waits(look_at: Option<Timestamp>) -> Step {
    Step { tell: None, closes: false, look_at, well_since: None }
}

const fn closes(tell: Option<Tell>) -> Step {
    Step { tell, closes: true, look_at: None, well_since: None }
}

fn well_since(seconds: i64, step: Step) -> Step {
    Step { well_since: Some(at(seconds)), ..step }
}

#[test]
fn what_joins_within_five_seconds_is_in_the_first_message() {
    assert_eq!(failing(1).step(&alert(), at(104)), waits(Some(at(105))));
    assert_eq!(failing(37).step(&alert(), at(105)), tells(Tell::Opened, None));
    assert_eq!(told(&failing(38)).step(&alert(), at(106)), waits(None));
}

#[test]
fn an_incident_is_over_half_a_minute_after_the_last_failure_once_something_ran_well_since() {
    let with = |troubled, well, last_failure, last_well| {
        let (last_failure, last_well) = (Some(at(last_failure)), Some(at(last_well)));
        told(&Incident {
            members: Members { troubled, well, last_failure, last_well, ..Members::default() },
            ..failing(1)
        })
    };
    // Well, but half a minute is not over.
    assert_eq!(with(0, 1, 200, 201).step(&alert(), at(210)), waits(Some(at(230))));
    assert_eq!(with(0, 1, 200, 201).step(&alert(), at(230)), closes(Some(Tell::Recovered)));
    // Two have failed about when the other one was well: half of the jobs recover, half do not.
    assert_eq!(with(2, 1, 200, 201).step(&alert(), at(230)), waits(Some(at(260))));
    assert_eq!(with(2, 1, 200, 229).step(&alert(), at(999)), waits(Some(at(1029))));
    // Two have not run since: they are named, not waited for, once they had the time to fail with the others.
    assert_eq!(with(2, 1, 200, 260).step(&alert(), at(260)), well_since(260, waits(Some(at(290)))));
    assert_eq!(with(2, 1, 200, 260).step(&alert(), at(290)), well_since(260, closes(Some(Tell::Recovered))));
    // One has failed since the other one was well.
    assert_eq!(with(1, 1, 300, 201).step(&alert(), at(400)), waits(Some(at(430))));
}

#[test]
fn a_job_that_seldom_runs_is_not_waited_for_though_the_others_were_well_at_once() {
    let with = |last_success| {
        let (last_failure, last_well, last_success) = (Some(at(200)), Some(at(203)), Some(at(last_success)));
        let members = Members { troubled: 1, well: 1, last_failure, last_well, last_success, ..Members::default() };
        told(&Incident { members, ..failing(1) })
    };
    assert_eq!(with(203).step(&alert(), at(205)), waits(Some(at(235))), "it is looked at again by itself");
    assert_eq!(with(263).step(&alert(), at(265)), well_since(263, waits(Some(at(293)))));
    assert_eq!(with(263).step(&alert(), at(293)), well_since(263, closes(Some(Tell::Recovered))));
}

#[test]
fn an_incident_ends_although_a_job_that_is_well_runs_every_few_seconds() {
    let with = |last_failure, well_since, last_success| {
        let (last_failure, last_well, last_success) = (Some(at(last_failure)), Some(at(203)), Some(at(last_success)));
        let members = Members { troubled: 1, well: 1, last_failure, last_well, last_success, ..Members::default() };
        told(&Incident { well_since, members, ..failing(1) })
    };
    // Each step hands the first success on to the next one, by which time there were others.
    let first = with(200, None, 233).step(&alert(), at(235));
    assert_eq!(first, well_since(233, waits(Some(at(263)))));
    let next = with(200, first.well_since, 248).step(&alert(), at(250));
    assert_eq!(next, well_since(233, waits(Some(at(263)))));
    assert_eq!(with(200, next.well_since, 263).step(&alert(), at(263)), well_since(233, closes(Some(Tell::Recovered))));
    // A failure meanwhile: what succeeded before it had settled says nothing any more.
    let failed = with(240, next.well_since, 263).step(&alert(), at(263));
    assert_eq!(failed, waits(Some(at(293))));
    assert_eq!(with(240, failed.well_since, 278).step(&alert(), at(293)), well_since(278, waits(Some(at(308)))));
}

#[test]
fn a_job_in_trouble_that_is_under_way_is_waited_for() {
    let with = |next_attempt| {
        let (last_failure, last_well, next_attempt) = (Some(at(200)), Some(at(231)), Some(at(next_attempt)));
        let members = Members { troubled: 1, well: 1, last_failure, last_well, next_attempt, ..Members::default() };
        told(&Incident { members, ..failing(1) })
    };
    // An attempt that takes half a minute to fail began before the other job was well for long enough.
    assert_eq!(with(260).step(&alert(), at(262)), well_since(231, waits(Some(at(292)))));
    assert_eq!(with(3600).step(&alert(), at(262)), well_since(231, closes(Some(Tell::Recovered))));
    // One that should have run an hour ago does not run at all.
    assert_eq!(with(260).step(&alert(), at(3861)), well_since(231, closes(Some(Tell::Recovered))));
}

#[test]
fn an_incident_whose_jobs_have_all_gone_is_over_without_a_word() {
    let members = Members { gone: 3, last_failure: Some(at(100)), ..Members::default() };
    let untold = Incident { members, ..failing(0) };
    assert_eq!(untold.step(&alert(), at(105)), closes(Some(Tell::Opened)), "they have failed all the same");
    let deserted = told(&untold);
    assert_eq!(deserted.step(&alert(), at(106)), closes(None));
    let pager = Alert { form: Form::PagerDuty, ..alert() };
    assert_eq!(deserted.step(&pager, at(106)), closes(Some(Tell::Recovered)));
}

#[test]
fn a_receiver_that_was_told_is_kept_from_taking_a_muted_incident_for_over() {
    let manager = Alert { form: Form::Alertmanager, ..alert() };
    let muted = |incident: Incident| Incident { muted_until: Some(at(1000)), ..incident };
    assert_eq!(muted(told(&failing(1))).step(&manager, at(120)), waits(Some(at(165))));
    assert_eq!(muted(told(&failing(1))).step(&manager, at(165)), tells(Tell::Lasts, Some(at(225))));
    // Who was not told, or needs no telling, hears nothing.
    assert_eq!(muted(failing(1)).step(&manager, at(165)), waits(Some(at(1000))));
    assert_eq!(muted(told(&failing(1))).step(&alert(), at(165)), waits(Some(at(1000))));
    // What is over is not kept alive.
    let members = Members { well: 1, last_failure: Some(at(100)), last_well: Some(at(110)), ..Members::default() };
    let over = muted(told(&Incident { members, ..failing(0) }));
    assert_eq!(over.step(&manager, at(165)), waits(Some(at(1000))));
    let night = QuietHours::new("00:00", "12:00", Zone::utc()).expect("quiet hours");
    let quiet = Alert { quiet_hours: Some(night), ..manager };
    assert_eq!(told(&failing(1)).step(&quiet, at(165)), tells(Tell::Lasts, Some(at(225))));
}

#[test]
fn who_does_not_want_to_hear_of_recoveries_hears_of_a_failure_that_was_short() {
    let members = Members { well: 1, last_failure: Some(at(100)), last_well: Some(at(103)), ..Members::default() };
    let short = Incident { members, ..failing(0) };
    let conditions = Conditions { failing: Some(1), ..Conditions::default() };
    let alert = Alert { conditions, ..alert() };
    assert_eq!(short.step(&alert, at(105)), tells(Tell::Opened, Some(at(130))));
    assert_eq!(told(&short).step(&alert, at(130)), closes(None));
}

#[test]
fn reminders_come_as_often_as_they_are_wanted() {
    let alert = Alert { reminder: Some(Span::from_seconds(3600)), ..alert() };
    assert_eq!(told(&failing(1)).step(&alert, at(3704)), waits(Some(at(3705))));
    assert_eq!(told(&failing(1)).step(&alert, at(3705)), tells(Tell::Reminder, Some(at(7305))));
}

#[test]
fn alertmanager_hears_every_minute_that_an_incident_lasts() {
    let alert = Alert { form: Form::Alertmanager, ..alert() };
    assert_eq!(told(&failing(1)).step(&alert, at(165)), tells(Tell::Lasts, Some(at(225))));
}

#[test]
fn quiet_hours_hold_messages_back_and_not_incidents() {
    let quiet_hours = QuietHours::new("00:00", "01:00", Zone::utc()).ok();
    let alert = Alert { quiet_hours, ..alert() };
    assert_eq!(failing(1).step(&alert, at(105)), waits(Some(at(3600))));
    assert_eq!(failing(1).step(&alert, at(3600)), tells(Tell::Opened, None));
    // It was over before anybody could be told that it had begun.
    let members = Members { well: 1, last_failure: Some(at(100)), last_well: Some(at(150)), ..Members::default() };
    assert_eq!(Incident { members, ..failing(0) }.step(&alert, at(3600)), closes(Some(Tell::Recovered)));
}

#[test]
fn of_what_is_muted_nothing_is_told() {
    let muted = Incident { muted_until: Some(at(1000)), ..failing(1) };
    assert_eq!(muted.step(&alert(), at(200)), waits(Some(at(1000))));
    assert_eq!(muted.step(&alert(), at(1000)), tells(Tell::Opened, None));
    let members = Members { well: 1, last_failure: Some(at(100)), last_well: Some(at(150)), ..Members::default() };
    let over = Incident { members, ..muted };
    assert_eq!(over.step(&alert(), at(200)), closes(None));
    let pager = Alert { form: Form::PagerDuty, ..alert() };
    assert_eq!(over.step(&pager, at(200)), closes(None), "it was told of nothing");
    assert_eq!(told(&over).step(&pager, at(200)), waits(Some(at(1000))), "it keeps it open until it hears of the end");
}

#[test]
fn what_happens_and_is_over_is_told_once() {
    let ended = Incident { trouble: Trouble::Ended, ..failing(1) };
    assert_eq!(ended.step(&alert(), at(105)), closes(Some(Tell::Opened)));
    // Alertmanager takes it for over by itself.
    let manager = Alert { form: Form::Alertmanager, ..alert() };
    assert_eq!(ended.step(&manager, at(105)), closes(Some(Tell::Opened)));
}

#[test]
fn what_happened_is_closed_an_hour_later_where_it_would_stay_open() {
    let pager = Alert { form: Form::PagerDuty, reminder: Some(Span::from_seconds(600)), ..alert() };
    let ended = Incident { trouble: Trouble::Ended, ..failing(1) };
    assert_eq!(ended.step(&pager, at(105)), tells(Tell::Opened, Some(at(3705))));
    // Something has it looked at before, such as an edit of the alert: nobody is reminded, and nothing is closed.
    assert_eq!(told(&ended).step(&pager, at(705)), waits(Some(at(3705))));
    assert_eq!(told(&ended).step(&pager, at(3705)), closes(Some(Tell::Recovered)));
    // The alert has another form by then: its receiver has nothing to close.
    assert_eq!(told(&ended).step(&alert(), at(3705)), closes(None));
    // The same for a job that failed and has ended by that: nobody else will say that it is over.
    let members = Members { gone: 1, last_failure: Some(at(100)), ..Members::default() };
    let deserted = Incident { members, ..failing(0) };
    assert_eq!(deserted.step(&pager, at(105)), tells(Tell::Opened, Some(at(3705))));
    assert_eq!(told(&deserted).step(&pager, at(3705)), closes(Some(Tell::Recovered)));
}

#[test]
fn other_troubles_are_over_when_no_job_is_in_them() {
    let stale = told(&Incident { trouble: Trouble::Stale, ..failing(1) });
    assert_eq!(stale.step(&alert(), at(500)), waits(None));
    let members = Members { well: 1, last_well: Some(at(500)), ..Members::default() };
    assert_eq!(Incident { members, ..stale }.step(&alert(), at(500)), closes(Some(Tell::Recovered)));
}

#[test]
fn conditions_that_say_nothing_or_too_much_are_refused() {
    let paths = |conditions: Conditions| {
        let violations = Alert { conditions, reminder: Some(Span::from_seconds(60)), ..alert() }.check();
        violations.into_iter().map(|violation| violation.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(Conditions::default()), ["when", "reminder"]);
    assert_eq!(paths(Conditions { recovered: true, ..Conditions::default() }), ["when", "reminder"]);
    let silent = Some(Span::from_seconds(59));
    let wrong = Conditions { failing: Some(0), silent, ..Conditions::default() };
    assert_eq!(paths(wrong), ["when.failing.attempts", "when.silent.after", "reminder"]);
}

#[test]
fn late_runs_are_over_when_none_was_late_for_an_hour() {
    let members = Members { troubled: 2, last_joined: Some(at(400)), ..Members::default() };
    let late = told(&Incident { trouble: Trouble::Late, members, ..failing(1) });
    assert_eq!(late.step(&alert(), at(500)), waits(Some(at(4000))));
    assert_eq!(late.step(&alert(), at(4000)), closes(Some(Tell::Recovered)));
}

fn watched(expected: Option<i64>, due_at: i64, last_started: Option<i64>) -> Watched<'static> {
    Watched {
        expected: expected.map(at),
        due_at: at(due_at),
        last_started: last_started.map(at),
        last_success: None,
        since: at(0),
        expires_at: None,
        server_started_at: at(50),
        cause: None,
        held: None,
        unanswered: last_started.map(|started| at((started / 3600 + 1) * 3600)),
        first: None,
        next: Some(at(7200)),
    }
}

fn look(trouble: Trouble, watched: &Watched<'_>, now: i64) -> Look {
    let conditions = Conditions {
        silent: Some(Span::from_seconds(300)),
        stale: Some(Span::from_seconds(3600)),
        expiring: Some(Span::from_seconds(86400)),
        ..Conditions::default()
    };
    conditions.look(trouble, watched, at(now)).unwrap()
}

fn told_of(look: &Look) -> &str {
    match &look.finding {
        Finding::Troubled(_, text) | Finding::MadeGood(_, text) => text,
        Finding::Well { .. } => "",
    }
}

#[test]
fn a_run_without_an_outcome_is_silence() {
    // The first look expects the next run.
    let first = look(Trouble::Silent, &watched(None, 100, None), 100);
    assert_eq!((told_of(&first), first.expected, first.due_at), ("", Some(at(7200)), at(7500)));
    let ran = look(Trouble::Silent, &watched(Some(3600), 3900, Some(3601)), 3900);
    assert_eq!((told_of(&ran), ran.expected, ran.due_at), ("", Some(at(7200)), at(7500)));
    let silent = look(Trouble::Silent, &watched(Some(3600), 3900, Some(1)), 3900);
    assert_eq!(told_of(&silent), "was silent for 5 minutes: what was due at 1970-01-01T01:00:00Z has no outcome yet.");
    assert_eq!((silent.expected, silent.due_at), (Some(at(3600)), at(3960)), "it is looked at again soon");
    let held = Watched { held: Some(("paused", "everything is paused.")), ..watched(Some(3600), 3900, Some(1)) };
    assert_eq!(told_of(&look(Trouble::Silent, &held, 3900)), "was silent for 5 minutes: everything is paused.");
}

#[test]
fn silence_while_the_server_was_down_is_told_when_it_starts() {
    let down = Watched { server_started_at: at(7000), ..watched(Some(3600), 3900, Some(1)) };
    assert_eq!(told_of(&look(Trouble::Silent, &down, 7001)), "was silent for 56 minutes: the server was down.");
    // The next look finds the same silence for the same reason.
    let again = Watched { cause: Some("down"), due_at: at(7061), ..down };
    assert_eq!(told_of(&look(Trouble::Silent, &again, 7061)), "was silent for 57 minutes: the server was down.");
    // It was made good before anyone could look.
    let late = Watched { last_started: Some(at(7000)), unanswered: Some(at(7200)), ..down };
    let found = look(Trouble::Silent, &late, 7001);
    assert_eq!(told_of(&found), "was silent for 56 minutes: the server was down.");
    assert!(matches!(found.finding, Finding::MadeGood(..)));
    // It had run before the server went down.
    let ran = Watched { last_started: Some(at(3600)), unanswered: Some(at(7200)), ..down };
    assert_eq!(told_of(&look(Trouble::Silent, &ran, 7001)), "");
    // What was expected had run, and the one after it had not.
    let missed = Watched { last_started: Some(at(3600)), unanswered: Some(at(3660)), ..down };
    assert_eq!(told_of(&look(Trouble::Silent, &missed, 7001)), "was silent for 55 minutes: the server was down.");
}

#[test]
fn a_trouble_ends_well_only_if_something_shows_it() {
    let finding = |trouble, watched: Watched<'_>, now| look(trouble, &watched, now).finding;
    let (shown, not_shown) = (Finding::Well { is_shown: true }, Finding::Well { is_shown: false });
    let silent = Watched { cause: Some("noOutcome"), ..watched(Some(3600), 3900, Some(1)) };
    assert_eq!(
        finding(Trouble::Silent, Watched { last_started: Some(at(3950)), unanswered: None, ..silent }, 3960),
        shown
    );
    assert_eq!(finding(Trouble::Silent, Watched { unanswered: Some(at(7200)), ..silent }, 3960), not_shown, "skipped");
    // An edit, such as one that disables the job, is no success.
    let stale = Watched { cause: Some(""), since: at(7000), ..watched(None, 0, None) };
    assert_eq!(told_of(&look(Trouble::Stale, &stale, 7200)), "has never succeeded.");
    assert_eq!(finding(Trouble::Stale, Watched { cause: None, ..stale }, 7200), not_shown);
    assert_eq!(finding(Trouble::Stale, Watched { last_success: Some(at(7100)), ..stale }, 7200), shown);
}

#[test]
fn a_job_that_has_not_come_to_its_first_run_is_not_stale() {
    let future = Watched { first: Some(at(100_000)), ..watched(None, 0, None) };
    assert_eq!(look(Trouble::Stale, &future, 7200).due_at, at(103_600));
    assert_eq!(told_of(&look(Trouble::Stale, &future, 103_600)), "has never succeeded.");
}

#[test]
fn what_has_not_succeeded_for_long_is_stale() {
    let never = look(Trouble::Stale, &watched(None, 0, None), 3599);
    assert_eq!((told_of(&never), never.due_at), ("", at(3600)));
    assert_eq!(told_of(&look(Trouble::Stale, &watched(None, 0, None), 7200)), "has never succeeded.");
    let once = Watched { last_success: Some(at(3600)), ..watched(None, 0, None) };
    assert_eq!(look(Trouble::Stale, &once, 3700).due_at, at(7200));
    assert_eq!(told_of(&look(Trouble::Stale, &once, 10_800)), "has not succeeded for 2 hours.");
}

#[test]
fn what_ends_soon_is_told_in_time() {
    let ends = Watched { expires_at: Some(at(200_000)), ..watched(None, 0, None) };
    assert_eq!(look(Trouble::Expiring, &ends, 0).due_at, at(113_600));
    let text = "has a certificate or signature that ends in 24 hours, at 1970-01-03T07:33:20Z.";
    assert_eq!(told_of(&look(Trouble::Expiring, &ends, 113_600)), text);
    let text = "has a certificate or signature that ended at 1970-01-03T07:33:20Z.";
    assert_eq!(told_of(&look(Trouble::Expiring, &ends, 200_000)), text);
}
