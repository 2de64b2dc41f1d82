//! Messages of alerts on their way.

use punctual_model::alert::{Alert, Conditions, Form, MessageKind, Trouble};
use punctual_model::job::Uid;
use punctual_model::progress::Progress;
use punctual_model::time::Timestamp;
use punctual_store::{
    AlertSource, AlertStore, AlertWrite, DeliveryEntry, DeliveryId, DeliveryOutcome, DeliveryWrite, Error,
    IncidentEntry, IncidentWrite, JobId, MemberChange, RowChange, WorkStore,
};

use super::alerts::{ANY, alert, change, delivery, failing, join, make, new};
use crate::engine;
use crate::engine::{apply, progress, work};
use crate::place::Database;
use crate::sample::{self, at, by, make_collection, make_job};

/// An attempt of a message fails, and the next is made then.
async fn fail(work_store: &dyn WorkStore, job: JobId, wake_at: Timestamp) {
    let entry = work(work_store, job).await;
    let before = progress(&entry);
    let open =
        before.open.map(|open| punctual_model::occurrence::Occurrence { attempt: open.attempt + 1, wake_at, ..open });
    let row = RowChange::Schedule { progress: Progress { open, ..before }, beside: None };
    apply(work_store, engine::change(&entry, row)).await;
}

async fn get(alerts: &dyn AlertStore, id: DeliveryId) -> DeliveryEntry {
    alerts.delivery(id).await.unwrap().unwrap()
}

pub(crate) async fn each_attempt_that_failed_is_noted_once(place: &dyn Database) {
    let (_, work_store, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let id = alerts.deliver(delivery(&alert, 10)).await.unwrap();
    assert_eq!(alerts.failed_attempts(10).await.unwrap(), []);
    fail(&*work_store, get(&*alerts, id).await.job, at(40)).await;
    let [attempt] = alerts.failed_attempts(10).await.unwrap()[..] else { panic!("one attempt has failed") };
    assert_eq!((attempt.attempts, attempt.is_first, attempt.next_attempt_at), (1, true, at(40)));
    alerts.note_failed_attempt(attempt, "It is down.".to_owned()).await.unwrap();
    assert_eq!(alerts.failed_attempts(10).await.unwrap(), []);
    let sent = get(&*alerts, id).await;
    let next = (sent.failed_attempts, sent.next_attempt_at, sent.note.as_deref(), sent.outcome);
    assert_eq!(next, (1, Some(at(40)), Some("It is down."), None));
    fail(&*work_store, sent.job, at(100)).await;
    let [second] = alerts.failed_attempts(10).await.unwrap()[..] else { panic!("another attempt has failed") };
    assert_eq!((second.attempts, second.is_first), (2, false));
    let outcome = DeliveryOutcome { at: at(101), failure: None, note: None };
    alerts.end_delivery(id, outcome.clone(), None).await.unwrap();
    let ended = get(&*alerts, id).await;
    assert_eq!((ended.next_attempt_at, ended.note, ended.outcome), (None, None, Some(outcome)));
    assert_eq!(ended.failed_attempts, 1, "as it was noted");
    let id = alerts.deliver(delivery(&alert, 20)).await.unwrap();
    let outcome = DeliveryOutcome { at: at(101), failure: Some("It is down.".to_owned()), note: None };
    alerts.end_delivery(id, outcome, Some(10)).await.unwrap();
    assert_eq!(get(&*alerts, id).await.failed_attempts, 10, "with the last one");
}

pub(crate) async fn a_later_one_takes_the_place_of_one_that_waits(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    change(&*alerts, vec![join(&alert, job.id, "status", 5)]).await;
    let [incident] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("one incident") };
    let opened = DeliveryWrite { incident: Some(incident.id), ..delivery(&alert, 10) };
    let step = IncidentWrite {
        id: incident.id,
        revision: incident.revision,
        told_at: Some(at(10)),
        last_told_at: Some(at(10)),
        look_at: None,
        closed_at: None,
        well_since: None,
        delivery: Some(opened),
    };
    alerts.step_incident(step.clone()).await.unwrap();
    let [open] = &alerts.open_deliveries(incident.id).await.unwrap()[..] else { panic!("one is on its way") };
    let [told] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("one incident") };
    let recovered = DeliveryWrite { incident: Some(incident.id), supersedes: vec![open.id], ..delivery(&alert, 20) };
    let close = IncidentWrite { revision: told.revision, closed_at: Some(at(20)), delivery: Some(recovered), ..step };
    let early = alerts.step_incident(close.clone()).await;
    assert!(matches!(early, Err(Error::Stale)), "an attempt may be under way, and could arrive last");
    fail(&*work_store, open.job, at(40)).await;
    alerts.step_incident(close).await.unwrap();
    let ended = get(&*alerts, open.id).await.outcome.unwrap();
    assert_eq!((ended.at, ended.failure.as_deref()), (at(20), Some("A later message took its place.")));
    assert!(work_store.work(vec![open.job.into()]).await.unwrap().is_empty(), "nobody sends it");
    let open = alerts.open_deliveries(incident.id).await.unwrap();
    assert_eq!(open.iter().map(|open| open.at).collect::<Vec<_>>(), [at(20)]);
}

