//! Sessions of the console.

use punctual_store::{Error, SessionEntry, SessionOwner, SessionStore};

use super::tokens::{id, token};
use crate::place::Database;
use crate::sample::at;

const MAX: u32 = 3;

fn subject(name: &str) -> SessionOwner {
    SessionOwner::Subject(format!("https://issuer.example {name}"))
}

/// A session from the second 10 to the second 20.
fn session(hash: u8, owner: SessionOwner) -> SessionEntry {
    SessionEntry { hash: [hash; 32], owner, issued: at(10), expires: at(20), record: format!("{{\"{hash}\": \"ü\"}}") }
}

async fn is_there(sessions: &dyn SessionStore, hash: u8) -> bool {
    sessions.session([hash; 32], at(15)).await.unwrap().is_some()
}

pub(crate) async fn what_was_said_comes_back(place: &dyn Database) {
    let (store, sessions) = place.open_sessions().await;
    store.put_token(token(1), 10).await.unwrap();
    for (hash, owner) in [(1, SessionOwner::Token(id(1))), (2, subject("a"))] {
        let said = session(hash, owner);
        sessions.put_session(said.clone(), MAX).await.unwrap();
        assert_eq!(sessions.session([hash; 32], at(15)).await.unwrap(), Some(said.clone()));
        // The console keeps something else with it, for longer.
        let changed = SessionEntry { record: String::new(), expires: at(30), ..said };
        sessions.put_session(changed.clone(), MAX).await.unwrap();
        assert_eq!(sessions.session([hash; 32], at(25)).await.unwrap(), Some(changed));
    }
    assert!(!is_there(&*sessions, 3).await);
}

pub(crate) async fn one_that_is_over_is_not_found(place: &dyn Database) {
    let (_store, sessions) = place.open_sessions().await;
    sessions.put_session(session(1, subject("a")), MAX).await.unwrap();
    let last = at(20).saturating_add(-1);
    assert!(sessions.session([1; 32], last).await.unwrap().is_some());
    assert_eq!(sessions.session([1; 32], at(20)).await.unwrap(), None);
}

pub(crate) async fn a_hash_belongs_to_its_owner(place: &dyn Database) {
    let (store, sessions) = place.open_sessions().await;
    store.put_token(token(1), 10).await.unwrap();
    let first = session(1, subject("a"));
    sessions.put_session(first.clone(), MAX).await.unwrap();
    for other in [subject("b"), SessionOwner::Token(id(1))] {
        assert!(matches!(sessions.put_session(session(1, other), MAX).await, Err(Error::Stale)));
    }
    assert_eq!(sessions.session([1; 32], at(15)).await.unwrap(), Some(first));
    // Nobody can sign in with a token that is not there.
    let unknown = session(2, SessionOwner::Token(id(9)));
    assert!(matches!(sessions.put_session(unknown, MAX).await, Err(Error::Stale)));
}

pub(crate) async fn each_owner_may_have_some(place: &dyn Database) {
    let (_store, sessions) = place.open_sessions().await;
    for hash in 1..=3 {
        sessions.put_session(session(hash, subject("a")), MAX).await.unwrap();
    }
    let fourth = session(4, subject("a"));
    assert!(matches!(sessions.put_session(fourth.clone(), MAX).await, Err(Error::Full { max: MAX })));
    // One that is there can be changed, another owner is not concerned, and those that are over do not count.
    sessions.put_session(session(3, subject("a")), MAX).await.unwrap();
    sessions.put_session(session(5, subject("b")), MAX).await.unwrap();
    sessions.put_session(SessionEntry { issued: at(20), expires: at(30), ..fourth }, MAX).await.unwrap();
}

pub(crate) async fn they_end_one_by_one_and_all_at_once(place: &dyn Database) {
    let (_store, sessions) = place.open_sessions().await;
    for (hash, name) in [(1, "a"), (2, "a"), (3, "a"), (4, "b")] {
        sessions.put_session(session(hash, subject(name)), MAX).await.unwrap();
    }
    assert!(sessions.delete_session([1; 32]).await.unwrap());
    assert!(!sessions.delete_session([1; 32]).await.unwrap());
    assert!(!is_there(&*sessions, 1).await);
    assert_eq!(sessions.delete_sessions(subject("a")).await.unwrap(), 2);
    assert_eq!(sessions.delete_sessions(subject("a")).await.unwrap(), 0);
    assert!(is_there(&*sessions, 4).await);
}

pub(crate) async fn they_end_with_their_token(place: &dyn Database) {
    let (store, sessions) = place.open_sessions().await;
    for (hash, number) in [(1, 1), (2, 1), (3, 2)] {
        let _ = store.put_token(token(number), 10).await;
        sessions.put_session(session(hash, SessionOwner::Token(id(number))), MAX).await.unwrap();
    }
    assert!(store.delete_token(&id(1)).await.unwrap());
    assert!(!is_there(&*sessions, 1).await && !is_there(&*sessions, 2).await);
    assert!(is_there(&*sessions, 3).await);
    // A new token of the same public part does not bring them back.
    store.put_token(token(1), 10).await.unwrap();
    assert!(!is_there(&*sessions, 1).await);
    assert_eq!(sessions.delete_sessions(SessionOwner::Token(id(2))).await.unwrap(), 1);
}

pub(crate) async fn those_that_are_over_are_forgotten(place: &dyn Database) {
    let (_store, sessions) = place.open_sessions().await;
    for hash in 1..=4 {
        let expires = at(10 * i64::from(hash));
        let entry = SessionEntry { issued: at(0), expires, ..session(hash, subject("a")) };
        sessions.put_session(entry, 10).await.unwrap();
    }
    assert_eq!(sessions.forget_sessions(at(30), 2).await.unwrap(), 2);
    assert_eq!(sessions.forget_sessions(at(30), 2).await.unwrap(), 1);
    assert_eq!(sessions.forget_sessions(at(30), 2).await.unwrap(), 0);
    assert!(is_there(&*sessions, 4).await);
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Database) {
    let (store, sessions) = place.open_sessions().await;
    sessions.put_session(session(1, subject("a")), MAX).await.unwrap();
    drop((store, sessions));
    assert!(is_there(&*place.open_sessions().await.1, 1).await);
}
