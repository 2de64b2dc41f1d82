//! Names: compared without case, answered as first written.

use punctual_store::{Error, GroupEntry, JobPage};

use crate::place::Place;
use crate::sample::{
    ALL_JOBS, edited, edited_collection, find_job, group_key, job_key, job_names, key, make_collection, make_job, name,
    new_collection, new_job,
};

pub(crate) async fn any_case_finds_them(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "Sub/Group/Ünïque").await;
    make_job(&*store, &collection, "Ärger").await;
    let (found, job) = store.job(&job_key(&key("sUB/gROUP/üNÏQUE"), "äRGER")).await.unwrap().unwrap();
    assert_eq!((found.id, job.is_some()), (collection.id, true));
    store.put_group(GroupEntry { key: group_key("Sub/Group"), location: None, tags: [].into() }).await.unwrap();
    assert!(store.group(&group_key("SUB/GROUP")).await.unwrap().is_some());
    assert_eq!(store.groups(&name("SUB"), None, 10).await.unwrap().len(), 1);
}

pub(crate) async fn they_are_answered_as_first_written(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "Sub/Group/Coll").await;
    let mut write = edited_collection(&collection);
    write.key = key("sub/group/coll");
    write.collection.name = name("coll");
    let collection = store.put_collection(write).await.unwrap();
    let written = [&collection.key.subscription, &collection.key.group, &collection.key.collection];
    assert_eq!(written.map(punctual_model::Name::as_str), ["Sub", "Group", "Coll"]);
    assert_eq!(collection.collection.name.as_str(), "Coll");

    let job = make_job(&*store, &collection, "Job").await;
    let mut write = edited(&collection, &job);
    write.name = name("JOB");
    assert_eq!(store.put_job(write).await.unwrap().name.as_str(), "Job");
    assert_eq!(find_job(&*store, &collection, "jOB").await.unwrap().name.as_str(), "Job");
    assert_eq!(job_names(&*store, &collection).await, ["Job"]);

    for path in ["Sub/Group", "SUB/GROUP"] {
        store.put_group(GroupEntry { key: group_key(path), location: None, tags: [].into() }).await.unwrap();
    }
    let group = store.group(&group_key("sub/group")).await.unwrap().unwrap();
    assert_eq!((group.key.subscription.as_str(), group.key.group.as_str()), ("Sub", "Group"));
}

pub(crate) async fn another_case_is_the_same_name(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    assert!(matches!(store.put_collection(new_collection("S/G/C")).await, Err(Error::Stale)));
    make_job(&*store, &collection, "j").await;
    assert!(matches!(store.put_job(new_job(&collection, "J")).await, Err(Error::Stale)));
}

pub(crate) async fn they_are_ordered_without_case(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for job in ["b", "C", "A", "É", "d"] {
        make_job(&*store, &collection, job).await;
    }
    assert_eq!(job_names(&*store, &collection).await, ["A", "b", "C", "d", "É"]);
}

pub(crate) async fn the_longest_and_strangest(place: &dyn Place) {
    let store = place.open().await;
    let texts = [
        "\u{1f552}".repeat(260),
        "İ".repeat(260),
        "'\"; drop table job; --".to_owned(),
        " ".to_owned(),
        "ΑΣ".to_owned(),
    ];
    for text in texts {
        let mut write = new_collection("s/g/c");
        write.key.subscription = name(&text);
        write.key.group = name(&text);
        write.key.collection = name(&text);
        write.collection.name = name(&text);
        let collection = store.put_collection(write).await.unwrap();
        let job = make_job(&*store, &collection, &text).await;
        assert_eq!((collection.key.collection.as_str(), job.name.as_str()), (text.as_str(), text.as_str()));
        assert_eq!(store.jobs(collection.id, &ALL_JOBS).await.unwrap(), [job]);
    }
    assert_eq!(store.subscriptions(None, 100).await.unwrap().len(), 5);
}

pub(crate) async fn pages_go_on_after_any_case(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for job in ["a", "B", "c"] {
        make_job(&*store, &collection, job).await;
    }
    let rest = JobPage { after: Some(name("b")), ..ALL_JOBS };
    assert_eq!(store.jobs(collection.id, &rest).await.unwrap()[0].name.as_str(), "c");
}
