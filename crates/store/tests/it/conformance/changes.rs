//! Who changed what.

use punctual_model::collection::CollectionState;
use punctual_model::event::Edit;
use punctual_model::job::{JobState, State};
use punctual_model::labels::Annotations;
use punctual_store::{ChangeEntry, ChangePage, ChangePlace, Error, Revision, Stamp, Store, Version};

use crate::place::Place;
use crate::sample::{
    annotated, at, by, definition, edited, edited_collection, find_job, job_key, key, make_collection, make_job,
    make_jobs, new_job, now, posting,
};

async fn changes(store: &dyn Store, place: ChangePlace) -> Vec<ChangeEntry> {
    store.changes(&ChangePage { place, before: None, limit: 1000 }).await.unwrap()
}

fn job(name: &str) -> ChangePlace {
    ChangePlace::Job(job_key(&key("s/g/c"), name))
}

fn edits(changes: &[ChangeEntry]) -> Vec<Edit> {
    changes.iter().map(|change| change.edit).collect()
}

pub(crate) async fn the_latest_comes_first(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let entry = make_job(&*store, &collection, "Job").await;
    let mut write = edited(&collection, &entry);
    write.job.state = JobState::Disabled(at(5));
    write.annotations = annotated("broken", &["team=a"]);
    write.stamp = Stamp { at: at(5), who: "somebody".to_owned(), request_id: "request-2".to_owned() };
    store.put_job(write.clone()).await.unwrap();
    let found = changes(&*store, job("JOB")).await;
    assert_eq!(edits(&found), [Edit::Disabled, Edit::Created]);
    assert_eq!((&found[0].stamp, &found[1].stamp), (&write.stamp, &by(now())));
    let definition = Box::new(posting("Job").definition);
    let version = |state, annotations| Some(Version::Job { definition: definition.clone(), state, annotations });
    let (disabled, created) = (&found[0].after, &found[1].after);
    assert_eq!(*disabled, version(State::Disabled, annotated("broken", &["team=a"])));
    assert_eq!(*created, version(State::Enabled, Annotations::default()));
    let page = ChangePage { place: job("job"), before: Some(found[0].id), limit: 1 };
    assert_eq!(store.changes(&page).await.unwrap(), found[1..]);
    let of_collection = changes(&*store, ChangePlace::Collection(key("s/g/C"))).await;
    assert_eq!(edits(&of_collection), [Edit::Created]);
    let mut write = edited_collection(&collection);
    write.collection.state = CollectionState::Disabled;
    let changed = store.put_collection(write).await.unwrap();
    let of_collection = changes(&*store, ChangePlace::Collection(key("s/g/c"))).await;
    assert_eq!(of_collection[0].after, Some(Version::Collection(changed.collection)));
}

pub(crate) async fn secrets_are_not_kept(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let with = |password: &str| {
        definition(&format!(
            r#"{{"action": {{"request": {{"uri": "https://example.com",
                "authentication": {{"type": "Basic", "username": "u", "password": "{password}"}}}}}}}}"#
        ))
    };
    let mut write = new_job(&collection, "j");
    write.job.definition = with("a password");
    let mut entry = store.put_job(write).await.unwrap();
    for password in ["a password", "another"] {
        let mut write = edited(&collection, &entry);
        write.job.definition = with(password);
        entry = store.put_job(write).await.unwrap();
    }
    let found = changes(&*store, job("j")).await;
    let kept = |change: &ChangeEntry| {
        let Some(Version::Job { definition, .. }) = &change.after else { panic!("a job") };
        let mut secrets = Vec::new();
        definition.action.clone().map_secrets(&mut |secret| secrets.push(secret.expose().to_owned()));
        secrets
    };
    let [latest, same, first] = [&found[0], &found[1], &found[2]].map(kept);
    assert_eq!(same, first);
    assert_ne!(latest, same);
    assert!(!format!("{latest:?} {same:?}").contains("password") && same[0].len() == 8, "{same:?}");
}

pub(crate) async fn what_is_gone_has_changes(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let entry = make_job(&*store, &collection, "j").await;
    make_job(&*store, &collection, "other").await;
    store.delete_job(entry.id, entry.revision, by(at(7))).await.unwrap();
    let found = changes(&*store, job("j")).await;
    assert_eq!(edits(&found), [Edit::Deleted, Edit::Created]);
    assert_eq!((&found[0].stamp, &found[0].after), (&by(at(7)), &None));
    store.delete_collection(collection.id, collection.revision, by(at(8))).await.unwrap();
    let of_collection = changes(&*store, ChangePlace::Collection(key("s/g/c"))).await;
    assert_eq!(edits(&of_collection), [Edit::Deleted, Edit::Created]);
    assert_eq!(edits(&changes(&*store, job("other")).await), [Edit::Created]);
}

