//! Messages as their receivers get them.

use punctual_model::Name;
use punctual_model::action::{Action, Address, EmailAction, EmailAddress, HttpAction, HttpType, Target};
use punctual_model::alert::{AlertScope, Form, Message, MessageKind, Trouble, TroubledJob};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::time::Timestamp;
use serde_json::Value;

use super::{check, compose, redirect, same_receiver};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_800_000_000 + seconds).unwrap_or(Timestamp::EPOCH)
}

fn job(name: &str, attempts: u64) -> TroubledJob {
    TroubledJob { path: format!("local/default/ops/{name}"), since: at(0), attempts, retry_at: Some(at(60)) }
}

fn message(kind: MessageKind) -> Message {
    Message {
        kind,
        alert: Name::parse("on-call").expect("a name"),
        scope: AlertScope::SERVER,
        incident: "0a1b-7".to_owned(),
        trouble: Trouble::Failing,
        target: "api.example.com:443".to_owned(),
        cause: "status".to_owned(),
        is_over: kind == MessageKind::Recovered,
        failure: Some(Failure::answered(FailureClass::Status, "api.example.com", 503, "")),
        detail: String::new(),
        jobs: vec![job("nightly", 3), job("hourly", 1)],
        troubled: 37,
        well: 0,
        well_jobs: Vec::new(),
        gone: 0,
        gone_jobs: Vec::new(),
        since: at(0),
        until: at(5),
        at: at(6),
        excerpt: "<h1>down & out</h1>".to_owned(),
        link: Some("https://jobs.example.com/v1/incidents/7".to_owned()),
        home: "local/Default".to_owned(),
    }
}

fn action(body: Option<&str>) -> Action {
    let http = HttpAction {
        kind: HttpType::Https,
        uri: Address::parse("https://hooks.example.com/x").expect("an address"),
        method: "POST".to_owned(),
        headers: Vec::new(),
        body: body.map(str::to_owned),
        authentication: None,
    };
    Action { target: Target::Http(http), retry: None, error: None, sign: None }
}

fn composed(form: Form, kind: MessageKind, body: Option<&str>) -> Value {
    let Target::Http(http) = compose(&action(body), form, &message(kind)).target else { return Value::Null };
    serde_json::from_str(&http.body.unwrap_or_default()).unwrap_or_default()
}

fn shown(form: Form, kind: MessageKind, body: Option<&str>) -> String {
    serde_json::to_string_pretty(&composed(form, kind, body)).unwrap_or_default()
}

#[test]
fn slack_gets_a_line_and_blocks() {
    insta::assert_snapshot!(shown(Form::Slack, MessageKind::Opened, None));
}

#[test]
fn teams_gets_a_card() {
    insta::assert_snapshot!(shown(Form::Teams, MessageKind::Reminder, None));
}

