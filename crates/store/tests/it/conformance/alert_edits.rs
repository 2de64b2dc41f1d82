//! Alerts that are written: who wrote them, how many there may be, and what that means for their incidents.

use std::sync::Arc;

use punctual_model::access::Scope;
use punctual_model::alert::{Alert, AlertScope, Conditions, Trouble};
use punctual_model::event::Edit;
use punctual_model::failure::FailureClass;
use punctual_model::job::Uid;
use punctual_model::time::Span;
use punctual_store::{
    AlertSource, AlertTurn, AlertWrite, ChangeEntry, ChangePage, ChangePlace, Deadline, Error, IncidentWrite, JobId,
    MemberChange, Mute, Revision, ScopeLimits, SignalKind, Stamp, Store, Version,
};

use super::alerts::{ANY, alert, attempt, change, failing, join, make, new, signals};
use crate::place::Database;
use crate::sample::{self, at, by, definition, make_collection, make_job, name};

async fn changes(store: &dyn Store, called: &str) -> Vec<ChangeEntry> {
    let page = ChangePage { place: ChangePlace::Alert(name(called)), before: None, limit: 1000 };
    store.changes(&page).await.unwrap()
}

fn edits(changes: &[ChangeEntry]) -> Vec<Edit> {
    changes.iter().map(|change| change.edit).collect()
}

fn with_password(password: &str) -> AlertWrite {
    let action = definition(&format!(
        r#"{{"action": {{"request": {{"uri": "https://example.com",
            "authentication": {{"type": "Basic", "username": "u", "password": "{password}"}}}}}}}}"#
    ))
    .action;
    AlertWrite { action, ..new("Ops", alert(failing())) }
}

pub(crate) async fn who_wrote_one_is_known(place: &dyn Database) {
    let (store, _, alerts) = place.open_alerts().await;
    let made = alerts.put_alert(with_password("a password")).await.unwrap();
    let source = AlertSource::Edited { id: made.id, uid: made.uid, revision: made.revision };
    let stamp = Stamp { at: at(5), who: "somebody".to_owned(), request_id: "request-2".to_owned() };
    let conditions = Conditions { ended: true, ..failing() };
    let edit = AlertWrite { source, alert: alert(conditions), stamp: stamp.clone(), ..with_password("another") };
    let edited = alerts.put_alert(edit.clone()).await.unwrap();
    assert!(matches!(alerts.put_alert(edit).await, Err(Error::Stale)));
    let mute = Mute { until: at(100), by: "somebody".to_owned() };
    alerts.mute_alert(made.id, Some(mute), by(at(6))).await.unwrap();
    alerts.mute_alert(made.id, None, by(at(7))).await.unwrap();
    alerts.mute_alert(made.id, None, by(at(8))).await.unwrap();
    assert!(matches!(alerts.delete_alert(made.id, Revision(7), Vec::new(), by(at(9))).await, Err(Error::Stale)));
    alerts.delete_alert(made.id, edited.revision, Vec::new(), by(at(9))).await.unwrap();
    let found = changes(&*store, "oPS").await;
    assert_eq!(edits(&found), [Edit::Deleted, Edit::Unmuted, Edit::Muted, Edit::Changed, Edit::Created]);
    let stamps: Vec<_> = found.iter().map(|change| change.stamp.clone()).collect();
    assert_eq!(stamps, [by(at(9)), by(at(7)), by(at(6)), stamp, by(at(0))]);
    let kept = |change: &ChangeEntry| {
        let Some(Version::Alert { alert, action, muted_until }) = &change.after else { panic!("an alert") };
        let mut secrets = Vec::new();
        action.clone().map_secrets(&mut |secret| secrets.push(secret.expose().to_owned()));
        (alert.conditions.ended, *muted_until, secrets.remove(0))
    };
    assert_eq!(found[0].after, None);
    let [unmuted, muted, changed, created] = [&found[1], &found[2], &found[3], &found[4]].map(kept);
    assert_eq!((unmuted.0, unmuted.1, muted.1), (true, None, Some(at(100))));
    assert_eq!((created.0, created.1), (false, None));
    assert!(unmuted.2 == changed.2 && muted.2 == changed.2 && changed.2 != created.2, "{changed:?} {created:?}");
    assert!(!format!("{changed:?} {created:?}").contains("password") && created.2.len() == 8, "{created:?}");
    // Another one of that name goes on where the old one ended.
    alerts.put_alert(with_password("a password")).await.unwrap();
    assert_eq!(edits(&changes(&*store, "ops").await)[..2], [Edit::Created, Edit::Deleted]);
    assert_eq!(changes(&*store, "other").await, []);
}