pub(crate) async fn what_is_not_yet_cleared_away_has_changes(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_jobs(&store, &collection, 300).await;
    store.delete_collection(collection.id, collection.revision, by(at(8))).await.unwrap();
    let names = ["0000", "0299"];
    for name in names {
        assert_eq!(edits(&changes(&*store, job(name)).await), [Edit::Created], "of job {name}");
    }
    // What comes after them in a collection of that name comes before them in the list, also when they are cleared away.
    let collection = make_collection(&*store, "s/g/c").await;
    for name in names {
        make_job(&*store, &collection, name).await;
    }
    let entry = find_job(&*store, &collection, names[1]).await.unwrap();
    store.put_job(edited(&collection, &entry)).await.unwrap();
    loop {
        let found = changes(&*store, job(names[1])).await;
        assert_eq!(edits(&found), [Edit::Changed, Edit::Created, Edit::Created]);
        assert!(found.is_sorted_by(|one, next| one.id > next.id));
        assert_eq!(edits(&changes(&*store, job(names[0])).await), [Edit::Created, Edit::Created]);
        if !store.sweep().await.unwrap() {
            break;
        }
    }
}

pub(crate) async fn the_latest_200_are_kept(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut entry = make_job(&*store, &collection, "j").await;
    make_job(&*store, &collection, "other").await;
    for _ in 0..210 {
        entry = store.put_job(edited(&collection, &entry)).await.unwrap();
    }
    let found = changes(&*store, job("j")).await;
    assert_eq!(found.len(), 200);
    assert!(found.iter().all(|change| change.edit == Edit::Changed));
    assert_eq!(changes(&*store, job("other")).await.len(), 1);
}

/// Jobs of the same name, one after the other.
pub(crate) async fn the_latest_200_of_many_jobs_are_kept(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for _ in 0..110 {
        let entry = make_job(&*store, &collection, "j").await;
        store.delete_job(entry.id, entry.revision, by(now())).await.unwrap();
    }
    make_job(&*store, &collection, "j").await;
    let found = changes(&*store, job("j")).await;
    assert_eq!(found.len(), 200);
    assert_eq!(edits(&found[..3]), [Edit::Created, Edit::Deleted, Edit::Created]);
    assert!(found.is_sorted_by(|one, next| one.id > next.id));
}

pub(crate) async fn old_ones_are_forgotten(place: &dyn Place) {
    let (store, work_store) = place.open_both().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for (name, seconds) in [("a", 10), ("b", 20), ("c", 30)] {
        let mut write = new_job(&collection, name);
        write.stamp = by(at(seconds));
        store.put_job(write).await.unwrap();
    }
    assert_eq!(work_store.oldest().await.unwrap().change, Some(now()));
    // The oldest is not the first by its time: the clock was set. What is written later is looked at later.
    assert_eq!(work_store.forget_changes(at(25), 10).await.unwrap(), 2);
    assert_eq!(work_store.forget_changes(at(25), 10).await.unwrap(), 0);
    assert!(changes(&*store, job("a")).await.is_empty());
    assert_eq!(changes(&*store, job("c")).await.len(), 1);
}

pub(crate) async fn only_what_was_written_is_there(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let entry = make_job(&*store, &collection, "j").await;
    let mut stale = edited(&collection, &entry);
    stale.collection.1 = Revision(7);
    assert!(matches!(store.put_job(stale).await, Err(Error::Stale)));
    assert!(matches!(store.delete_job(entry.id, Revision(7), by(now())).await, Err(Error::Stale)));
    assert_eq!(edits(&changes(&*store, job("j")).await), [Edit::Created]);
}

pub(crate) async fn they_open_after_a_rotation(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut entry = make_job(&*store, &collection, "j").await;
    for _ in 0..3 {
        entry = store.put_job(edited(&collection, &entry)).await.unwrap();
    }
    let gone = make_job(&*store, &collection, "gone").await;
    store.delete_job(gone.id, gone.revision, by(now())).await.unwrap();
    let before = (changes(&*store, job("j")).await, changes(&*store, job("gone")).await);
    store.add_sealing_key().await.unwrap();
    let mut after = None;
    loop {
        after = store.reseal(after).await.unwrap().next;
        if after.is_none() {
            break;
        }
    }
    drop(store);
    let store = place.open().await;
    assert_eq!((changes(&*store, job("j")).await, changes(&*store, job("gone")).await), before);
}