pub(crate) async fn one_goes_where_its_alert_points_now(place: &dyn Database) {
    let (_, work_store, alerts) = place.open_alerts().await;
    let made = make(&*alerts, failing()).await;
    let id = alerts.deliver(delivery(&made, 10)).await.unwrap();
    assert_eq!(alerts.outdated_deliveries(10).await.unwrap(), []);
    let before = get(&*alerts, id).await;
    fail(&*work_store, before.job, at(1000)).await;
    let source = AlertSource::Edited { id: made.id, uid: made.uid, revision: made.revision };
    let action = sample::posting("elsewhere").definition.action;
    let edited = alerts.put_alert(AlertWrite { source, action, ..new("ops", alert(failing())) }).await.unwrap();
    let outdated = alerts.outdated_deliveries(10).await.unwrap();
    assert_eq!(outdated.iter().map(|outdated| outdated.id).collect::<Vec<_>>(), [id]);
    alerts.redirect_delivery(id, delivery(&edited, 10)).await.unwrap();
    assert_eq!(alerts.outdated_deliveries(10).await.unwrap(), []);
    let after = get(&*alerts, id).await;
    assert!(work_store.work(vec![before.job.into()]).await.unwrap().is_empty(), "nothing goes to the old address");
    let sent = work_store.definitions(vec![after.job]).await.unwrap().pop().unwrap().unwrap();
    assert_eq!(sent.definition.action.target, edited.action.target);
    assert_eq!((after.next_attempt_at, after.failed_attempts), (Some(at(10)), 0), "it is tried at once");
    let ended = DeliveryOutcome { at: at(30), failure: Some("The alert has another form now.".to_owned()), note: None };
    alerts.retell_delivery(id, ended.clone()).await.unwrap();
    assert_eq!(get(&*alerts, id).await.outcome, Some(ended));
    assert!(matches!(alerts.redirect_delivery(id, delivery(&edited, 10)).await, Err(Error::Stale)));
}

pub(crate) async fn an_incident_is_told_anew_whose_message_was_not_delivered(place: &dyn Database) {
    let (store, _, alerts) = place.open_alerts().await;
    let made = make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    change(&*alerts, vec![join(&made, job.id, "status", 5)]).await;
    let incident = async || alerts.incidents(ANY).await.unwrap().remove(0);
    let opened = incident().await;
    let told = IncidentWrite {
        id: opened.id,
        revision: opened.revision,
        told_at: Some(at(10)),
        last_told_at: Some(at(10)),
        look_at: None,
        closed_at: None,
        well_since: None,
        delivery: Some(DeliveryWrite { incident: Some(opened.id), ..delivery(&made, 10) }),
    };
    alerts.step_incident(told.clone()).await.unwrap();
    assert_eq!(alerts.incidents_to_look_at(at(20), 10).await.unwrap(), []);
    let [message] = &alerts.open_deliveries(opened.id).await.unwrap()[..] else { panic!("one is on its way") };
    let ended = DeliveryOutcome { at: at(20), failure: Some("It has another form.".to_owned()), note: None };
    alerts.retell_delivery(message.id, ended.clone()).await.unwrap();
    let anew = incident().await;
    assert_eq!((anew.incident.told_at, anew.incident.last_told_at), (None, None));
    assert_eq!(alerts.incidents_to_look_at(at(20), 10).await.unwrap(), std::slice::from_ref(&anew));
    let stale = alerts.step_incident(IncidentWrite { delivery: None, ..told.clone() }).await;
    assert!(matches!(stale, Err(Error::Stale)), "who has read it before does not know");
    // What is over stays as it was told.
    let over = IncidentWrite { revision: anew.revision, closed_at: Some(at(30)), ..told };
    alerts.step_incident(over).await.unwrap();
    let [message] = &alerts.open_deliveries(opened.id).await.unwrap()[..] else { panic!("one is on its way") };
    alerts.retell_delivery(message.id, ended).await.unwrap();
    assert_eq!(incident().await.incident.told_at, Some(at(10)));
}

