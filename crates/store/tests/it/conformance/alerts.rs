//! Alerts: what is watched, what happened, who was told.

use std::sync::Arc;

use punctual_model::access::Scope;
use punctual_model::alert::{
    Alert, AlertScope, Conditions, Form, MessageKind, Slow, Trouble, TroubledJob, delivery_job, delivery_uid,
};
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{Record, Status};
use punctual_model::job::Uid;
use punctual_model::time::Span;
use punctual_store::{
    AlertEntry, AlertSource, AlertStore, AlertTurn, AlertWrite, Deadline, DeliveryOutcome, DeliveryPage, DeliveryWrite,
    Error, HistoryEntry, IncidentPage, IncidentWrite, JobEntry, JobId, LatestPage, MemberChange, Mute, SignalKind,
    WorkStore,
};

use crate::engine::{apply, go_on, record, work};
use crate::place::Database;
use crate::sample::{self, at, by, make_collection, make_job, name};

pub(super) const ANY: IncidentPage = IncidentPage { alert: None, is_open: None, before: None, limit: 100 };

pub(crate) fn failing() -> Conditions {
    Conditions { failing: Some(1), recovered: true, ..Conditions::default() }
}

pub(crate) fn alert(conditions: Conditions) -> Alert {
    let scope = AlertScope { scope: Scope::Server, job: None };
    Alert { scope, conditions, reminder: None, quiet_hours: None, form: Form::Json }
}

pub(crate) fn new(called: &str, alert: Alert) -> AlertWrite {
    let source = AlertSource::New { uid: Uid::from_bytes([7; 16]), alerts_max: 3 };
    AlertWrite {
        name: name(called),
        source,
        alert,
        action: sample::posting("tell").definition.action,
        stamp: by(at(0)),
        scope_limits: None,
        last: Vec::new(),
    }
}

pub(super) async fn make(alerts: &dyn AlertStore, conditions: Conditions) -> AlertEntry {
    alerts.put_alert(new("ops", alert(conditions))).await.unwrap()
}

/// The schedule of a job makes an attempt at that second, and goes on.
pub(super) async fn attempt(work_store: &dyn WorkStore, job: &JobEntry, seconds: i64, class: Option<FailureClass>) {
    let entry = work(work_store, job.id).await;
    let mut change = go_on(&entry, seconds + 60);
    let entry = record(job.id, seconds);
    let failure = class.map(|class| Failure::new(class, "h", "It failed."));
    let status = if failure.is_some() { Status::Failed(at(seconds)) } else { Status::Completed(at(seconds)) };
    change.records = vec![HistoryEntry { record: Record { status, failure, ..entry.record }, ..entry }];
    apply(work_store, change).await;
}

pub(super) async fn signals(alerts: &dyn AlertStore) -> Vec<(JobId, SignalKind)> {
    let signals = alerts.signals(100).await.unwrap();
    let ids = signals.iter().map(|signal| signal.id).collect();
    alerts.take_alert_turn(AlertTurn { signals: ids, ..AlertTurn::default() }).await.unwrap();
    signals.into_iter().map(|signal| (signal.job, signal.kind)).collect()
}

pub(crate) fn join(alert: &AlertEntry, job: JobId, cause: &str, seconds: i64) -> MemberChange {
    MemberChange::Join {
        alert: alert.id,
        trouble: Trouble::Failing,
        job,
        target: "h:443".to_owned(),
        cause: cause.to_owned(),
        detail: String::new(),
        at: at(seconds),
    }
}

fn leave(job: JobId, is_well: bool, seconds: i64) -> MemberChange {
    MemberChange::Leave { alert: None, trouble: None, job, is_well, at: at(seconds) }
}

pub(super) async fn change(alerts: &dyn AlertStore, changes: Vec<MemberChange>) {
    alerts.take_alert_turn(AlertTurn { changes, ..AlertTurn::default() }).await.unwrap();
}

pub(super) fn delivery(alert: &AlertEntry, seconds: i64) -> DeliveryWrite {
    let uid = delivery_uid(alert.uid, "1", at(seconds));
    let job = delivery_job(alert.action.clone(), &alert.alert.scope, uid, at(seconds)).unwrap();
    let (kind, headline) = (MessageKind::Opened, "j fails.".to_owned());
    DeliveryWrite {
        alert: alert.id,
        incident: None,
        kind,
        headline,
        at: at(seconds),
        uid,
        job,
        alert_revision: alert.revision,
        form: alert.alert.form,
        supersedes: Vec::new(),
    }
}