pub(crate) async fn those_who_watch_jobs_are_not_told(place: &dyn Database) {
    let (store, _, alerts) = place.open_alerts().await;
    let (mut watcher, before) = store.events().watch();
    let made = make(&*alerts, failing()).await;
    make_collection(&*store, "s/g/c").await;
    let told = watcher.take(100).unwrap();
    let paths: Vec<_> = told.iter().map(|(_, event)| event.path.as_deref().unwrap()).collect();
    assert_eq!(paths, ["s/g/c"]);
    alerts.delete_alert(made.id, made.revision, Vec::new(), by(at(9))).await.unwrap();
    assert_eq!(watcher.take(100).unwrap(), []);
    // Later neither, and who asks page by page comes to the end.
    let (_, until) = store.events().watch();
    let page = store.told(before, until, 100).await.unwrap();
    assert_eq!((page.events.len(), page.reached), (1, until));
}

pub(crate) async fn what_is_watched_has_room_for_some(place: &dyn Database) {
    let alerts = place.open_alerts().await.2;
    let in_collection = |collection: &str| Scope::Collection {
        subscription: name("S"),
        group: name("g"),
        collection: name(collection),
    };
    let write = |number: u8, scope: Scope, max: u32| {
        let scope = AlertScope { scope, job: number.is_multiple_of(2).then(|| name("j")) };
        let source = AlertSource::New { uid: Uid::from_bytes([number; 16]), alerts_max: 1000 };
        let write = new(&format!("a{number}"), Alert { scope, ..alert(failing()) });
        let scope_limits = Some(ScopeLimits { collection: max, group: 22, subscription: 23 });
        AlertWrite { source, scope_limits, ..write }
    };
    let creators: Vec<_> = (0..64)
        .map(|number| {
            let (alerts, write) = (Arc::clone(&alerts), write(number, in_collection("c"), 20));
            tokio::spawn(async move { alerts.put_alert(write).await })
        })
        .collect();
    for creator in creators {
        assert!(matches!(creator.await.unwrap(), Ok(_) | Err(Error::Full { max: 20 })));
    }
    assert_eq!(alerts.alerts().await.unwrap().len(), 20);
    let other = alerts.put_alert(write(100, in_collection("other"), 1)).await.unwrap();
    let group = Scope::Group { subscription: name("s"), group: name("G") };
    alerts.put_alert(write(101, group.clone(), 20)).await.unwrap();
    let full = alerts.put_alert(write(102, group, 20)).await;
    assert!(matches!(full, Err(Error::Full { max: 22 })), "what is in the group counts");
    let full = alerts.put_alert(write(102, in_collection("a third"), 20)).await;
    assert!(matches!(full, Err(Error::Full { max: 22 })), "what is in a collection is in its group");
    let source = AlertSource::Edited { id: other.id, uid: other.uid, revision: other.revision };
    let moved = AlertWrite { source, ..write(100, in_collection("C"), 20) };
    assert!(matches!(alerts.put_alert(moved).await, Err(Error::Full { max: 20 })), "one cannot come by an edit either");
    assert_eq!(alerts.alert(&other.name).await.unwrap(), Some(other));
}

