//! What is told of incidents, and when.

use punctual_model::access::Scope;
use punctual_model::alert::{Alert, AlertScope, Conditions, Form, Incident, Members, QuietHours, Step, Tell, Trouble};
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
    let (told_at, last_told_at, muted_until) = (None, None, None);
    Incident { trouble: Trouble::Failing, opened_at: at(100), told_at, last_told_at, muted_until, members }
}

fn told(incident: Incident) -> Incident {
    Incident { told_at: Some(at(105)), last_told_at: Some(at(105)), ..incident }
}

const fn tells(tell: Tell, look_at: Option<Timestamp>) -> Step {
    Step { tell: Some(tell), closes: false, look_at }
}

const fn waits(look_at: Option<Timestamp>) -> Step {
    Step { tell: None, closes: false, look_at }
}

const fn closes(tell: Option<Tell>) -> Step {
    Step { tell, closes: true, look_at: None }
}

#[test]
fn what_joins_within_five_seconds_is_in_the_first_message() {
    assert_eq!(failing(1).step(&alert(), at(104)), waits(Some(at(105))));
    assert_eq!(failing(37).step(&alert(), at(105)), tells(Tell::Opened, None));
    assert_eq!(told(failing(38)).step(&alert(), at(106)), waits(None));
}

#[test]
fn an_incident_is_over_half_a_minute_after_the_last_failure_once_something_ran_well_since() {
    let with = |troubled, well, last_failure, last_well| {
        let (last_failure, last_well) = (Some(at(last_failure)), Some(at(last_well)));
        told(Incident { members: Members { troubled, well, gone: 0, last_failure, last_well }, ..failing(1) })
    };
    // Well, but half a minute is not over.
    assert_eq!(with(0, 1, 200, 201).step(&alert(), at(210)), waits(Some(at(230))));
    assert_eq!(with(0, 1, 200, 201).step(&alert(), at(230)), closes(Some(Tell::Recovered)));
    // Two have not run since: they are named, not waited for.
    assert_eq!(with(2, 1, 200, 201).step(&alert(), at(230)), closes(Some(Tell::Recovered)));
    // One has failed since the other one was well.
    assert_eq!(with(1, 1, 300, 201).step(&alert(), at(400)), waits(None));
}

#[test]
fn an_incident_whose_jobs_have_all_gone_is_over_without_a_word() {
    let members = Members { gone: 3, last_failure: Some(at(100)), ..Members::default() };
    let deserted = told(Incident { members, ..failing(0) });
    assert_eq!(deserted.step(&alert(), at(106)), closes(None));
    let pager = Alert { form: Form::PagerDuty, ..alert() };
    assert_eq!(deserted.step(&pager, at(106)), closes(Some(Tell::Recovered)));
}

#[test]
fn who_does_not_want_to_hear_of_recoveries_hears_of_a_failure_that_was_short() {
    let members = Members { well: 1, last_failure: Some(at(100)), last_well: Some(at(103)), ..Members::default() };
    let short = Incident { members, ..failing(0) };
    let conditions = Conditions { failing: Some(1), ..Conditions::default() };
    let alert = Alert { conditions, ..alert() };
    assert_eq!(short.step(&alert, at(105)), tells(Tell::Opened, Some(at(130))));
    assert_eq!(told(short).step(&alert, at(130)), closes(None));
}

#[test]
fn reminders_come_as_often_as_they_are_wanted() {
    let alert = Alert { reminder: Some(Span::from_seconds(3600)), ..alert() };
    assert_eq!(told(failing(1)).step(&alert, at(3704)), waits(Some(at(3705))));
    assert_eq!(told(failing(1)).step(&alert, at(3705)), tells(Tell::Reminder, Some(at(7305))));
}

#[test]
fn alertmanager_hears_every_minute_that_an_incident_lasts() {
    let alert = Alert { form: Form::Alertmanager, ..alert() };
    assert_eq!(told(failing(1)).step(&alert, at(165)), tells(Tell::Lasts, Some(at(225))));
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
    assert_eq!(Incident { members, ..muted }.step(&alert(), at(200)), closes(None));
}

#[test]
fn what_happens_and_is_over_is_told_once() {
    let ended = Incident { trouble: Trouble::Ended, ..failing(1) };
    assert_eq!(ended.step(&alert(), at(105)), closes(Some(Tell::Opened)));
}

#[test]
fn other_troubles_are_over_when_no_job_is_in_them() {
    let late = told(Incident { trouble: Trouble::Late, ..failing(1) });
    assert_eq!(late.step(&alert(), at(500)), waits(None));
    let members = Members { well: 1, last_well: Some(at(500)), ..Members::default() };
    assert_eq!(Incident { members, ..late }.step(&alert(), at(500)), closes(Some(Tell::Recovered)));
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