pub(crate) async fn the_last_ones_of_an_alert_outlive_it(place: &dyn Database) {
    let (_, work_store, alerts) = place.open_alerts().await;
    let made = make(&*alerts, failing()).await;
    let first = alerts.deliver(delivery(&made, 10)).await.unwrap();
    let first = get(&*alerts, first).await;
    alerts.delete_alert(made.id, made.revision, vec![delivery(&made, 20)], by(at(20))).await.unwrap();
    assert_eq!(alerts.delivery(first.id).await.unwrap(), None);
    assert!(work_store.work(vec![first.job.into()]).await.unwrap().is_empty(), "nobody sends it any more");
    let last = get(&*alerts, DeliveryId(first.id.0 + 1)).await;
    assert_eq!((last.alert, last.next_attempt_at), (made.id, Some(at(20))));
}

pub(crate) async fn a_receiver_that_is_left_is_told_the_end(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let keeper = Alert { form: Form::PagerDuty, ..alert(Conditions { ended: true, ..failing() }) };
    let made = alerts.put_alert(new("ops", keeper.clone())).await.unwrap();
    let collection = make_collection(&*store, "s/g/c").await;
    let (one, two) = (make_job(&*store, &collection, "one").await, make_job(&*store, &collection, "two").await);
    for (job, cause) in [(&one, "status"), (&two, "timeout")] {
        change(&*alerts, vec![join(&made, job.id, cause, 5)]).await;
    }
    let ended = |seconds: i64| match join(&made, one.id, "status", seconds) {
        MemberChange::Join { alert, job, target, cause, detail, at, .. } => {
            MemberChange::Join { alert, trouble: Trouble::Ended, job, target, cause, detail, at }
        }
        leave @ MemberChange::Leave { .. } => leave,
    };
    change(&*alerts, vec![ended(6)]).await;
    let incidents = async || alerts.incidents(ANY).await.unwrap();
    for opened in incidents().await {
        let told = IncidentWrite {
            id: opened.id,
            revision: opened.revision,
            told_at: Some(at(10)),
            last_told_at: Some(at(10)),
            look_at: None,
            closed_at: None,
            well_since: None,
            delivery: None,
        };
        alerts.step_incident(told).await.unwrap();
    }
    // The same has happened again, and is not told yet.
    change(&*alerts, vec![ended(15)]).await;
    // Of one of them nobody is in trouble any more.
    let (job, is_well) = (two.id, false);
    change(&*alerts, vec![MemberChange::Leave { alert: None, trouble: None, job, is_well, at: at(20) }]).await;
    let farewell = |incident: &IncidentEntry| DeliveryWrite {
        incident: Some(incident.id),
        kind: MessageKind::Recovered,
        uid: Uid::from_bytes([u8::try_from(incident.id.0).unwrap(); 16]),
        ..delivery(&made, 30)
    };
    let told = incidents().await.into_iter().filter(|incident| incident.incident.told_at.is_some());
    let last: Vec<DeliveryWrite> = told.map(|incident| farewell(&incident)).collect();
    let source = AlertSource::Edited { id: made.id, uid: made.uid, revision: made.revision };
    let action = sample::posting("elsewhere").definition.action;
    let edited = alerts.put_alert(AlertWrite { source, action, last, ..new("ops", keeper) }).await.unwrap();
    let [new, ended, left, lasting] = &incidents().await[..] else { panic!("four incidents") };
    let closed_at = [new, ended, left, lasting].map(|incident| incident.closed_at);
    assert_eq!(closed_at, [None, Some(at(30)), Some(at(30)), None], "what has happened is not told twice");
    assert_eq!((lasting.incident.told_at, lasting.incident.last_told_at), (None, None), "the new one is told of it");
    assert_eq!(alerts.open_deliveries(lasting.id).await.unwrap(), [], "and does not wait for the old one");
    assert_eq!(alerts.outdated_deliveries(10).await.unwrap(), [], "they stay on their way");
    alerts.delete_alert(edited.id, edited.revision, Vec::new(), by(at(40))).await.unwrap();
    for id in [1, 2, 3] {
        let sent = get(&*alerts, DeliveryId(id)).await;
        let job = work_store.definitions(vec![sent.job]).await.unwrap().pop().unwrap().unwrap();
        assert_eq!(job.definition.action.target, made.action.target);
    }
}

pub(crate) async fn the_end_is_told_to_who_keeps_the_incident(place: &dyn Database) {
    let alerts = place.open_alerts().await.2;
    let keeper = Alert { form: Form::Alertmanager, ..alert(failing()) };
    let made = alerts.put_alert(new("ops", keeper)).await.unwrap();
    let end = DeliveryWrite { kind: MessageKind::Recovered, ..delivery(&made, 10) };
    let end = alerts.deliver(end).await.unwrap();
    let begin = alerts.deliver(delivery(&made, 11)).await.unwrap();
    alerts.delete_alert(made.id, made.revision, Vec::new(), by(at(20))).await.unwrap();
    assert_eq!(alerts.delivery(begin).await.unwrap(), None);
    assert_eq!(get(&*alerts, end).await.outcome, None, "the receiver would keep it open");
}
