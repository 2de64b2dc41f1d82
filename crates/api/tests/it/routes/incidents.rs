//! Incidents: what alerts have found.

use insta::assert_snapshot;
use punctual_model::Name;
use punctual_model::access::Role;
use punctual_model::alert::{MessageKind, Trouble, delivery_job};
use punctual_model::job::Uid;
use punctual_store::{
    AlertId, AlertTurn, DeliveryId, DeliveryOutcome, DeliveryWrite, IncidentId, IncidentWrite, JobId, MemberChange,
    Revision,
};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::attempts::find_job;
use crate::server::{Server, collection, instant};

async fn make_alert(server: &Server, name: &str, scope: &str) -> AlertId {
    let alert = json!({ "when": ["failing", "late"], "scope": scope, "action": { "request": { "uri": "https://hooks.example.com" } } });
    let made = server.put(&format!("/v1/alerts/{name}"), alert).await;
    assert_eq!(made.status(), 201, "{made}");
    server.alerts.alert(&Name::parse(name).unwrap()).await.unwrap().unwrap().id
}

/// A job gets into trouble at a target.
async fn join(server: &Server, alert: AlertId, trouble: Trouble, job: JobId, target: &str) {
    let change = MemberChange::Join {
        alert,
        trouble,
        job,
        target: target.to_owned(),
        cause: String::new(),
        detail: "started 3 minutes late.".to_owned(),
        at: instant("2026-11-15T11:00:00Z"),
    };
    server.alerts.take_alert_turn(AlertTurn { changes: vec![change], ..AlertTurn::default() }).await.unwrap();
}

async fn close(server: &Server, id: i64) {
    step(server, id, Some("2026-11-15T11:30:00Z")).await;
}

/// An incident was told, and is over if an instant is given.
async fn step(server: &Server, id: i64, closed_at: Option<&str>) {
    let write = IncidentWrite {
        id: IncidentId(id),
        revision: Revision(1),
        told_at: Some(instant("2026-11-15T11:00:05Z")),
        last_told_at: Some(instant("2026-11-15T11:00:05Z")),
        look_at: None,
        closed_at: closed_at.map(instant),
        well_since: None,
        delivery: None,
    };
    server.alerts.step_incident(write).await.unwrap();
}

#[tokio::test]
async fn a_receiver_that_keeps_incidents_is_told_their_end_when_the_alert_is_deleted() {
    let (server, jobs) = server_with_jobs().await;
    let request = json!({ "uri": "https://events.example.com", "body": { "routing_key": "k" } });
    let alert = json!({ "when": ["late"], "format": "pagerDuty", "action": { "request": request } });
    assert_eq!(server.put("/v1/alerts/a", alert).await.status(), 201);
    let alert = server.alerts.alert(&Name::parse("a").unwrap()).await.unwrap().unwrap().id;
    join(&server, alert, Trouble::Late, jobs[0], "api.example.com:443").await;
    join(&server, alert, Trouble::Late, jobs[1], "other.example.com:443").await;
    step(&server, 1, None).await;
    assert_eq!(server.delete("/v1/alerts/a").await.status(), 200);
    let last = server.alerts.delivery(DeliveryId(1)).await.unwrap().unwrap();
    assert_eq!((last.kind, last.incident, last.outcome), (MessageKind::Recovered, Some(IncidentId(1)), None));
    assert_eq!(server.alerts.delivery(DeliveryId(2)).await.unwrap(), None, "nobody was told of the other");
}

