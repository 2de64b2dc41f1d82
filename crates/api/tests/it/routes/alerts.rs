//! Alerts: who may see and write them, and their messages.

use insta::assert_snapshot;
use punctual_api::{TargetCheck, TargetFlaw};
use punctual_model::access::{Role, Scope};
use punctual_model::action::Target;
use punctual_store::{DeliveryId, DeliveryOutcome};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::server::{NOW, Server, collection, instant};

/// The shortest alert.
fn shortest() -> Value {
    json!({ "when": ["failing", "recovered"], "action": { "request": { "uri": "https://hooks.example.com/T0/B0" } } })
}

/// The same for a scope.
fn of(scope: &str) -> Value {
    let mut alert = shortest();
    alert["scope"] = json!(scope);
    alert
}

async fn put(server: &Server, name: &str, body: &Value, token: &str) -> Answer {
    server.call("PUT", &format!("/v1/alerts/{name}")).bearer(token).json(body).send().await
}

#[tokio::test]
async fn an_alert_is_made_shown_changed_and_deleted() {
    let server = Server::start().await;
    assert_eq!(server.get("/v1/alerts").await.body(), r#"{"value":[],"nextLink":null}"#);
    let made = server.put("/v1/alerts/Ops", shortest()).await;
    assert_snapshot!(made, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "a1-1"
    {
      "name": "Ops",
      "scope": "/",
      "when": [
        {
          "failing": {
            "attempts": 1
          }
        },
        "recovered"
      ],
      "action": {
        "request": {
          "uri": "https://hooks.example.com/T0/B0",
          "method": "POST"
        },
        "type": "https"
      },
      "format": "json",
      "changed": {
        "at": "2026-11-15T12:00:00Z",
        "by": "token hyboqd4ahybo"
      }
    }
    "#);
    let full = json!({ "when": { "failing": { "attempts": 3 }, "slow": true, "silent": { "after": "10m" }, "ended": true },
        "scope": "default/nightly", "format": "slack", "reminder": "4h", "options": { "sign": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
        "quietHours": { "from": "22:00", "to": "7:00", "timeZone": "W. Europe Standard Time" },
        "action": { "request": { "uri": "https://hooks.example.com/T0/B0", "authentication": { "type": "Basic", "username": "ada", "password": "x" } } } });
    let changed = server.put("/v1/alerts/ops", full).await;
    assert_snapshot!(changed, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "a1-2"
    warning: 299 punctual "scope: there is no job nightly in the collection default: nothing is watched until there is"
    {
      "name": "Ops",
      "scope": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/nightly",
      "when": [
        {
          "failing": {
            "attempts": 3
          }
        },
        "ended",
        {
          "slow": {
            "times": 3
          }
        },
        {
          "silent": {
            "after": "PT10M"
          }
        }
      ],
      "action": {
        "request": {
          "uri": "https://hooks.example.com/T0/B0",
          "method": "POST",
          "authentication": {
            "username": "ada",
            "type": "basic"
          }
        },
        "type": "https"
      },
      "format": "slack",
      "reminder": "PT4H",
      "quietHours": {
        "from": "22:00",
        "to": "07:00",
        "timeZone": "Europe/Berlin"
      },
      "options": {
        "sign": {}
      },
      "changed": {
        "at": "2026-11-15T12:00:00Z",
        "by": "token hyboqd4ahybo"
      }
    }
    "#);
    // What was read can be sent back: nothing changes, and the secrets stay.
    let read = server.call("GET", "/v1/alerts/OPS").plain().send().await;
    assert_eq!((read.body(), read.etag()), (changed.body(), changed.etag()));
    let again = server.put("/v1/alerts/ops", read.json()).await;
    assert_eq!((again.status(), again.body(), again.etag()), (200, changed.body(), changed.etag()));
    assert_eq!(server.get("/v1/alerts").await.each("name"), ["Ops"]);
    assert_eq!(server.delete("/v1/alerts/ops").await.status(), 200);
    assert_snapshot!(server.delete("/v1/alerts/ops").await.complaint(), @"404 NotFound: Alert 'ops' cannot be found.");
    assert_snapshot!(server.get("/v1/alerts/ops").await.complaint(), @"404 NotFound: Alert 'ops' cannot be found.");
}

#[tokio::test]
async fn writes_depend_on_what_is_there() {
    let server = Server::start().await;
    let put = |header: &'static str, tag: String| {
        server.call("PUT", "/v1/alerts/a").header(header, &tag).json(&shortest()).send()
    };
    assert_eq!(put("if-match", "*".into()).await.status(), 412);
    let made = put("if-none-match", "*".into()).await;
    assert_eq!(made.status(), 201);
    assert_eq!(put("if-none-match", "*".into()).await.status(), 412);
    assert_eq!(put("if-match", made.etag()).await.status(), 200);
    server.put("/v1/alerts/a", of("default")).await;
    assert_eq!(put("if-match", made.etag()).await.status(), 412);
    let delete = server.call("DELETE", "/v1/alerts/a").header("if-match", &made.etag()).send().await;
    assert_eq!(delete.status(), 412);
}

#[tokio::test]
async fn what_cannot_be_told_is_refused() {
    let server = Server::start().await;
    let wrong = async |change: fn(&mut Value)| {
        let mut alert = shortest();
        change(&mut alert);
        server.put("/v1/alerts/a", alert).await.complaint()
    };
    assert_snapshot!(wrong(|alert| alert["wen"] = json!([])).await, @"400 BadRequest: wen: There is no such member here: did you mean when?");
    assert_snapshot!(wrong(|alert| alert["format"] = json!("pagerDuty")).await, @r#"400 BadRequest: action.request.body: PagerDuty needs the integration key of the service: give {"routing_key": "…"}."#);
    assert_snapshot!(wrong(|alert| alert["action"]["request"]["body"] = json!("text")).await, @"400 BadRequest: action.request.body: An alert writes its own message: leave this out, or give a JSON object whose members are added to each message.");
    assert_snapshot!(wrong(|alert| alert["action"]["errorAction"] = alert["action"].clone()).await, @"400 BadRequest: action.errorAction: An alert has no error action: a message that does not arrive is told by alerts of the condition operator.");
    assert_snapshot!(wrong(|alert| alert["action"]["request"]["authentication"] = json!({ "type": "Basic", "username": "ada" })).await, @"400 BadRequest: action.request.authentication.password: Missing, and no stored password has this username, scheme, host and port: send the password.");
    assert_snapshot!(wrong(|alert| alert["action"] = json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x", "message": "text" } })).await, @"400 BadRequest: action.queueMessage.message: An alert writes its own message: leave this out, or give a JSON object whose members are added to each message.");
    assert_snapshot!(wrong(|alert| { alert["format"] = json!("slack"); alert["action"] = json!({ "serviceBusTopicMessage": { "topicPath": "t", "namespace": "ns" } }) }).await, @"400 BadRequest: format: Slack is sent over HTTP: give action.request, or leave format out.");
    assert_eq!(server.get("/v1/alerts").await.body(), r#"{"value":[],"nextLink":null}"#);
    assert_snapshot!(server.get("/v1/alerts/a/messages/x").await.complaint(), @r#"400 BadRequest: the message: Given "x", expected a number."#);
    assert_eq!(server.get("/v1/alerts/a/other").await.status(), 404);
    assert_eq!(server.patch("/v1/alerts/a", json!({})).await.status(), 405);
}

#[tokio::test]
async fn others_do_not_see_it() {
    let server = Server::start().await;
    let (ops, web) = (collection("ops"), collection("web"));
    server.put("/v1/alerts/all", shortest()).await;
    server.put("/v1/alerts/ops", of(&ops)).await;
    server.put("/v1/alerts/job", of(&format!("{ops}/jobs/nightly"))).await;
    let (reader, writer) = (server.token(Role::Reader, &ops).await, server.token(Role::Contributor, &ops).await);
    let elsewhere = server.token(Role::Contributor, &web).await;
    let list = async |token: &str| server.call("GET", "/v1/alerts").bearer(token).send().await.each("name");
    assert_eq!(list(&server.owner).await, ["all", "job", "ops"]);
    assert_eq!(list(&reader).await, ["job", "ops"]);
    assert_eq!(list(&writer).await, ["job", "ops"]);
    assert!(list(&elsewhere).await.is_empty());
    let call = async |method: &str, path: &str, token: &str| server.call(method, path).bearer(token).send().await;
    for path in ["/v1/alerts/all", "/v1/alerts/all/messages", "/v1/alerts/all/messages/1"] {
        assert_eq!(call("GET", path, &writer).await.status(), 404, "{path}");
    }
    for (method, path) in
        [("DELETE", "/v1/alerts/ops"), ("POST", "/v1/alerts/ops/test"), ("POST", "/v1/alerts/ops/unmute")]
    {
        assert_eq!(call(method, path, &elsewhere).await.status(), 404, "{method} {path}");
        assert_eq!(call(method, path, &reader).await.status(), 403, "{method} {path}");
    }
    assert_eq!(call("GET", "/v1/alerts/ops", &reader).await.status(), 200);
    assert_snapshot!(put(&server, "ops", &of(&web), &elsewhere).await.complaint(), @"409 ConflictError: name: The name 'ops' is taken by an alert that you may not see; choose another.");
    assert_snapshot!(put(&server, "new", &of("/"), &elsewhere).await.complaint(), @"403 AuthorizationFailed: This needs the role contributor on what the alert watches, '/'; the caller has no role there.");
    assert_snapshot!(put(&server, "ops", &of(&web), &writer).await.complaint(), @"403 AuthorizationFailed: This needs the role contributor on what the alert watches, '/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/web'; the caller has no role there.");
    let both = server.token(Role::Contributor, "/subscriptions/local").await;
    assert_eq!(put(&server, "ops", &of(&web), &both).await.status(), 200);
    assert_eq!(call("GET", "/v1/alerts/ops", &writer).await.status(), 404, "it watches something else now");
    assert_snapshot!(put(&server, "all", &of(&web), &both).await.complaint(), @"409 ConflictError: name: The name 'all' is taken by an alert that you may not see; choose another.");
}

#[tokio::test]
async fn a_test_is_sent_and_its_outcome_is_found() {
    let server = Server::start().await;
    server.put("/v1/alerts/my ops".replace(' ', "%20").as_str(), shortest()).await;
    let sent = server.post("/v1/alerts/my%20ops/test").await;
    assert_eq!(server.get("/v1/due").await.at("/value"), json!([]), "a message is no job of anybody");
    assert_snapshot!(sent, @r#"
    202 Accepted
    content-type: application/json; charset=utf-8
    {
      "id": 1,
      "kind": "test",
      "headline": "Test of the alert my ops: messages arrive.",
      "at": "2026-11-15T12:00:00Z",
      "state": "sending",
      "link": "https://punctual.example/v1/alerts/my%20ops/messages/1"
    }
    "#);
    assert_eq!(sent.header("location"), sent.at("/link"));
    let path = "/v1/alerts/my%20ops/messages/1";
    assert_eq!(server.get(path).await.body(), sent.body());
    let end = async |id: i64, failure: Option<&str>| {
        let outcome =
            DeliveryOutcome { at: instant("2026-11-15T12:00:05Z"), failure: failure.map(str::to_owned), note: None };
        server.alerts.end_delivery(DeliveryId(id), outcome, None).await.unwrap();
    };
    end(1, None).await;
    assert_snapshot!(server.get(path).await.body(), @r#"{"id":1,"kind":"test","headline":"Test of the alert my ops: messages arrive.","at":"2026-11-15T12:00:00Z","state":"arrived","endedAt":"2026-11-15T12:00:05Z","link":"https://punctual.example/v1/alerts/my%20ops/messages/1"}"#);
    server.post("/v1/alerts/my%20ops/test").await;
    end(2, Some("hooks.example.com answered 404 Not Found.")).await;
    assert_snapshot!(server.get("/v1/alerts/my%20ops/messages/2").await.body(), @r#"{"id":2,"kind":"test","headline":"Test of the alert my ops: messages arrive.","at":"2026-11-15T12:00:00Z","state":"failed","endedAt":"2026-11-15T12:00:05Z","reason":"hooks.example.com answered 404 Not Found.","link":"https://punctual.example/v1/alerts/my%20ops/messages/2"}"#);
    server.put("/v1/alerts/other", shortest()).await;
    assert_eq!(server.get("/v1/alerts/other/messages/1").await.status(), 404, "it is a message of another alert");
    assert_eq!(server.get("/v1/alerts/my%20ops/messages/3").await.status(), 404);
    let with_body = server.call("POST", "/v1/alerts/other/test").json(&json!({ "to": "me" })).send().await;
    assert_eq!(with_body.status(), 400);
}

#[tokio::test]
async fn messages_are_listed_page_by_page_and_tests_are_bounded() {
    let server = Server::start().await;
    server.put("/v1/alerts/a", shortest()).await;
    for _ in 0..10 {
        assert_eq!(server.post("/v1/alerts/a/test").await.status(), 202);
    }
    assert_snapshot!(server.post("/v1/alerts/a/test").await.complaint(), @"409 ConflictError: test: 10 tests of the alert 'a' are on their way already.");
    let ended = DeliveryOutcome { at: instant(NOW), failure: None, note: None };
    for id in 1..=110 {
        server.alerts.end_delivery(DeliveryId(id), ended.clone(), None).await.unwrap();
        server.post("/v1/alerts/a/test").await;
    }
    let first = server.get("/v1/alerts/a/messages").await;
    let ids = |answer: &Answer| {
        let list = answer.at("/value");
        let ids: Vec<_> = list.as_array().unwrap().iter().map(|message| message["id"].as_i64().unwrap()).collect();
        (ids.len(), ids.first().copied(), ids.last().copied())
    };
    assert_eq!(ids(&first), (100, Some(120), Some(21)));
    let second = server.get(&first.next_path().unwrap()).await;
    assert_eq!((ids(&second), second.next_path()), ((20, Some(20), Some(1)), None));
    let two = server.get("/v1/alerts/a/messages?$top=2").await;
    assert_eq!(ids(&two), (2, Some(120), Some(119)));
    assert_eq!(ids(&server.get(&two.next_path().unwrap()).await), (2, Some(118), Some(117)));
    assert_eq!(server.get("/v1/alerts/a/messages?$skiptoken=eA").await.status(), 400);
}

#[tokio::test]
async fn an_alert_is_muted_for_some_time() {
    let server = Server::start().await;
    server.put("/v1/alerts/a", shortest()).await;
    let mute = async |body: Value| server.call("POST", "/v1/alerts/a/mute").json(&body).send().await;
    assert_snapshot!(mute(json!({ "for": "1h" })).await.at("/muted"), @r#"{"by":"token hyboqd4ahybo","until":"2026-11-15T13:00:00Z"}"#);
    assert_eq!(mute(json!({ "until": "2026-11-16" })).await.at("/muted/until"), "2026-11-16T00:00:00Z");
    assert_snapshot!(mute(json!({ "until": "2026-11-14" })).await.complaint(), @"400 BadRequest: until: Given 2026-11-14T00:00:00Z, expected an instant after 2026-11-15T12:00:00Z, and not after 2027-12-20T12:00:00Z.");
    // An edit leaves it muted.
    server.put("/v1/alerts/a", of("default")).await;
    assert_eq!(server.get("/v1/alerts/a").await.at("/muted/until"), "2026-11-16T00:00:00Z");
    server.set_clock("2026-11-16T00:00:00Z");
    assert_eq!(server.get("/v1/alerts/a").await.at("/muted"), Value::Null);
    mute(json!({ "for": "1h" })).await;
    assert_eq!(server.post("/v1/alerts/a/unmute").await.at("/muted"), Value::Null);
}

/// Knows of no mail server.
struct NoMailServer;

impl TargetCheck for NoMailServer {
    fn flaw(&self, target: &Target, _: &Scope) -> Option<TargetFlaw> {
        matches!(target, Target::Email(_)).then(|| TargetFlaw::NoMailServer("no mail server".to_owned()))
    }
}

#[tokio::test]
async fn an_alert_by_email_is_warned_of_while_there_is_no_mail_server() {
    let alert = json!({ "when": ["failing"], "action": { "email": { "to": ["ops@example.com"] } } });
    let server = Server::start().await.checking(NoMailServer);
    let made = server.put("/v1/alerts/ops", alert).await;
    assert_eq!(made.status(), 201, "{made}");
    assert!(made.header("warning").contains("action.email: no mail server"), "{made}");
    let shown = server.get("/v1/alerts/ops").await;
    let action = r#""action":{"email":{"to":["ops@example.com"]},"type":"email"}"#;
    assert!(shown.body().contains(action), "{shown}");
    assert_eq!(shown.at("/format"), Value::Null, "an e-mail has one form only");
}

#[tokio::test]
async fn alerts_are_listed_page_by_page() {
    let server = Server::start().await;
    for number in 0..102 {
        server.put(&format!("/v1/alerts/a{number:03}"), shortest()).await;
    }
    let first = server.get("/v1/alerts").await;
    assert_eq!((first.each("name").len(), first.each("name").last().cloned()), (100, Some("a099".to_owned())));
    let second = server.get(&first.next_path().unwrap()).await;
    assert_eq!((second.each("name"), second.next_path()), (vec!["a100".to_owned(), "a101".to_owned()], None));
    let two = server.get("/v1/alerts?$top=2").await;
    assert_eq!(two.each("name"), ["a000", "a001"]);
    assert_eq!(server.get(&two.next_path().unwrap()).await.each("name"), ["a002", "a003"]);
}

#[tokio::test]
async fn nobody_but_the_owner_uses_up_the_alerts_of_all() {
    let server = Server::start().await;
    let writer = server.token(Role::Contributor, &collection("default")).await;
    for number in 0..100 {
        let made = put(&server, &format!("a{number}"), &of("default"), &writer).await;
        assert_eq!(made.status(), 201, "{made}");
    }
    assert_snapshot!(put(&server, "more", &of("default/j"), &writer).await.complaint(), @"409 ConflictError: alerts: There are 100 alerts of this collection already, of 100 at most; delete some first.");
    assert_eq!(put(&server, "a1", &of("default/j"), &writer).await.status(), 200, "what is there can be changed");
    assert_eq!(server.put("/v1/alerts/more", of("default")).await.status(), 201);
}

#[tokio::test]
async fn what_is_probably_not_meant_is_warned_of() {
    let server = Server::start().await;
    let warned = async |alert: Value| {
        let made = server.put("/v1/alerts/a", alert).await;
        assert!(matches!(made.status(), 200 | 201), "{made}");
        made.header("warning")
    };
    let to = |uri: &str, format: &str| json!({ "when": ["failing"], "format": format, "action": { "request": { "uri": uri } } });
    let told = [
        warned(of("nope")).await,
        warned(of("default/nojob")).await,
        warned(of("/subscriptions/s")).await,
        warned(of("/subscriptions/local/resourceGroups/g")).await,
        warned(of("default")).await,
        warned(to("https://hooks.slack.com/services/T0", "json")).await,
        warned(to("https://hooks.slack.com/services/T0", "slack")).await,
        warned(to("https://prod-00.westeurope.logic.azure.com:443/workflows/x", "slack")).await,
        warned(to("https://nothooks.slack.com/x", "json")).await,
    ];
    assert_snapshot!(told.join("\n"), @r#"
    299 punctual "scope: there is no collection nope: nothing is watched until there is"
    299 punctual "scope: there is no job nojob in the collection default: nothing is watched until there is"
    299 punctual "scope: the subscription s has no collections: nothing is watched until there is"
    299 punctual "scope: the resource group g has no collections: nothing is watched until there is"

    299 punctual "format: hooks.slack.com reads slack: give 'format': 'slack'"

    299 punctual "format: prod-00.westeurope.logic.azure.com reads teams: give 'format': 'teams'"
    "#);
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused() {
    let server = Server::start().await;
    let refused = async |alert: Value| server.put("/v1/alerts/a", alert).await.complaint();
    let mut get = shortest();
    get["action"]["request"]["method"] = json!("GET");
    let mut labels = shortest();
    labels["format"] = json!("alertmanager");
    labels["action"]["request"]["body"] =
        json!({ "the team": "ops", "incident": "x", "level": [1], "severity": "page" });
    let mut other = shortest();
    other["name"] = json!("B");
    let told = [
        refused(get).await,
        refused(labels).await,
        refused(other).await,
        refused(json!({ "when": ["failing"], "action": {} })).await,
    ];
    assert_snapshot!(told.join("\n"), @r#"
    400 BadRequest: action.request.method: Given GET, expected POST, PUT or PATCH, since a message is a body.
    400 BadRequest: action.request.body.incident: This label tells incidents apart: choose another name. | action.request.body.level: A label of Alertmanager is a text, a number, true or false. | action.request.body.the team: A label of Alertmanager has letters, digits and _ in its name.
    400 BadRequest: name: Given "B", expected "a" as in the path, or nothing.
    400 BadRequest: action.request: Given nothing, expected whom to tell: an object with request, email, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage.
    "#);
    assert_eq!(server.put("/v1/alerts/a", shortest()).await.status(), 201);
    let reader = server.token(Role::Reader, "/").await;
    let forbidden = server.call("POST", "/v1/alerts/a/test").bearer(&reader).send().await;
    assert_snapshot!(forbidden.complaint(), @"403 AuthorizationFailed: POST needs the role contributor on what the request is about; the caller has it nowhere.");
}