pub(crate) async fn what_happens_after_it_was_told_is_another_incident(place: &dyn Database) {
    let alerts = place.open_alerts().await.2;
    let made = make(&*alerts, Conditions { ended: true, ..failing() }).await;
    let ended = |job: i64, seconds: i64| match join(&made, JobId(job), "status", seconds) {
        MemberChange::Join { alert, job, target, cause, detail, at, .. } => {
            MemberChange::Join { alert, trouble: Trouble::Ended, job, target, cause, detail, at }
        }
        leave @ MemberChange::Leave { .. } => leave,
    };
    change(&*alerts, vec![ended(1, 10), ended(2, 11)]).await;
    let [first] = &alerts.incidents(ANY).await.unwrap()[..] else { panic!("one incident") };
    let told = IncidentWrite {
        id: first.id,
        revision: first.revision,
        told_at: Some(at(15)),
        last_told_at: Some(at(15)),
        look_at: Some(at(3615)),
        closed_at: None,
        well_since: None,
        delivery: None,
    };
    alerts.step_incident(told).await.unwrap();
    change(&*alerts, vec![ended(3, 20), ended(4, 21)]).await;
    let incidents = alerts.incidents(ANY).await.unwrap();
    let stand: Vec<_> = incidents.iter().map(|it| (it.incident.told_at, it.incident.members.troubled)).collect();
    assert_eq!(stand, [(None, 2), (Some(at(15)), 2)]);
}

pub(crate) async fn an_alert_that_watches_something_else_lets_go_of_the_rest(place: &dyn Database) {
    let (store, work_store, alerts) = place.open_alerts().await;
    let made = make(&*alerts, Conditions { silent: Some(Span::from_seconds(300)), ..failing() }).await;
    let (one, other) = (make_collection(&*store, "s/g/one").await, make_collection(&*store, "s/g/other").await);
    let (a, b) = (make_job(&*store, &one, "a").await, make_job(&*store, &other, "b").await);
    for job in [&a, &b] {
        attempt(&*work_store, job, 10, Some(FailureClass::Status)).await;
        change(&*alerts, vec![join(&made, job.id, "status", 10)]).await;
    }
    let of_server = JobId(-1);
    change(&*alerts, vec![join(&made, of_server, "store", 10)]).await;
    signals(&*alerts).await;
    let expected = Some(at(7));
    let deadlines = alerts.deadlines(at(2_000_000_000), 10).await.unwrap();
    let deadlines = deadlines.into_iter().map(|it| Deadline { due_at: at(3_000_000_000), expected, ..it.deadline });
    let turn = AlertTurn { deadlines: deadlines.collect(), ..AlertTurn::default() };
    alerts.take_alert_turn(turn).await.unwrap();
    let scope = AlertScope {
        scope: Scope::Collection { subscription: name("s"), group: name("g"), collection: name("one") },
        job: None,
    };
    let source = AlertSource::Edited { id: made.id, uid: made.uid, revision: made.revision };
    let edit = AlertWrite { source, ..new("ops", Alert { scope, ..made.alert.clone() }) };
    alerts.put_alert(edit).await.unwrap();
    let mut members = alerts.members(Trouble::Failing).await.unwrap();
    members.sort_unstable_by_key(|(_, job)| *job);
    assert_eq!(members, [(made.id, of_server), (made.id, a.id)], "troubles of the server are in no scope");
    assert_eq!(signals(&*alerts).await, [(a.id, SignalKind::Health)], "others are not its business");
    // What was expected is still expected: who is silent is not well because somebody has edited something.
    let [deadline] = &alerts.deadlines(at(2_000_000_000), 10).await.unwrap()[..] else { panic!("one deadline") };
    assert_eq!((deadline.deadline.job, deadline.deadline.expected), (a.id, expected));
    let a = sample::find_job(&*store, &one, "a").await.unwrap();
    store.put_job(sample::edited(&one, &a)).await.unwrap();
    let [deadline] = &alerts.deadlines(at(2_000_000_000), 10).await.unwrap()[..] else { panic!("one deadline") };
    assert_eq!((deadline.deadline.job, deadline.deadline.expected), (a.id, expected));
}