pub(crate) async fn what_was_said_comes_back(place: &dyn Database) {
    let alerts = place.open_alerts().await.2;
    let conditions = Conditions {
        late: Some(Span::from_seconds(60)),
        slow: Some(Slow::Times(3)),
        silent: Some(Span::from_seconds(300)),
        operator: true,
        ..failing()
    };
    let made = alerts.put_alert(new("Ops", alert(conditions.clone()))).await.unwrap();
    assert_eq!((&made.alert, &made.action), (&alert(conditions), &sample::posting("tell").definition.action));
    assert_eq!(alerts.alert(&name("oPS")).await.unwrap(), Some(made.clone()));
    assert_eq!(made.name.as_str(), "Ops");
    let taken = alerts.put_alert(new("ops", alert(failing()))).await;
    assert!(matches!(taken, Err(Error::Stale)));
    for name in ["a", "b"] {
        alerts.put_alert(new(name, alert(failing()))).await.unwrap();
    }
    assert!(matches!(alerts.put_alert(new("c", alert(failing()))).await, Err(Error::Full { max: 3 })));
    let names: Vec<_> = alerts.alerts().await.unwrap().iter().map(|alert| alert.name.to_string()).collect();
    assert_eq!(names, ["a", "b", "Ops"]);
    let source = AlertSource::Edited { id: made.id, uid: made.uid, revision: made.revision };
    let edit = AlertWrite { source, ..new("Ops", alert(failing())) };
    assert_eq!(alerts.put_alert(edit.clone()).await.unwrap().alert, alert(failing()));
    assert!(matches!(alerts.put_alert(edit).await, Err(Error::Stale)));
    // What was read before is not what there is.
    let all = async || alerts.alerts().await.unwrap();
    let known = all().await;
    assert_eq!(known[2].alert, alert(failing()));
    assert!(Arc::ptr_eq(&known, &all().await), "nothing was written, and nothing is read");
    alerts.mute_alert(made.id, Some(Mute { until: at(500), by: "me".to_owned() }), by(at(0))).await.unwrap();
    assert_eq!(all().await[2].mute.as_ref().map(|mute| mute.until), Some(at(500)));
    alerts.delete_alert(known[0].id, known[0].revision, Vec::new(), by(at(0))).await.unwrap();
    assert_eq!(all().await.len(), 2);
}

pub(crate) async fn what_happens_is_signalled_where_somebody_wants_to_hear_of_it(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    attempt(&*work_store, &job, 10, Some(FailureClass::Status)).await;
    assert_eq!(signals(&*alerts).await, [], "nobody wants to hear of it");
    make(&*alerts, Conditions { failing: Some(3), late: Some(Span::from_seconds(60)), ..Conditions::default() }).await;
    let health = (job.id, SignalKind::Health);
    assert_eq!(signals(&*alerts).await, [health], "it fails already");
    attempt(&*work_store, &job, 20, None).await;
    assert_eq!(signals(&*alerts).await, [health]);
    for (seconds, class, expected) in [
        (30, Some(FailureClass::Status), vec![health]),
        (40, Some(FailureClass::Status), vec![]),
        (50, Some(FailureClass::Status), vec![health]),
        (55, Some(FailureClass::Status), vec![health]),
        (60, Some(FailureClass::Timeout), vec![health]),
        (70, None, vec![health]),
        (80, None, vec![]),
    ] {
        attempt(&*work_store, &job, seconds, class).await;
        assert_eq!(signals(&*alerts).await, expected, "{seconds}");
    }
}

pub(crate) async fn a_signal_that_is_replaced_is_not_taken(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    attempt(&*work_store, &job, 10, Some(FailureClass::Status)).await;
    let [seen] = &alerts.signals(100).await.unwrap()[..] else { panic!("one signal") };
    assert_eq!(seen.standing.failing.as_ref().map(|failing| failing.count), Some(1));
    attempt(&*work_store, &job, 20, None).await;
    alerts.take_alert_turn(AlertTurn { signals: vec![seen.id], ..AlertTurn::default() }).await.unwrap();
    let [newer] = &alerts.signals(100).await.unwrap()[..] else { panic!("the newer one is still there") };
    assert_eq!((newer.job, newer.standing.failing.as_ref()), (job.id, None));
}

