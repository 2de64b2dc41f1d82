//! Jobs.

use punctual_model::job::{JobState, State};
use punctual_model::occurrence::{Occurrence, Phase};
use punctual_model::progress::Progress;
use punctual_model::recurrence::Anchor;
use punctual_model::time::{Start, Timestamp};
use punctual_store::{Error, JobPage, Revision};

use crate::place::Place;
use crate::sample::{
    ALL_JOBS, all_history, at, definition, edited, find_job, job_key, job_names, key, make_collection, make_job,
    new_job, now, posting,
};

/// Jobs that between them have every kind of action, authentication and recurrence, and most of their members.
const DEFINITIONS: [&str; 13] = [
    r#"{"startTime": "2026-03-29T02:30", "recurrence": {"frequency": "Month", "interval": 2, "count": 5,
        "endTime": "2030-01-01T00:00:00.5Z", "timeZone": "Central Europe Standard Time", "schedule": {"minutes": [15, 0],
        "hours": [5], "monthDays": [1, -1], "monthlyOccurrences": [{"day": "Friday", "occurrence": -1}, {"day": "Monday"}],
        "months": [3, 4]}}, "action": {"type": "Https", "request": {"uri": "http://example.com/%2d", "method": "get",
        "body": "x", "headers": {"B": "1", "A": "2"}, "authentication": {"type": "Basic", "username": "u", "password": "p"}},
        "retryPolicy": {"retryType": "Exponential", "retryInterval": "00:01:00", "retryIntervalMax": "PT1H", "retryCount": 7},
        "errorAction": {"request": {"uri": "https://example.com", "authentication": {"type": "ActiveDirectoryOAuth",
        "tenant": "t", "audience": "a", "clientId": "c", "secret": "s"}}, "retryPolicy": {"retryType": "None"}}}}"#,
    r#"{"recurrence": {"frequency": "Week", "schedule": {"weekDays": ["Sunday", "Monday"]}}, "action": {"queueMessage":
        {"storageAccount": "Account", "queueName": "queue", "sasToken": "sas", "message": "m", "format": "base64",
        "timeToLive": "P1D", "visibilityDelay": "PT5S"}}}"#,
    r#"{"recurrence": {"cron": "*/5 9-17 * * mon-fri", "timeZone": "Europe/Prague"}, "action": {"serviceBusTopicMessage":
        {"topicPath": "t/u", "namespace": "ns", "transportType": "AMQP", "message": "", "authentication": {"sasKeyName": "k",
        "sasKey": "s"}, "customMessageProperties": {"a": "b"}, "brokeredMessageProperties": {"contentType": "1",
        "correlationId": "2", "forcePersistence": true, "label": "3", "messageId": "4", "partitionKey": "5", "replyTo": "6",
        "replyToSessionId": "7", "scheduledEnqueueTimeUtc": "2027-01-01", "sessionId": "5", "timeToLive": "00:05:00",
        "to": "8", "viaPartitionKey": "9"}}}}"#,
    r#"{"startTime": "2030-01-01", "action": {"serviceBusQueueMessage": {"queueName": "q", "namespace": "ns", "message": "m",
        "authentication": {"sasKeyName": "k"}}}}"#,
    r#"{"action": {"request": {"uri": "https://example.com", "authentication": {"pfx": "PFX", "password": "secret"}}},
        "options": {"timeout": "PT5M", "jitter": "PT1M", "overlap": "allow", "catchUp": "all", "catchUpMax": 7,
        "catchUpSpacing": "PT2S", "success": {"status": [200, "3xx", "400-404"], "bodyContains": "ok"}}}"#,
    r#"{"recurrence": {"frequency": "Minute", "interval": 1000}, "action": {"request": {"uri": "https://example.com"}}}"#,
    r#"{"recurrence": {"frequency": "Hour", "schedule": {"minutes": [0, 59]}}, "action": {"request": {"uri": "http://a"}}}"#,
    r#"{"recurrence": {"frequency": "Day", "schedule": {"hours": [0, 23]}}, "action": {"request": {"uri": "http://a"}}}"#,
    r#"{"recurrence": {"frequency": "Year", "count": 1}, "action": {"request": {"uri": "http://ü.example/?q=%00"}}}"#,
    r#"{"recurrence": {"cron": "0 15 10 ? * 6L *", "cronDialect": "quartz"}, "action": {"request": {"uri": "http://a"}}}"#,
    r#"{"recurrence": {"cron": "@daily"}, "action": {"request": {"uri": "http://a", "body": "\u0000\u2028\ud83d\ude00"}}}"#,
    r#"{"startTime": "0001-01-01", "recurrence": {"frequency": "Month", "endTime": "9999-12-31T23:59:59.9999999Z"},
        "action": {"request": {"uri": "http://a"}}}"#,
    r#"{"startTime": "9999-12-31T23:59:59.9999999Z", "action": {"request": {"uri": "http://a"}}}"#,
];

