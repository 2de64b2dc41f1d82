//! Incidents: what is known of them, and whose turn it is.

use punctual_model::alert::{Conditions, Trouble};
use punctual_model::failure::FailureClass;
use punctual_model::job::Uid;
use punctual_model::time::Span;
use punctual_store::{AlertEntry, AlertSource, AlertWrite, IncidentPage, IncidentWrite, JobId, MemberChange};

use super::alerts::{ANY, alert, attempt, change, failing, join, make, new};
use crate::place::Database;
use crate::sample::{at, by, make_collection, make_job};

fn stale(alert: &AlertEntry, job: JobId, seconds: i64) -> MemberChange {
    MemberChange::Join {
        alert: alert.id,
        trouble: Trouble::Stale,
        job,
        target: String::new(),
        cause: String::new(),
        detail: "has never succeeded.".to_owned(),
        at: at(seconds),
    }
}

pub(crate) async fn a_success_of_a_job_that_is_well_again_counts(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let made = make(&*alerts, failing()).await;
    let (often, seldom) =
        (make_job(&*store, &collection, "often").await, make_job(&*store, &collection, "seldom").await);
    for job in [&often, &seldom] {
        attempt(&*work_store, job, 10, Some(FailureClass::Status)).await;
        change(&*alerts, vec![join(&made, job.id, "status", 10)]).await;
    }
    attempt(&*work_store, &often, 20, None).await;
    let (alert, trouble) = (None, None);
    change(&*alerts, vec![MemberChange::Leave { alert, trouble, job: often.id, is_well: true, at: at(20) }]).await;
    attempt(&*work_store, &often, 80, None).await;
    let members = alerts.incidents(ANY).await.unwrap()[0].incident.members;
    assert_eq!((members.troubled, members.well), (1, 1));
    assert_eq!((members.last_well, members.last_success), (Some(at(20)), Some(at(80))));
    assert_eq!(members.next_attempt, Some(at(70)), "of those that are in trouble alone");
}

pub(crate) async fn what_a_step_has_seen_is_kept(place: &dyn Database) {
    let alerts = place.open_alerts().await.2;
    let made = make(&*alerts, failing()).await;
    change(&*alerts, vec![join(&made, JobId(1), "status", 10)]).await;
    let incident = async || alerts.incidents(ANY).await.unwrap().remove(0);
    let opened = incident().await;
    assert_eq!(opened.incident.well_since, None);
    let step = IncidentWrite {
        id: opened.id,
        revision: opened.revision,
        told_at: None,
        last_told_at: None,
        look_at: Some(at(70)),
        closed_at: None,
        well_since: Some(at(40)),
        delivery: None,
    };
    alerts.step_incident(step.clone()).await.unwrap();
    assert_eq!(incident().await.incident.well_since, Some(at(40)));
    let revision = incident().await.revision;
    alerts.step_incident(IncidentWrite { revision, well_since: None, ..step }).await.unwrap();
    assert_eq!(incident().await.incident.well_since, None);
}

pub(crate) async fn a_job_that_is_gone_is_still_named(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let made = make(&*alerts, failing()).await;
    let job = make_job(&*store, &collection, "Nightly").await;
    attempt(&*work_store, &job, 10, Some(FailureClass::Status)).await;
    change(&*alerts, vec![join(&made, job.id, "status", 10)]).await;
    store.delete_job(job.id, job.revision, by(at(20))).await.unwrap();
    let leave =
        MemberChange::Leave { alert: None, trouble: Some(Trouble::Failing), job: job.id, is_well: false, at: at(20) };
    change(&*alerts, vec![leave]).await;
    let incident = alerts.incidents(ANY).await.unwrap()[0].id;
    let [gone] = &alerts.incident_facts(incident).await.unwrap().gone_jobs[..] else { panic!("one is gone") };
    assert_eq!((&*gone.path, gone.since, gone.attempts), ("s/g/c/Nightly", at(10), 1));
}