#[test]
fn pager_duty_gets_an_event_with_the_key_that_the_user_gave() {
    insta::assert_snapshot!(shown(Form::PagerDuty, MessageKind::Opened, Some(r#"{"routing_key": "k"}"#)));
    assert_eq!(composed(Form::PagerDuty, MessageKind::Recovered, None)["event_action"], "resolve");
}

/// What has happened does not recover: its end says what is closed.
#[test]
fn pager_duty_is_told_which_event_is_closed() {
    let closed = |message: Message| (message.headline(), message.details());
    let ended = Message {
        trouble: Trouble::Ended,
        jobs: vec![job("nightly", 3)],
        troubled: 1,
        ..message(MessageKind::Recovered)
    };
    let (headline, details) = closed(ended.clone());
    assert_eq!(
        headline,
        "Closed: ops/nightly ended with a failure at api.example.com:443: api.example.com answered 503 Service Unavailable."
    );
    assert_eq!(details.len(), 1, "{details:?}");
    assert!(details[0].starts_with("ops/nightly: 3 failed attempts since"), "{details:?}");
    // Nothing is known of it any more when its alert is deleted.
    let (headline, _) = closed(Message { jobs: Vec::new(), troubled: 0, failure: None, ..ended });
    assert_eq!(headline, "Over: no job is in trouble at api.example.com:443 any more.");
}

#[test]
fn alertmanager_gets_an_alert_that_ends_unless_it_is_told_again() {
    insta::assert_snapshot!(shown(Form::Alertmanager, MessageKind::Opened, Some(r#"{"team": "ops", "level": 2}"#)));
    let over = composed(Form::Alertmanager, MessageKind::Recovered, None);
    assert_eq!(over[0]["endsAt"], at(6).to_string());
}

/// Alertmanager knows an alert by its labels: with others, the end of an incident would be the end of another alert.
#[test]
fn alertmanager_gets_the_same_labels_as_long_as_an_incident_lasts() {
    let labels = |message: &Message| {
        let Target::Http(http) = compose(&action(None), Form::Alertmanager, message).target else { return Value::Null };
        serde_json::from_str::<Value>(&http.body.unwrap_or_default()).unwrap_or_default()[0]["labels"].clone()
    };
    let opened = message(MessageKind::Opened);
    let recovered = Message {
        failure: None,
        jobs: Vec::new(),
        troubled: 0,
        well: 37,
        at: at(90),
        ..message(MessageKind::Recovered)
    };
    assert_eq!(labels(&recovered), labels(&opened));
}

#[test]
fn programs_get_everything_that_is_known() {
    insta::assert_snapshot!(shown(Form::Json, MessageKind::Opened, Some(r#"{"team": "ops"}"#)));
}

fn email() -> Action {
    let to = vec![EmailAddress::parse("ops@example.com").expect("an address")];
    Action { target: Target::Email(EmailAction { to, message: None }), retry: None, error: None, sign: None }
}

#[test]
fn people_get_plain_text_by_email() {
    let Target::Email(composed) = compose(&email(), Form::Json, &message(MessageKind::Opened)).target else { return };
    let written = composed.message.expect("a message");
    insta::assert_snapshot!(format!("{}\n\n{}", written.subject, written.text), @"
    37 jobs fail at api.example.com:443: api.example.com answered 503 Service Unavailable. Since 2027-01-15T08:00:00Z.

    37 jobs fail at api.example.com:443: api.example.com answered 503 Service Unavailable. Since 2027-01-15T08:00:00Z.

    ops/nightly: 3 failed attempts since 2027-01-15T08:00:00Z, next attempt at 2027-01-15T08:01:00Z
    ops/hourly: 1 failed attempt since 2027-01-15T08:00:00Z, next attempt at 2027-01-15T08:01:00Z
    and 35 more

    The last answer:
    > <h1>down & out</h1>

    Run again what failed:
      punctual rerun --target api.example.com:443 --since 2027-01-15T08:00:00Z

    -- 
    Punctual, alert on-call
    ");
    assert_eq!((written.incident.as_str(), written.alert.as_str(), written.at), ("0a1b-7", "on-call", at(6)));
}

#[test]
fn no_line_of_a_subject_or_an_answer_is_taken_for_one_of_ours() {
    let hostile = Message {
        trouble: Trouble::Operator,
        detail: format!("a\r\nBcc: b@example.com\u{85}{}", "x".repeat(300)),
        excerpt: "one\r\n\u{1b}[2Jtwo".to_owned(),
        ..message(MessageKind::Opened)
    };
    let Target::Email(composed) = compose(&email(), Form::Json, &hostile).target else { return };
    let written = composed.message.expect("a message");
    assert!(written.subject.starts_with("a  Bcc: b@example.com xxx"), "{}", written.subject);
    assert_eq!(written.subject.chars().count(), 160);
    assert!(written.text.contains("> one\n>  [2Jtwo\n"), "{}", written.text);
}

#[test]
fn an_email_has_no_other_form() {
    let texts = |form| check(&email(), form).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_eq!(texts(Form::Json), "");
    insta::assert_snapshot!(texts(Form::PagerDuty), @"format: pagerDuty is sent over HTTP: give action.request, or leave format out");
}

#[test]
fn an_action_that_cannot_carry_a_message_is_refused() {
    let texts = |body, form| check(&action(body), form).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_eq!(texts(None, Form::Slack), "");
    assert_eq!(texts(Some("{}"), Form::Json), "");
    insta::assert_snapshot!(texts(Some("text"), Form::Json), @"action.request.body: an alert writes its own message: leave this out, or give a JSON object whose members are added to each message");
    insta::assert_snapshot!(texts(None, Form::PagerDuty), @r#"action.request.body: PagerDuty needs the integration key of the service: give {"routing_key": "…"}"#);
}

/// Texts that would be links, code or another line if a receiver took them for more than texts.
fn hostile() -> Message {
    let path = "local/default/<http:evil|x>/[a](http://evil) `b`".to_owned();
    Message {
        jobs: vec![TroubledJob { path, ..job("", 2) }],
        troubled: 1,
        excerpt: "``` <http://evil|Look>\n[Look at it](http://evil)".to_owned(),
        ..message(MessageKind::Opened)
    }
}

#[test]
fn no_name_and_no_answer_is_more_than_a_text() {
    for form in [Form::Slack, Form::Teams] {
        let Target::Http(http) = compose(&action(None), form, &hostile()).target else { return };
        let body: Value = serde_json::from_str(&http.body.unwrap_or_default()).unwrap_or_default();
        insta::assert_snapshot!(format!("{}_with_hostile_names", form.name()), format!("{body:#}"));
    }
}

#[test]
fn headlines_are_sentences() {
    let one =
        Message { troubled: 1, jobs: message(MessageKind::Opened).jobs[..1].to_vec(), ..message(MessageKind::Opened) };
    let recovered = Message { kind: MessageKind::Recovered, well: 1, well_jobs: vec![job("hourly", 1)], ..one.clone() };
    let lines = [
        one.headline(),
        message(MessageKind::Opened).headline(),
        message(MessageKind::Reminder).headline(),
        recovered.headline(),
        Message { well: 36, troubled: 0, jobs: Vec::new(), ..recovered.clone() }.headline(),
        Message { trouble: Trouble::Late, detail: "started 3 minutes late.".into(), ..one.clone() }.headline(),
        Message { trouble: Trouble::Ended, ..one.clone() }.headline(),
        message(MessageKind::Test).headline(),
    ];
    insta::assert_snapshot!(lines.join("\n"), @"
    ops/nightly fails at api.example.com:443: api.example.com answered 503 Service Unavailable.
    37 jobs fail at api.example.com:443: api.example.com answered 503 Service Unavailable. Since 2027-01-15T08:00:00Z.
    Reminder: 37 jobs fail at api.example.com:443: api.example.com answered 503 Service Unavailable. Since 2027-01-15T08:00:00Z.
    Recovered: ops/hourly is well again at api.example.com:443. ops/nightly has not run yet.
    Recovered: 36 jobs are well again at api.example.com:443.
    ops/nightly started 3 minutes late.
    ops/nightly ended with a failure at api.example.com:443: api.example.com answered 503 Service Unavailable.
    Test of the alert on-call: messages arrive.
    ");
}

#[test]
fn a_message_is_sent_on_with_the_same_text_and_what_the_user_adds_now() {
    let sent = compose(&action(Some(r#"{"routing_key": "old"}"#)), Form::PagerDuty, &message(MessageKind::Opened));
    let mut now = action(Some(r#"{"routing_key": "new"}"#));
    let Target::Http(http) = &mut now.target else { return };
    http.uri = Address::parse("https://right.example.com/x").expect("an address");
    let Some(Action { target: Target::Http(redirected), .. }) = redirect(&now, &sent) else { panic!("both are HTTP") };
    let anew = compose(&now, Form::PagerDuty, &message(MessageKind::Opened));
    assert_eq!(Target::Http(redirected), anew.target);
    let list = compose(&action(None), Form::Alertmanager, &message(MessageKind::Opened));
    assert_eq!(redirect(&action(Some(r#"{"severity": "page"}"#)), &list).map(|it| it.target), Some(list.target));
    let to = EmailAddress::parse("ops@example.com").expect("an address");
    let email = Target::Email(EmailAction { to: vec![to], message: None });
    assert_eq!(redirect(&Action { target: email, ..action(None) }, &sent), None);
}

#[test]
fn many_jobs_have_a_plural() {
    let line = |trouble, detail: &str, troubled| {
        Message { trouble, detail: detail.to_owned(), troubled, ..message(MessageKind::Opened) }.headline()
    };
    let lines: Vec<String> = [
        (Trouble::Silent, "was silent for 5 minutes: its collection is disabled."),
        (Trouble::Slow, "has run for 3 minutes."),
        (Trouble::Stale, "has never succeeded, for 2 days."),
        (Trouble::Expiring, "has a certificate or signature that ended at 2027-01-01T00:00:00Z."),
        (Trouble::Late, "started 3 minutes late."),
    ]
    .iter()
    .flat_map(|(trouble, detail)| [line(*trouble, detail, 1), line(*trouble, detail, 2)])
    .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    ops/nightly was silent for 5 minutes: its collection is disabled.
    2 jobs were silent. ops/nightly was silent for 5 minutes: its collection is disabled.
    ops/nightly has run for 3 minutes.
    2 jobs run for long. ops/nightly has run for 3 minutes.
    ops/nightly has never succeeded, for 2 days.
    2 jobs have not succeeded for too long. ops/nightly has never succeeded, for 2 days.
    ops/nightly has a certificate or signature that ended at 2027-01-01T00:00:00Z.
    2 jobs have certificates or signatures that end soon. ops/nightly has a certificate or signature that ended at 2027-01-01T00:00:00Z.
    ops/nightly started 3 minutes late.
    2 jobs started late. ops/nightly started 3 minutes late.
    ");
}

#[test]
fn what_is_over_when_it_is_told_is_told_in_the_past() {
    let late = Message {
        is_over: true,
        jobs: Vec::new(),
        troubled: 0,
        well: 1,
        well_jobs: vec![TroubledJob { retry_at: None, ..job("nightly", 2) }],
        at: at(3600),
        ..message(MessageKind::Opened)
    };
    let slow = Message { trouble: Trouble::Slow, detail: "has run for 3 minutes.".into(), ..late.clone() };
    let stale = Message { trouble: Trouble::Stale, detail: "has never succeeded, for 2 days.".into(), ..late.clone() };
    let many = Message { well: 12, ..late.clone() };
    let texts = [late, many, slow, stale].map(|it| format!("{}\n{}", it.headline(), it.details().join("\n")));
    insta::assert_snapshot!(texts.join("\n\n"), @"
    ops/nightly failed at api.example.com:443: api.example.com answered 503 Service Unavailable.
    ops/nightly: 2 failed attempts since 2027-01-15T08:00:00Z
    It lasted from 2027-01-15T08:00:00Z to 2027-01-15T08:00:05Z.

    12 jobs failed at api.example.com:443: api.example.com answered 503 Service Unavailable.
    ops/nightly: 2 failed attempts since 2027-01-15T08:00:00Z
    and 11 more
    It lasted from 2027-01-15T08:00:00Z to 2027-01-15T08:00:05Z.

    ops/nightly ran for more than 3 minutes.
    ops/nightly: 2 failed attempts since 2027-01-15T08:00:00Z
    It lasted from 2027-01-15T08:00:00Z to 2027-01-15T08:00:05Z.

    ops/nightly had never succeeded, for 2 days.
    ops/nightly: 2 failed attempts since 2027-01-15T08:00:00Z
    It lasted from 2027-01-15T08:00:00Z to 2027-01-15T08:00:05Z.
    ");
    let over = Message { well: 12, well_jobs: vec![job("a", 1)], ..message(MessageKind::Recovered) };
    insta::assert_snapshot!(over.details().join("\n"), @"
    ops/nightly: has not run yet
    ops/hourly: has not run yet
    and 35 more
    What was wrong: api.example.com answered 503 Service Unavailable.
    It lasted from 2027-01-15T08:00:00Z to 2027-01-15T08:00:05Z.
    ");
}

#[test]
fn the_command_runs_again_what_the_message_is_about() {
    let many = message(MessageKind::Opened);
    let one = Message { troubled: 1, since: at(-90), ..many.clone() };
    let scope = |text: &str| {
        let home = |text| Name::parse(text).expect("a name");
        AlertScope::parse_within(text, &home("local"), &home("default")).expect("a scope")
    };
    let named = |path: &str| Message { jobs: vec![TroubledJob { path: path.to_owned(), ..job("", 1) }], ..one.clone() };
    let other = "/subscriptions/a/resourceGroups/b";
    let commands = [
        one.clone(),
        named("other/default/ops/nightly"),
        named("local/default/ops/it's; $(reboot) & `x`"),
        named("local/default/-v/j"),
        many.clone(),
        Message { scope: scope("ops"), ..many.clone() },
        Message { scope: scope(&format!("{other}/providers/Microsoft.Scheduler/jobCollections/c d")), ..many.clone() },
        Message { scope: scope(other), ..many.clone() },
        Message { scope: scope(other), troubled: 2, ..many.clone() },
    ];
    let commands = commands.map(|message| message.command().unwrap_or_default());
    insta::assert_snapshot!(commands.join("\n"), @r"
    punctual rerun ops/nightly --since 2027-01-15T07:58:30Z
    punctual rerun other/default/ops/nightly --since 2027-01-15T07:58:30Z
    punctual rerun 'ops/it'\''s; $(reboot) & `x`' --since 2027-01-15T07:58:30Z
    punctual rerun --since 2027-01-15T07:58:30Z -- -v/j
    punctual rerun --target api.example.com:443 --since 2027-01-15T08:00:00Z
    punctual rerun ops --target api.example.com:443 --since 2027-01-15T08:00:00Z
    punctual rerun 'a/b/c d' --target api.example.com:443 --since 2027-01-15T08:00:00Z
    punctual rerun ops/nightly --since 2027-01-15T08:00:00Z # and likewise for the 36 others
    punctual rerun ops/nightly --since 2027-01-15T08:00:00Z # and likewise for the other one
    ");
    assert_eq!(message(MessageKind::Recovered).command(), None);
    assert_eq!(Message { trouble: Trouble::Silent, ..many }.command(), None);
}

#[test]
fn a_receiver_is_another_one_by_its_address_and_what_tells_incidents_apart() {
    let posting = |uri: &str, body: &str| {
        let mut action = action(Some(body));
        let Target::Http(http) = &mut action.target else { return action };
        http.uri = Address::parse(uri).expect("an address");
        action
    };
    let (here, there) = ("https://a.example.com/x", "https://a.example.com/y");
    let is_same = |form: Form, body: &str, uri: &str, other: &str| {
        same_receiver((&posting(here, body), form), (&posting(uri, other), form))
    };
    let (key, more, other) = (r#"{"routing_key":"1"}"#, r#"{"routing_key":"1","a":"b"}"#, r#"{"routing_key":"2"}"#);
    assert!(is_same(Form::PagerDuty, key, here, key) && is_same(Form::PagerDuty, key, here, more));
    assert!(!is_same(Form::PagerDuty, key, here, other) && !is_same(Form::PagerDuty, key, there, key));
    assert!(!is_same(Form::Alertmanager, key, here, more), "labels make another alert of it");
    assert!(is_same(Form::Slack, key, there, other), "people know what they were told");
    let action = posting(here, key);
    assert!(!same_receiver((&action, Form::PagerDuty), (&action, Form::Slack)));
    assert!(!same_receiver((&action, Form::PagerDuty), (&email(), Form::Json)));
}

#[test]
fn a_trouble_of_the_server_is_about_no_job() {
    let jobs = Vec::new();
    let detail = "The clock of the server was set.".to_owned();
    let told = Message { trouble: Trouble::Operator, troubled: 1, jobs, detail, ..message(MessageKind::Opened) };
    assert_eq!((told.job_count(), &*told.headline()), (0, "The clock of the server was set."));
}

#[test]
fn what_is_beyond_the_limit_is_of_other_targets() {
    let told = Message { target: String::new(), ..message(MessageKind::Opened) };
    assert!(told.headline().starts_with("37 jobs fail at other targets: "), "{}", told.headline());
    assert!(told.command().expect("a command").contains("# and likewise for the 36 others"));
}