pub(crate) async fn every_action_and_recurrence_comes_back(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for (number, text) in DEFINITIONS.into_iter().enumerate() {
        let mut write = new_job(&collection, &format!("j{number:02}"));
        write.job.definition = definition(text);
        let made = store.put_job(write.clone()).await.unwrap();
        assert_eq!(made.job, write.job, "{text}");
    }
    let listed = store.jobs(collection.id, &ALL_JOBS).await.unwrap();
    for (entry, text) in listed.iter().zip(DEFINITIONS) {
        assert_eq!(entry.job.definition, definition(text));
        assert_eq!(find_job(&*store, &collection, entry.name.as_str()).await.as_ref(), Some(entry));
    }
    assert_eq!(listed.len(), DEFINITIONS.len());
}

/// Progress with everything in it that there is.
fn far_along(at: Timestamp) -> Progress {
    let open = posting("").progress.open.unwrap();
    let open = Occurrence {
        nominal: at,
        phase: Phase::Error,
        attempt: u32::MAX,
        wake_at: at,
        repeat: u32::MAX,
        series: u32::MAX,
        backlog_until: Some(at),
        ..open
    };
    Progress { accounted: at, series: u32::MAX, started: u32::MAX, last_failed: true, open: Some(open) }
}

pub(crate) async fn every_standing_and_progress_comes_back(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let states = [JobState::Enabled, JobState::Disabled(at(5)), JobState::Completed, JobState::Faulted];
    for (number, state) in states.into_iter().enumerate() {
        for progress in [far_along(now()), Progress::new(1, now()), posting("").progress] {
            let mut write = new_job(&collection, &format!("{number} {}", progress.started));
            if let Some(entry) = find_job(&*store, &collection, write.name.as_str()).await {
                write = edited(&collection, &entry);
            }
            (write.job.state, write.job.progress) = (state, progress);
            assert_eq!(store.put_job(write.clone()).await.unwrap().job, write.job);
        }
    }
}

pub(crate) async fn extreme_instants_come_back(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for (job, at) in [("first", Timestamp::MIN), ("last", Timestamp::MAX), ("epoch", Timestamp::EPOCH)] {
        let mut write = new_job(&collection, job);
        write.job.progress = far_along(at);
        write.job.state = JobState::Disabled(at);
        write.job.anchor = Anchor::Creation(at);
        assert_eq!(store.put_job(write.clone()).await.unwrap().job, write.job);
    }
}

pub(crate) async fn anchors_come_back(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let anchors = [
        Anchor::Creation(now()),
        Anchor::Start(Start::at(now())),
        Anchor::Start(Start::moved(now(), 36_000_000_000)),
        Anchor::Start(Start::moved(now(), -1)),
    ];
    for (number, anchor) in anchors.into_iter().enumerate() {
        let mut write = new_job(&collection, &number.to_string());
        write.job.anchor = anchor;
        let made = store.put_job(write).await.unwrap();
        // Equality forgives by how much a start was moved.
        assert_eq!(format!("{:?}", made.job.anchor), format!("{anchor:?}"));
    }
}

pub(crate) async fn the_longest_message_comes_back(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut write = new_job(&collection, "long");
    write.job = posting(&"\u{1f552}".repeat(punctual_model::limits::MESSAGE_CHARS_MAX));
    let made = store.put_job(write.clone()).await.unwrap();
    assert!(made.job == write.job);
}

pub(crate) async fn one_that_was_not_made_is_not_found(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    make_job(&*store, &collection, "j").await;
    let (read, job) = store.job(&job_key(&collection.key, "i")).await.unwrap().unwrap();
    assert_eq!((read.id, job), (collection.id, None));
    assert_eq!(store.job(&job_key(&key("s/g/d"), "j")).await.unwrap(), None);
    let other = make_collection(&*store, "s/g/d").await;
    assert!(store.jobs(other.id, &ALL_JOBS).await.unwrap().is_empty());
}

pub(crate) async fn one_is_made_once(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let made = make_job(&*store, &collection, "j").await;
    assert_eq!((made.revision, made.work_revision, made.scheduled_beside), (Revision(1), Revision(1), 0));
    let mut again = new_job(&collection, "j");
    again.job = posting("again");
    assert!(matches!(store.put_job(again).await, Err(Error::Stale)));
    assert_eq!(find_job(&*store, &collection, "j").await, Some(made));
}

pub(crate) async fn an_edit_keeps_number_and_counters(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let made = make_job(&*store, &collection, "j").await;
    let changed = store.put_job(edited(&collection, &made)).await.unwrap();
    assert_eq!((changed.id, changed.uid, changed.counters), (made.id, made.uid, made.counters));
    assert_eq!((changed.revision, changed.work_revision), (Revision(2), Revision(2)));
}

