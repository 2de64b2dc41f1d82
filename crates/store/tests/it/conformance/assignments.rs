//! Role assignments.

use std::sync::Arc;

use punctual_model::access::{Claimants, Grant, Role, Scope};
use punctual_store::{AssignmentEntry, Error, Store};

use crate::place::Place;
use crate::sample::name;

fn claim(value: &str) -> Claimants {
    Claimants {
        issuer: "https://issuer.example/Ü".to_owned(),
        claim: "realm_access.roles".to_owned(),
        value: value.to_owned(),
    }
}

fn grant() -> Grant {
    Grant { role: Role::Contributor, scope: Scope::Subscription(name("S")) }
}

async fn assign(store: &dyn Store, value: &str) -> AssignmentEntry {
    store.put_assignment(claim(value), grant(), 100).await.unwrap()
}

pub(crate) async fn what_was_said_comes_back(place: &dyn Place) {
    let store = place.open().await;
    for claimants in [claim("a \"b\""), claim("")] {
        let made = store.put_assignment(claimants.clone(), grant(), 100).await.unwrap();
        assert_eq!((&made.claimants, &made.grant), (&claimants, &grant()));
        assert_eq!(store.assignments().await.unwrap().last(), Some(&made));
    }
}

pub(crate) async fn the_oldest_comes_first(place: &dyn Place) {
    let store = place.open().await;
    assert!(store.assignments().await.unwrap().is_empty());
    let made = [assign(&*store, "z").await, assign(&*store, "a").await, assign(&*store, "z").await];
    assert_eq!(store.assignments().await.unwrap(), made);
}

pub(crate) async fn they_are_limited(place: &dyn Place) {
    let store = place.open().await;
    let makers: Vec<_> = (0..64)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.put_assignment(claim("v"), grant(), 7).await })
        })
        .collect();
    for maker in makers {
        assert!(matches!(maker.await.unwrap(), Ok(_) | Err(Error::Full { max: 7 })));
    }
    assert_eq!(store.assignments().await.unwrap().len(), 7);
}

pub(crate) async fn one_that_was_taken_back_is_gone(place: &dyn Place) {
    let store = place.open().await;
    let (one, two) = (assign(&*store, "1").await, assign(&*store, "2").await);
    assert!(store.delete_assignment(two.id).await.unwrap());
    assert!(!store.delete_assignment(two.id).await.unwrap());
    // A number that was known to mean someone is never given to someone else.
    assert_ne!(assign(&*store, "3").await.id, two.id);
    assert_eq!(store.assignments().await.unwrap()[0], one);
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Place) {
    let store = place.open().await;
    let made = assign(&*store, "v").await;
    drop(store);
    assert_eq!(place.open().await.assignments().await.unwrap(), [made]);
}