#[tokio::test]
async fn a_receiver_that_keeps_incidents_is_told_their_end_when_the_alert_gets_another_one() {
    let (server, jobs) = server_with_jobs().await;
    let of = |key: &str, severity: &str| {
        let body = json!({ "routing_key": key, "severity": severity });
        let request = json!({ "uri": "https://events.example.com", "body": body });
        json!({ "when": ["late"], "format": "pagerDuty", "action": { "request": request } })
    };
    let put = async |alert: Value| assert!(server.put("/v1/alerts/a", alert).await.status() < 300);
    put(of("first", "error")).await;
    let alert = server.alerts.alert(&Name::parse("a").unwrap()).await.unwrap().unwrap();
    for (job, target) in [(jobs[0], "api.example.com:443"), (jobs[1], "other.example.com:443")] {
        join(&server, alert.id, Trouble::Late, job, target).await;
    }
    step(&server, 1, None).await;
    step(&server, 2, None).await;
    // The first has arrived; the other one is still on its way to an address that may be wrong.
    for (incident, uid) in [(1, 1), (2, 2)] {
        let now = instant("2026-11-15T11:00:05Z");
        let job = delivery_job(alert.action.clone(), &alert.alert.scope, Uid::from_bytes([uid; 16]), now).unwrap();
        let write = DeliveryWrite {
            alert: alert.id,
            incident: Some(IncidentId(incident)),
            kind: MessageKind::Opened,
            headline: String::new(),
            at: now,
            uid: Uid::from_bytes([uid; 16]),
            job,
            alert_revision: alert.revision,
            form: alert.alert.form,
            supersedes: Vec::new(),
        };
        server.alerts.deliver(write).await.unwrap();
    }
    let outcome = DeliveryOutcome { at: instant("2026-11-15T11:00:06Z"), failure: None, note: None };
    server.alerts.end_delivery(DeliveryId(1), outcome, None).await.unwrap();
    put(of("first", "critical")).await;
    assert_eq!(server.alerts.delivery(DeliveryId(3)).await.unwrap(), None, "the same service keeps them");
    put(of("second", "critical")).await;
    let last = server.alerts.delivery(DeliveryId(3)).await.unwrap().unwrap();
    assert_eq!((last.kind, last.incident, last.outcome), (MessageKind::Recovered, Some(IncidentId(1)), None));
    assert_eq!(last.headline, "Closed: The alert tells another receiver now.", "nothing has recovered");
    assert_eq!(server.alerts.delivery(DeliveryId(4)).await.unwrap(), None, "the old service knows of no other");
    let told = server.get("/v1/incidents").await;
    assert_eq!(told.at("/value/1/toldAt"), Value::Null, "the new service is told");
    assert_eq!(told.at("/value/0/toldAt"), "2026-11-15T11:00:05Z");
}

async fn server_with_jobs() -> (Server, Vec<JobId>) {
    let server = Server::start().await;
    let mut jobs = Vec::new();
    for name in ["ops", "web"] {
        server.put(&format!("/v1/collections/{name}"), json!({})).await;
        let job = json!({ "action": { "request": { "uri": "https://api.example.com" } }, "startTime": "2030-01-01" });
        server.put(&format!("/v1/collections/{name}/jobs/nightly"), job).await;
        jobs.push(find_job(&server, name, "nightly").await.id);
    }
    (server, jobs)
}