pub(crate) async fn an_edit_can_change_everything(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let made = make_job(&*store, &collection, "j").await;
    let mut write = edited(&collection, &made);
    write.job.definition = definition(DEFINITIONS[0]);
    write.job.state = JobState::Disabled(at(1));
    write.job.anchor = Anchor::Start(Start::at(at(2)));
    write.job.series = 2;
    write.job.progress = far_along(at(3));
    let changed = store.put_job(write.clone()).await.unwrap();
    assert_eq!(changed.job, write.job);
    assert_eq!(find_job(&*store, &collection, "j").await, Some(changed));
}

pub(crate) async fn a_deleted_one_is_gone(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let made = make_job(&*store, &collection, "j").await;
    let other = make_job(&*store, &collection, "other").await;
    assert!(matches!(store.delete_job(made.id, Revision(2), crate::sample::by(now())).await, Err(Error::Stale)));
    store.delete_job(made.id, made.revision, crate::sample::by(now())).await.unwrap();
    assert!(matches!(store.delete_job(made.id, made.revision, crate::sample::by(now())).await, Err(Error::Stale)));
    assert_eq!(find_job(&*store, &collection, "j").await, None);
    assert_eq!(store.jobs(collection.id, &ALL_JOBS).await.unwrap(), [other]);
}

pub(crate) async fn a_new_one_of_an_old_name_is_another(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let mut write = new_job(&collection, "j");
    write.not_run = vec![crate::sample::not_run(10, 1, punctual_model::history::Reason::Missed)];
    let old = store.put_job(write).await.unwrap();
    store.delete_job(old.id, old.revision, crate::sample::by(now())).await.unwrap();
    let new = make_job(&*store, &collection, "j").await;
    assert_ne!(new.id, old.id);
    assert_eq!((new.revision, new.work_revision), (Revision(1), Revision(1)));
    assert!(all_history(&*store, new.id).await.is_empty());
}

pub(crate) async fn collections_do_not_share_names(place: &dyn Place) {
    let store = place.open().await;
    let (one, other) = (make_collection(&*store, "s/g/c").await, make_collection(&*store, "s/g/d").await);
    let (in_one, in_other) = (make_job(&*store, &one, "j").await, make_job(&*store, &other, "j").await);
    assert_ne!(in_one.id, in_other.id);
    store.delete_job(in_one.id, in_one.revision, crate::sample::by(now())).await.unwrap();
    assert_eq!(find_job(&*store, &other, "j").await, Some(in_other));
}

pub(crate) async fn one_cannot_be_moved(place: &dyn Place) {
    let store = place.open().await;
    let (one, other) = (make_collection(&*store, "s/g/c").await, make_collection(&*store, "s/g/d").await);
    let made = make_job(&*store, &one, "j").await;
    assert!(matches!(store.put_job(edited(&other, &made)).await, Err(Error::Stale)));
    let mut renamed = edited(&one, &made);
    renamed.name = crate::sample::name("k");
    assert!(matches!(store.put_job(renamed).await, Err(Error::Stale)));
    assert_eq!(find_job(&*store, &one, "j").await, Some(made));
}

pub(crate) async fn lists_are_in_order_of_names(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    for job in ["b", "a-b", "ab", "a", "é", "10", "9"] {
        make_job(&*store, &collection, job).await;
    }
    assert_eq!(job_names(&*store, &collection).await, ["10", "9", "a", "a-b", "ab", "b", "é"]);
}

pub(crate) async fn lists_of_one_state(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let states = [JobState::Enabled, JobState::Disabled(now()), JobState::Completed, JobState::Faulted];
    for number in 0..12 {
        let mut write = new_job(&collection, &format!("{number:02}"));
        write.job.state = states[number % 4];
        store.put_job(write).await.unwrap();
    }
    for (first, state) in State::ALL.into_iter().enumerate() {
        let page = JobPage { state: Some(state), ..ALL_JOBS };
        let names = store.jobs(collection.id, &page).await.unwrap().into_iter().map(|job| job.name.to_string());
        assert!(names.eq([first, first + 4, first + 8].map(|number| format!("{number:02}"))), "{state:?}");
    }
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let one = make_job(&*store, &collection, "one").await;
    let two = make_job(&*store, &collection, "two").await;
    let two = store.put_job(edited(&collection, &two)).await.unwrap();
    drop(store);
    let store = place.open().await;
    assert_eq!(store.jobs(collection.id, &ALL_JOBS).await.unwrap(), [one, two]);
}

pub(crate) async fn numbers_are_not_reused_after_closing(place: &dyn Place) {
    let store = place.open().await;
    let collection = make_collection(&*store, "s/g/c").await;
    let last = make_job(&*store, &collection, "j").await;
    store.delete_job(last.id, last.revision, crate::sample::by(now())).await.unwrap();
    store.delete_collection(collection.id, collection.revision, crate::sample::by(now())).await.unwrap();
    while store.sweep().await.unwrap() {}
    drop(store);
    let store = place.open().await;
    let new = make_collection(&*store, "s/g/c").await;
    assert_ne!(new.id, collection.id);
    assert_ne!(make_job(&*store, &new, "j").await.id, last.id);
}