pub(crate) async fn jobs_at_one_target_are_one_incident(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let (one, two) = (make_job(&*store, &collection, "one").await, make_job(&*store, &collection, "two").await);
    attempt(&*work_store, &one, 10, Some(FailureClass::Status)).await;
    attempt(&*work_store, &two, 11, Some(FailureClass::Status)).await;
    change(&*alerts, vec![join(&alert, one.id, "status", 10), join(&alert, two.id, "status", 11)]).await;
    change(&*alerts, vec![join(&alert, one.id, "status", 12)]).await;
    let [incident] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("one incident") };
    let members = incident.incident.members;
    assert_eq!((members.troubled, members.well, members.last_failure), (2, 0, Some(at(11))));
    assert_eq!((incident.incident.opened_at, &*incident.target, &*incident.cause), (at(10), "h:443", "status"));
    let facts = alerts.incident_facts(incident.id).await.unwrap();
    let named: Vec<_> = facts.jobs.iter().map(|job| (&*job.path, job.attempts, job.since)).collect();
    assert_eq!(named, [("s/g/c/one", 1, at(10)), ("s/g/c/two", 1, at(11))]);
    assert_eq!(facts.failure.map(|failure| failure.class), Some(FailureClass::Status));
    // One is well, the other fails for another reason, which is no news: it has not recovered.
    attempt(&*work_store, &one, 20, None).await;
    change(&*alerts, vec![leave(one.id, true, 20), join(&alert, two.id, "timeout", 21)]).await;
    let [incident] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("one incident") };
    let members = incident.incident.members;
    assert_eq!((members.troubled, members.well, members.gone, members.last_well), (1, 1, 0, Some(at(20))));
    assert_eq!(alerts.members(Trouble::Failing).await.unwrap(), [(alert.id, two.id)]);
    // At another target it is in another incident from now on.
    let mut elsewhere = join(&alert, two.id, "timeout", 30);
    if let MemberChange::Join { target, .. } = &mut elsewhere {
        "other:443".clone_into(target);
    }
    change(&*alerts, vec![elsewhere]).await;
    let [other, incident] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("two incidents") };
    assert_eq!((incident.incident.members.gone, other.incident.members.troubled), (1, 1));
    assert_eq!((&*other.target, &*other.cause), ("other:443", "timeout"));
    // What was known of the failures outlives them.
    let facts = alerts.incident_facts(incident.id).await.unwrap();
    let named = |jobs: &[TroubledJob]| jobs.iter().map(|job| (job.path.clone(), job.attempts, job.since)).collect();
    let (well, gone): (Vec<_>, Vec<_>) = (named(&facts.well_jobs), named(&facts.gone_jobs));
    assert_eq!(well, [("s/g/c/one".to_owned(), 1, at(10))]);
    assert_eq!((gone, facts.since), (vec![("s/g/c/two".to_owned(), 1, at(11))], Some(at(10))));
    let failure = facts.failure.map(|failure| (failure.class, failure.detail));
    assert_eq!(failure, Some((FailureClass::Status, "It failed.".to_owned())));
    assert_eq!(facts.record.map(|(job, _)| job), Some(one.id));
}

pub(crate) async fn a_job_that_fails_in_no_incident_is_signalled(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let health = (job.id, SignalKind::Health);
    attempt(&*work_store, &job, 10, Some(FailureClass::Status)).await;
    assert_eq!(signals(&*alerts).await, [health]);
    change(&*alerts, vec![join(&alert, job.id, "status", 10)]).await;
    attempt(&*work_store, &job, 20, Some(FailureClass::Status)).await;
    assert_eq!(signals(&*alerts).await, [], "that is known");
    // The incident is over, because others are well again and this job had not run yet.
    let [incident] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("one incident") };
    let (id, revision) = (incident.id, incident.revision);
    let (told_at, closed_at) = (Some(at(15)), Some(at(60)));
    let close = IncidentWrite {
        id,
        revision,
        told_at,
        last_told_at: told_at,
        look_at: None,
        closed_at,
        well_since: None,
        delivery: None,
    };
    alerts.step_incident(close).await.unwrap();
    assert_eq!(alerts.members(Trouble::Failing).await.unwrap(), []);
    attempt(&*work_store, &job, 70, Some(FailureClass::Status)).await;
    assert_eq!(signals(&*alerts).await, [health]);
    // It was disabled and enabled again.
    change(&*alerts, vec![join(&alert, job.id, "status", 70), leave(job.id, false, 80)]).await;
    attempt(&*work_store, &job, 90, Some(FailureClass::Status)).await;
    assert_eq!(signals(&*alerts).await, [health]);
}