pub(crate) async fn what_is_more_than_a_hundred_is_one(place: &dyn Database) {
    let alerts = place.open_alerts().await.2;
    let made = make(&*alerts, failing()).await;
    let at_host = |job: i64, cause: &str| match join(&made, JobId(job), cause, job) {
        MemberChange::Join { alert, trouble, job, cause, detail, at, .. } => {
            let target = format!("h{}:443", job.0);
            MemberChange::Join { alert, trouble, job, target, cause, detail, at }
        }
        leave @ MemberChange::Leave { .. } => leave,
    };
    let max = i64::try_from(punctual_model::limits::OPEN_INCIDENTS_MAX).unwrap();
    change(&*alerts, (1..=max + 2).map(|job| at_host(job, "status")).collect()).await;
    let open = async || alerts.incidents(IncidentPage { is_open: Some(true), limit: 1000, ..ANY }).await.unwrap();
    let incidents = open().await;
    assert_eq!(incidents.len(), punctual_model::limits::OPEN_INCIDENTS_MAX + 1);
    let others = &incidents[0];
    assert_eq!((&*others.target, &*others.cause, others.incident.members.troubled), ("", "", 2));
    // Who is in it stays in it, although there is room by now: it was told already.
    let is_well = true;
    let leave = MemberChange::Leave { alert: None, trouble: None, job: JobId(1), is_well, at: at(500) };
    let first = incidents.last().unwrap();
    change(&*alerts, vec![leave]).await;
    let first = open().await.into_iter().find(|it| it.id == first.id).unwrap();
    let step = IncidentWrite {
        id: first.id,
        revision: first.revision,
        told_at: None,
        last_told_at: None,
        look_at: None,
        closed_at: Some(at(500)),
        well_since: None,
        delivery: None,
    };
    alerts.step_incident(step).await.unwrap();
    change(&*alerts, vec![at_host(max + 1, "timeout"), at_host(max + 3, "status")]).await;
    let stand: Vec<_> = open().await.into_iter().map(|it| (it.target, it.incident.members.troubled)).collect();
    assert_eq!(stand[0], (format!("h{}:443", max + 3), 1), "there is room for another one");
    assert_eq!(stand[1], (String::new(), 2));
}

pub(crate) async fn what_is_no_failure_has_no_facts_of_one(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let conditions = Conditions { stale: Some(Span::from_seconds(60)), ..Conditions::default() };
    let made = make(&*alerts, conditions).await;
    let job = make_job(&*store, &collection, "j").await;
    attempt(&*work_store, &job, 10, Some(FailureClass::Status)).await;
    change(&*alerts, vec![stale(&made, job.id, 90)]).await;
    let incident = alerts.incidents(ANY).await.unwrap()[0].id;
    let facts = alerts.incident_facts(incident).await.unwrap();
    assert_eq!((facts.failure, facts.record, facts.since), (None, None, Some(at(90))));
    assert_eq!((facts.jobs[0].attempts, facts.jobs[0].since), (0, at(90)));
    // Who comes back does not make the incident begin later.
    let (alert, trouble) = (Some(made.id), Some(Trouble::Stale));
    change(&*alerts, vec![MemberChange::Leave { alert, trouble, job: job.id, is_well: true, at: at(100) }]).await;
    change(&*alerts, vec![stale(&made, job.id, 110)]).await;
    assert_eq!(alerts.incident_facts(incident).await.unwrap().since, Some(at(90)));
}

pub(crate) async fn alerts_take_turns(place: &dyn Database) {
    let alerts = place.open_alerts().await.2;
    let busy = make(&*alerts, failing()).await;
    let source = AlertSource::New { uid: Uid::from_bytes([8; 16]), alerts_max: 3 };
    let calm = alerts.put_alert(AlertWrite { source, ..new("calm", alert(failing())) }).await.unwrap();
    let many = (0..5).map(|number| join(&busy, JobId(1), &format!("c{number}"), number));
    for joins in many {
        change(
            &*alerts,
            vec![MemberChange::Leave { alert: None, trouble: None, job: JobId(1), is_well: false, at: at(0) }, joins],
        )
        .await;
    }
    change(&*alerts, vec![join(&calm, JobId(2), "status", 50)]).await;
    let next = alerts.incidents_to_look_at(at(100), 2).await.unwrap();
    assert_eq!(next.iter().map(|incident| incident.alert).collect::<Vec<_>>(), [busy.id, calm.id]);
}
