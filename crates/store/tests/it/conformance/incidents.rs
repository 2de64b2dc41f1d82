//! Incidents: what is known of them, and whose turn it is.

use punctual_model::alert::{Conditions, Trouble};
use punctual_model::failure::FailureClass;
use punctual_model::job::Uid;
use punctual_model::time::Span;
use punctual_store::{AlertEntry, AlertSource, AlertWrite, JobId, MemberChange};

use super::alerts::{ANY, alert, attempt, change, failing, join, make, new};
use crate::place::Database;
use crate::sample::{at, make_collection, make_job};

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
