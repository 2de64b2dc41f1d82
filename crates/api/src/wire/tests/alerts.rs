//! Alerts, and until when they are muted.

use insta::assert_snapshot;
use punctual_model::Name;
use punctual_model::action::Target;
use punctual_model::time::Timestamp;
use punctual_store::GroupKey;

use super::super::{AlertInput, Json, parse_alert_json, parse_mute_json};
use super::shown;

pub(super) fn defaults() -> GroupKey {
    GroupKey { subscription: Name::parse("local").unwrap(), group: Name::parse("default").unwrap() }
}

fn alert(input: &str) -> String {
    let read = Json::parse(input).and_then(|json| parse_alert_json(&json, &defaults()));
    shown(read, |AlertInput { alert, action }| {
        let target = match action.target {
            Target::Http(http) => format!("{} {} {:?}", http.method, http.uri.as_str(), http.body),
            other => format!("{} {other:?}", other.type_name()),
        };
        let format = alert.form.name();
        format!(
            "{}\n{:?}\n{target} {format} {:?} {:?}",
            alert.scope, alert.conditions, alert.reminder, alert.quiet_hours
        )
    })
}

/// An alert with these conditions; only they are shown.
fn when(when: &str) -> String {
    let shown = alert(&format!(r#"{{"when": {when}, "action": {{"request": {{"uri": "https://example.com"}}}}}}"#));
    let is_shown = |line: &&str| !line.starts_with('/') && !line.starts_with("POST");
    shown.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}

/// An alert with these members beside its conditions and its action.
fn with(members: &str) -> String {
    alert(&format!(r#"{{"when": ["ended"], "action": {{"request": {{"uri": "https://example.com"}}}}, {members}}}"#))
}

#[test]
fn the_shortest_one_posts_and_watches_all() {
    assert_snapshot!(alert(r#"{"when": ["failing", "recovered"], "action": {"request": {"uri": "https://example.com/hook"}}}"#), @"
    /
    Conditions { failing: Some(1), recovered: true, given_up: false, ended: false, late: None, slow: None, silent: None, stale: None, expiring: None, operator: false }
    POST https://example.com/hook None json None None
    ");
}

#[test]
fn all_members() {
    assert_snapshot!(with(r#""scope": "ops/nightly", "format": "PagerDuty", "reminder": "4h", "quietHours": {"from": "22:00", "to": "7:00", "timeZone": "W. Europe Standard Time"}, "options": {"sign": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}"#), @r#"
    /subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/ops/jobs/nightly
    Conditions { failing: None, recovered: false, given_up: false, ended: true, late: None, slow: None, silent: None, stale: None, expiring: None, operator: false }
    POST https://example.com None pagerDuty Some(Span { ticks: 144000000000, text: "PT4H" }) Some(QuietHours { from: 1320, until: 420, zone: Europe/Berlin })
    "#);
    // What GET answers comes back.
    assert_snapshot!(with(r#""name": "x", "muted": {"until": "2026-01-01", "by": "y"}, "changed": {}, "warnings": []"#), @"
    /
    Conditions { failing: None, recovered: false, given_up: false, ended: true, late: None, slow: None, silent: None, stale: None, expiring: None, operator: false }
    POST https://example.com None json None None
    ");
}

#[test]
fn members_that_are_wrong() {
    assert_snapshot!(alert("{}"), @r#"
    ✗ when: given nothing, expected what to tell of, such as ["failing", "recovered"]
    ✗ action: given nothing, expected whom to tell, such as {"request": {"uri": "https://example.com/hook"}} or {"email": {"to": ["ops@example.com"]}}
    "#);
    assert_snapshot!(alert("[]"), @"✗ given a list of 0, expected an object in braces");
    assert_snapshot!(with(r#""scop": "/", "state": "Disabled", "timeZone": "UTC", "enabled": false"#), @"
    ✗ scop: there is no such member here: did you mean scope?
    ✗ state: there is no such member here, only when, action, scope, format, reminder, quietHours, retryPolicy, errorAction, options
    ✗ timeZone: there is no such member here, only when, action, scope, format, reminder, quietHours, retryPolicy, errorAction, options
    ✗ enabled: there is no such member here, only when, action, scope, format, reminder, quietHours, retryPolicy, errorAction, options
    ");
    assert_snapshot!(with(r#""scope": "a/b/c", "format": "email", "reminder": "1m""#), @r#"
    ✗ scope: given "a/b/c", expected / for all jobs, the name of a collection, collection/job, or the path of a subscription, a resource group, a collection or a job
    ✗ format: given "email", expected one of json, slack, teams, pagerDuty, alertmanager
    ✗ reminder: given PT1M, expected 5 minutes to 30 days
    "#);
    assert_snapshot!(with(r#""scope": 7, "reminder": 4, "quietHours": {"from": "22", "to": "24:00", "timeZone": "Mars", "days": []}"#), @r#"
    ✗ scope: given 7, expected / for all jobs, the name of a collection, collection/job, or the path of a subscription, a resource group, a collection or a job, as a text in quotes
    ✗ reminder: given 4, expected a duration such as 30s, PT30S, P1DT12H or 00:00:30, as a text in quotes
    ✗ quietHours.timeZone: given "Mars", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time
    ✗ quietHours.from: given 22, expected a time of day such as 22:00
    ✗ quietHours.to: given 24:00, expected a time of day such as 22:00
    ✗ quietHours.days: there is no such member here, only from, to, timeZone
    "#);
    assert_snapshot!(alert(r#"{"when": ["operator"], "scope": "ops", "action": {"request": {"uri": "https://example.com"}}}"#), @"✗ when.operator: operator is about the server itself: leave it out, or give the scope /");
    assert_snapshot!(with(r#""quietHours": {"from": "7:00"}, "options": {"timeout": "5s"}"#), @"
    ✗ quietHours.to: given nothing, expected when they end, such as 07:00
    ✗ options.timeout: there is no such member here, only sign
    ");
}

#[test]
fn names_have_defaults() {
    assert_snapshot!(when(r#"["failing", "givenUp", "ended", "late", "slow", "silent", "stale", "expiring", "operator", "recovered"]"#), @r#"Conditions { failing: Some(1), recovered: true, given_up: true, ended: true, late: Some(Span { ticks: 600000000, text: "PT1M" }), slow: Some(Times(3)), silent: Some(Span { ticks: 3000000000, text: "PT5M" }), stale: Some(Span { ticks: 936000000000, text: "P1DT2H" }), expiring: Some(Span { ticks: 25920000000000, text: "P30D" }), operator: true }"#);
}

#[test]
fn parameters_in_a_list_or_in_one_object() {
    let all = r#"{"failing": {"attempts": 3}, "late": {"after": "5m"}, "slow": {"after": "10m"}, "silent": {"after": "1h"}, "stale": {"after": "2d"}, "expiring": {"within": "14d"}, "ended": true, "givenUp": {}, "operator": false}"#;
    assert_snapshot!(when(all), @r#"Conditions { failing: Some(3), recovered: false, given_up: true, ended: true, late: Some(Span { ticks: 3000000000, text: "PT5M" }), slow: Some(Longer(Span { ticks: 6000000000, text: "PT10M" })), silent: Some(Span { ticks: 36000000000, text: "PT1H" }), stale: Some(Span { ticks: 1728000000000, text: "P2D" }), expiring: Some(Span { ticks: 12096000000000, text: "P14D" }), operator: false }"#);
    assert_eq!(when(&format!("[{all}]")), when(all));
    assert_snapshot!(when(r#"[{"slow": {"times": 5}}, "Recovered"]"#), @"Conditions { failing: None, recovered: true, given_up: false, ended: false, late: None, slow: Some(Times(5)), silent: None, stale: None, expiring: None, operator: false }");
}

#[test]
fn conditions_that_are_wrong() {
    for (input, expected) in [
        ("[]", "✗ when: name at least one condition, such as failing"),
        ("{}", "✗ when: name a condition in it, such as failing"),
        (
            r#"["recovered"]"#,
            "✗ when: recovered tells that a trouble is over: name the trouble as well, such as failing",
        ),
        (r#"["failling"]"#, "✗ when[0]: there is no such condition here: did you mean failing?"),
        (
            r#"[{"failing": {"attempt": 3}}]"#,
            "✗ when[0].failing.attempt: there is no such member here: did you mean attempts?",
        ),
        (r#"[{"fail": {}}]"#, ""),
        (r#"["failing", {"failing": {"attempts": 3}}]"#, "✗ when[1].failing: failing stands twice: keep one"),
        (r#"[{"failing": {"attempts": 0}}]"#, "✗ when.failing.attempts: given 0, expected 1 to 1000 attempts"),
        (r#"[{"failing": {"attempts": -1}}]"#, "✗ when[0].failing.attempts: given -1, expected 1 to 1000 attempts"),
        (r#"[{"failing": 3}]"#, "✗ when[0].failing: given 3, expected true, or an object with its parameters"),
        (r#"[{"slow": {"after": "10m", "times": 3}}]"#, "✗ when[0].slow: after and times exclude each other: keep one"),
        (r#"{"silent": {"after": "10s"}}"#, "✗ when.silent.after: given PT10S, expected 1 minute to 30 days"),
        (r#"{"ended": {"after": "10s"}}"#, "✗ when.ended: ended has no parameters: write its name alone"),
        ("[7]", ""),
    ] {
        let found = when(input);
        if expected.is_empty() {
            assert!(found.starts_with('✗'), "{input}: {found}");
        } else {
            assert_eq!(found, expected, "{input}");
        }
    }
    assert_snapshot!(when(r#"["fail"]"#), @"✗ when[0]: there is no such condition here, only failing, givenUp, ended, late, slow, silent, stale, expiring, operator, recovered");
    assert_snapshot!(when(r#""failing""#), @"
    Conditions { failing: Some(1), recovered: false, given_up: false, ended: false, late: None, slow: None, silent: None, stale: None, expiring: None, operator: false }
    ! when: not a list; taken as a list of one
    ");
}

#[test]
fn what_is_added_to_messages_may_be_an_object() {
    let action = |action: &str| alert(&format!(r#"{{"when": ["ended"], "action": {action}}}"#));
    assert_snapshot!(action(r#"{"request": {"uri": "https://example.com", "method": "PUT", "body": {"routing_key": "k"}}}"#), @r#"
    /
    Conditions { failing: None, recovered: false, given_up: false, ended: true, late: None, slow: None, silent: None, stale: None, expiring: None, operator: false }
    PUT https://example.com Some("{\"routing_key\":\"k\"}") json None None
    "#);
    assert_snapshot!(action(r#"{"queueMessage": {"storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x"}}"#), @r#"
    /
    Conditions { failing: None, recovered: false, given_up: false, ended: true, late: None, slow: None, silent: None, stale: None, expiring: None, operator: false }
    StorageQueue StorageQueue(StorageQueueAction { account: "acct", queue: "tasks", sas_token: Some(Secret(…)), message: "", format: None, time_to_live: None, visibility_delay: None }) json None None
    "#);
    assert_snapshot!(action(r#"{"serviceBusTopicMessage": {"topicPath": "t", "namespace": "n", "message": {"team": "ops"}}}"#), @r#"
    /
    Conditions { failing: None, recovered: false, given_up: false, ended: true, late: None, slow: None, silent: None, stale: None, expiring: None, operator: false }
    ServiceBusTopic ServiceBus(ServiceBusAction { entity: Topic("t"), namespace: "n", transport: None, authentication: None, message: "{\"team\":\"ops\"}", brokered: BrokeredProperties { content_type: None, correlation_id: None, force_persistence: None, label: None, message_id: None, partition_key: None, reply_to: None, reply_to_session_id: None, scheduled_enqueue_time: None, session_id: None, time_to_live: None, to: None, via_partition_key: None }, custom: [] }) json None None
    "#);
    assert_snapshot!(action(r#"{"request": {"url": "https://example.com"}}"#), @"
    ✗ action.request.uri: given nothing, expected the address to call, such as https://example.com/path
    ✗ action.request.url: there is no such member here: did you mean uri?
    ");
}

#[test]
fn until_when_something_is_muted() {
    let mute = |input: &str| {
        let now = Timestamp::from_seconds(1_800_000_000).unwrap();
        shown(Json::parse(input).and_then(|json| parse_mute_json(&json, now)), |until| until.to_string())
    };
    assert_snapshot!(mute(r#"{"for": "1h"}"#), @"2027-01-15T09:00:00Z");
    assert_snapshot!(mute(r#"{"until": "2027-02-01"}"#), @"2027-02-01T00:00:00Z");
    assert_snapshot!(mute("{}"), @"✗ for: given nothing, expected how long nothing is told, such as 1h; or until, an instant");
    assert_snapshot!(mute(r#"{"for": "1h", "until": "2027-02-01"}"#), @"✗ until: for and until exclude each other: keep one");
    assert_snapshot!(mute(r#"{"until": "2026-02-01"}"#), @"✗ until: given 2026-02-01T00:00:00Z, expected an instant after 2027-01-15T08:00:00Z, and not after 2028-02-19T08:00:00Z");
    assert_snapshot!(mute(r#"{"for": "500d"}"#), @"✗ for: given P500D, expected more than nothing, and at most 400 days");
    assert_snapshot!(mute(r#"{"for": "0s", "why": "x"}"#), @"
    ✗ for: given PT0S, expected more than nothing, and at most 400 days
    ✗ why: there is no such member here, only for, until
    ");
}

#[test]
fn an_alert_can_tell_by_email() {
    let told = |email: &str| alert(&format!(r#"{{"when": ["ended"], "action": {{"email": {email}}}}}"#));
    assert_snapshot!(told(r#"{"to": ["ops@example.com", "B@Example.org"]}"#).lines().last().unwrap_or_default(), @r#"Email Email(EmailAction { to: [EmailAddress { text: "ops@example.com", at: 3 }, EmailAddress { text: "B@Example.org", at: 1 }], message: None }) json None None"#);
    assert_snapshot!([
        told("{}"),
        told(r#"{"to": []}"#),
        told(r#"{"to": ["ops@example.com", "Ops <ops@example.com>", 7]}"#),
        told(&format!(r#"{{"to": [{}]}}"#, [r#""a@b.c""#; 21].join(","))),
        told(r#"{"to": "ops@example.com", "subject": "x"}"#),
    ].join("\n"), @r#"
    ✗ action.email.to: given nothing, expected the e-mail addresses that are told, such as ["ops@example.com"]
    ✗ action.email.to: given 0 addresses, expected 1 to 20 e-mail addresses
    ✗ action.email.to[1]: given "Ops <ops@example.com>", expected an e-mail address such as ops@example.com
    ✗ action.email.to[2]: given 7, expected an e-mail address such as ops@example.com, as a text in quotes
    ✗ action.email.to: given 21 addresses, expected 1 to 20 e-mail addresses
    ✗ action.email.subject: there is no such member here, only retryPolicy, errorAction, to
    "#);
}