pub(crate) async fn a_collection_that_is_disabled_is_signalled_for_its_jobs_in_incidents(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    make_job(&*store, &collection, "healthy").await;
    attempt(&*work_store, &job, 10, Some(FailureClass::Status)).await;
    assert_eq!(signals(&*alerts).await.len(), 1);
    change(&*alerts, vec![join(&alert, job.id, "status", 10)]).await;
    let mut write = sample::edited_collection(&collection);
    write.stopped_at = Some(at(20));
    store.put_collection(write).await.unwrap();
    let [signal] = &alerts.signals(100).await.unwrap()[..] else { panic!("one signal") };
    assert_eq!((signal.job, signal.standing.is_live()), (job.id, false));
}

pub(crate) async fn a_job_that_goes_is_signalled_while_an_incident_is_about_it(place: &dyn Database) {
    let (store, _, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    let quiet = make_job(&*store, &collection, "quiet").await;
    change(&*alerts, vec![join(&alert, job.id, "status", 10)]).await;
    for job in [&job, &quiet] {
        store.delete_job(job.id, job.revision, by(at(20))).await.unwrap();
    }
    let [signal] = &alerts.signals(100).await.unwrap()[..] else { panic!("one signal") };
    assert_eq!((signal.job, signal.path.as_deref(), signal.standing.state), (job.id, None, None));
}

pub(crate) async fn a_step_is_made_of_what_was_read(place: &dyn Database) {
    let (store, _, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let collection = make_collection(&*store, "s/g/c").await;
    let job = make_job(&*store, &collection, "j").await;
    change(&*alerts, vec![join(&alert, job.id, "status", 10)]).await;
    let [incident] = &alerts.incidents_to_look_at(at(10), 10).await.unwrap()[..] else { panic!("one incident") };
    let step = IncidentWrite {
        id: incident.id,
        revision: incident.revision,
        told_at: Some(at(15)),
        last_told_at: Some(at(15)),
        look_at: Some(at(100)),
        closed_at: None,
        well_since: None,
        delivery: Some(delivery(&alert, 15)),
    };
    alerts.step_incident(step.clone()).await.unwrap();
    assert!(matches!(alerts.step_incident(step.clone()).await, Err(Error::Stale)));
    assert_eq!(alerts.deliveries(DeliveryPage { limit: 10, ..DeliveryPage::default() }).await.unwrap().len(), 1);
    assert_eq!(alerts.incidents_to_look_at(at(99), 10).await.unwrap(), []);
    // Who leaves has it looked at.
    change(&*alerts, vec![leave(job.id, true, 50)]).await;
    let [incident] = &alerts.incidents_to_look_at(at(50), 10).await.unwrap()[..] else { panic!("one incident") };
    alerts.mute_incident(incident.id, Some(Mute { until: at(500), by: "me".to_owned() })).await.unwrap();
    let [muted] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("one incident") };
    assert_eq!(muted.incident.muted_until, Some(at(500)));
    let close = IncidentWrite { revision: muted.revision, closed_at: Some(at(60)), delivery: None, ..step };
    alerts.step_incident(close).await.unwrap();
    let open = IncidentPage { is_open: Some(true), ..ANY };
    assert_eq!(alerts.incidents(open).await.unwrap(), []);
    // The next trouble is another incident.
    change(&*alerts, vec![join(&alert, job.id, "status", 70)]).await;
    assert_eq!(alerts.incidents(ANY).await.unwrap().len(), 2);
    assert_eq!(alerts.forget_incidents(at(61), 10).await.unwrap(), 1);
    assert_eq!(alerts.incidents(ANY).await.unwrap().len(), 1);
}

pub(crate) async fn a_message_is_a_job_that_nobody_sees(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let alert = make(&*alerts, failing()).await;
    let id = alerts.deliver(delivery(&alert, 10)).await.unwrap();
    let sent = alerts.delivery(id).await.unwrap().unwrap();
    assert_eq!((sent.outcome, &*sent.headline), (None, "j fails."));
    assert_eq!(store.subscriptions(None, 10).await.unwrap(), []);
    let entry = work(&*work_store, sent.job).await;
    let mut change = go_on(&entry, 70);
    change.ends = Some((punctual_model::job::State::Faulted, at(12)));
    let entry = record(sent.job, 11);
    let failure = Some(Failure::new(FailureClass::Status, "h", "It failed."));
    change.records =
        vec![HistoryEntry { record: Record { status: Status::Failed(at(11)), failure, ..entry.record }, ..entry }];
    apply(&*work_store, change).await;
    assert_eq!(signals(&*alerts).await, [], "a message that does not arrive opens no incident");
    assert_eq!(store.failing_jobs(&punctual_store::FailingPage { after: None, limit: 9 }).await.unwrap(), []);
    let latest = store.latest_records(&LatestPage { limit: 9, ..LatestPage::default() }).await.unwrap();
    assert!(latest.iter().all(|record| record.path.is_none()));
    let [ended] = &alerts.ended_deliveries(10).await.unwrap()[..] else { panic!("one has ended") };
    assert_eq!((ended.id, ended.has_arrived, ended.ended_at), (id, false, at(12)));
    let outcome = DeliveryOutcome { at: at(12), failure: Some("It failed.".to_owned()), note: None };
    alerts.end_delivery(id, outcome.clone(), None).await.unwrap();
    assert_eq!(alerts.delivery(id).await.unwrap().unwrap().outcome, Some(outcome));
    assert_eq!(alerts.ended_deliveries(10).await.unwrap(), []);
    assert!(work_store.work(vec![sent.job.into()]).await.unwrap().is_empty(), "its job is gone");
    alerts.delete_alert(alert.id, alert.revision, Vec::new(), by(at(0))).await.unwrap();
    assert!(matches!(alerts.deliver(delivery(&alert, 20)).await, Err(Error::Stale)));
    assert_eq!(*alerts.alerts().await.unwrap(), []);
}

pub(crate) async fn each_job_that_is_watched_by_the_clock_has_a_deadline(place: &dyn Database) {
    let (store, _, alerts) = place.open_alerts().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let other = make_collection(&*store, "s/g/other").await;
    let old = make_job(&*store, &collection, "old").await;
    make_job(&*store, &other, "elsewhere").await;
    let scope = AlertScope {
        scope: Scope::Collection { subscription: name("S"), group: name("g"), collection: name("c") },
        job: None,
    };
    let conditions = Conditions { silent: Some(Span::from_seconds(300)), ..Conditions::default() };
    let watching = alerts.put_alert(new("ops", Alert { scope, ..alert(conditions) })).await.unwrap();
    let new = make_job(&*store, &collection, "new").await;
    make_job(&*store, &other, "elsewhere2").await;
    let due = alerts.deadlines(at(1_900_000_000), 10).await.unwrap();
    let mut watched: Vec<_> = due.iter().map(|entry| entry.deadline.job).collect();
    watched.sort_unstable();
    assert_eq!(watched, [old.id, new.id]);
    let set = Deadline { due_at: at(2_000_000_000), expected: Some(at(5)), ..due[0].deadline.clone() };
    alerts.take_alert_turn(AlertTurn { deadlines: vec![set], ..AlertTurn::default() }).await.unwrap();
    assert_eq!(alerts.deadlines(at(1_900_000_000), 10).await.unwrap().len(), 1);
    store.delete_job(old.id, old.revision, by(at(20))).await.unwrap();
    store.delete_job(new.id, new.revision, by(at(20))).await.unwrap();
    assert_eq!(alerts.deadlines(at(3_000_000_000), 10).await.unwrap(), []);
    assert!(watching.alert.conditions.needs_deadlines());
}