fn ids(answer: &Answer) -> Vec<i64> {
    answer.at("/value").as_array().unwrap().iter().map(|incident| incident["id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn incidents_are_listed_with_what_is_known() {
    let (server, jobs) = server_with_jobs().await;
    let alert = make_alert(&server, "a", "/").await;
    join(&server, alert, Trouble::Late, jobs[0], "api.example.com:443").await;
    join(&server, alert, Trouble::Late, jobs[1], "other.example.com:443").await;
    close(&server, 2).await;
    assert_snapshot!(server.get("/v1/incidents").await, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    {
      "value": [
        {
          "id": 2,
          "alert": "a",
          "condition": "late",
          "state": "closed",
          "headline": "web/nightly started 3 minutes late.",
          "target": "other.example.com:443",
          "openedAt": "2026-11-15T11:00:00Z",
          "toldAt": "2026-11-15T11:00:05Z",
          "lastToldAt": "2026-11-15T11:00:05Z",
          "closedAt": "2026-11-15T11:30:00Z",
          "troubledCount": 0,
          "wellCount": 0,
          "jobs": []
        },
        {
          "id": 1,
          "alert": "a",
          "condition": "late",
          "state": "open",
          "headline": "ops/nightly started 3 minutes late.",
          "target": "api.example.com:443",
          "openedAt": "2026-11-15T11:00:00Z",
          "troubledCount": 1,
          "wellCount": 0,
          "jobs": [
            {
              "job": "nightly",
              "collection": "ops",
              "since": "2026-11-15T11:00:00Z",
              "attempts": 0
            }
          ]
        }
      ],
      "nextLink": null
    }
    "#);
    assert_eq!(ids(&server.get("/v1/incidents?state=open").await), [1]);
    assert_eq!(ids(&server.get("/v1/incidents?state=Closed&alert=A").await), [2]);
    assert_snapshot!(server.get("/v1/incidents?state=over").await.complaint(), @r#"400 BadRequest: state: Given "over", expected open or closed."#);
    assert_snapshot!(server.get("/v1/incidents?alert=b").await.complaint(), @"404 NotFound: Alert 'b' cannot be found.");
    server.delete("/v1/alerts/a").await;
    assert!(ids(&server.get("/v1/incidents").await).is_empty());
}

#[tokio::test]
async fn everyone_sees_those_of_their_alerts_page_by_page() {
    let (server, jobs) = server_with_jobs().await;
    let ops = make_alert(&server, "ops", "ops").await;
    let web = [make_alert(&server, "web", "web").await, make_alert(&server, "web2", "web").await];
    for number in 0..150 {
        let (alert, job) = if number % 30 == 0 { (ops, jobs[0]) } else { (web[number % 2], jobs[1]) };
        // Each of another target is another incident.
        join(&server, alert, Trouble::Late, job, &format!("host{number}")).await;
        let leave = MemberChange::Leave {
            alert: Some(alert),
            trouble: Some(Trouble::Late),
            job,
            is_well: true,
            at: instant("2026-11-15T11:10:00Z"),
        };
        server.alerts.take_alert_turn(AlertTurn { changes: vec![leave], ..AlertTurn::default() }).await.unwrap();
    }
    let reader = server.token(Role::Reader, &collection("ops")).await;
    let get = async |path: &str| server.call("GET", path).bearer(&reader).send().await;
    let all = get("/v1/incidents").await;
    assert_eq!((ids(&all), all.next_path()), (vec![121, 91, 61, 31, 1], None));
    assert_eq!(ids(&get("/v1/incidents?$top=2").await), [121, 91]);
    assert_eq!(get("/v1/incidents?alert=web").await.status(), 404);
    let first = server.get("/v1/incidents?state=open").await;
    let second = server.get(&first.next_path().unwrap()).await;
    let seen = [ids(&first), ids(&second)].concat();
    assert_eq!((seen.len(), seen.first(), seen.last()), (150, Some(&150), Some(&1)));
    assert_eq!(second.next_path(), None);
    assert_eq!(get("/v1/incidents?$skiptoken=eA").await.status(), 400);
}

#[tokio::test]
async fn an_incident_is_muted_by_who_may_write_its_alert() {
    let (server, jobs) = server_with_jobs().await;
    let alert = make_alert(&server, "ops", "ops").await;
    join(&server, alert, Trouble::Late, jobs[0], "api.example.com:443").await;
    let mute = async |id: &str, token: &str| {
        let call = server.call("POST", &format!("/v1/incidents/{id}/mute")).bearer(token);
        call.json(&json!({ "for": "2h" })).send().await
    };
    let writer = server.token(Role::Contributor, &collection("ops")).await;
    assert_eq!(mute("1", &writer).await.at("/muted/until"), "2026-11-15T14:00:00Z");
    let reader = server.token(Role::Reader, &collection("ops")).await;
    let elsewhere = server.token(Role::Contributor, &collection("web")).await;
    assert_eq!(mute("1", &reader).await.status(), 403);
    assert_eq!(mute("1", &elsewhere).await.status(), 404);
    for id in ["2", "0", "-1", "9223372036854775807"] {
        assert_eq!(mute(id, &writer).await.status(), 404, "{id}");
    }
    assert_eq!(mute("x", &writer).await.status(), 400);
    assert_eq!(server.post("/v1/incidents/1/unmute").await.at("/muted"), Value::Null);
    let write = IncidentWrite {
        id: IncidentId(1),
        revision: Revision(3),
        told_at: None,
        last_told_at: None,
        look_at: None,
        closed_at: Some(instant("2026-11-15T11:30:00Z")),
        well_since: None,
        delivery: None,
    };
    server.alerts.step_incident(write).await.unwrap();
    assert_snapshot!(mute("1", &writer).await.complaint(), @"409 ConflictError: incident: Incident '1' is over: nothing more is told of it.");
}

#[tokio::test]
async fn jobs_that_an_alert_watched_before_are_not_named_to_others() {
    let (server, jobs) = server_with_jobs().await;
    let alert = make_alert(&server, "a", "ops").await;
    join(&server, alert, Trouble::Late, jobs[0], "api.example.com:443").await;
    let moved =
        json!({ "when": ["late"], "scope": "web", "action": { "request": { "uri": "https://hooks.example.com" } } });
    assert_eq!(server.put("/v1/alerts/a", moved).await.status(), 200);
    let reader = server.token(Role::Reader, &collection("web")).await;
    let shown = server.call("GET", "/v1/incidents").bearer(&reader).send().await;
    assert_eq!(ids(&shown), [1]);
    assert!(!shown.body().contains("ops") && !shown.body().contains("nightly"), "{shown}");
}
