//! Tokens.

use std::sync::Arc;

use punctual_model::access::{Grant, Role, Scope, TokenId};
use punctual_store::{Error, TokenEntry};

use crate::place::Place;
use crate::sample::{at, name};

pub(crate) fn id(number: u32) -> TokenId {
    TokenId::parse(&format!("token{number:07}")).unwrap()
}

pub(crate) fn token(number: u32) -> TokenEntry {
    let (subscription, group, collection) = (name("S"), name("G"), name("C"));
    let scopes = [
        Scope::Server,
        Scope::Subscription(subscription.clone()),
        Scope::Group { subscription: subscription.clone(), group: group.clone() },
        Scope::Collection { subscription, group, collection },
    ];
    TokenEntry {
        id: id(number),
        hash: [u8::try_from(number).unwrap(); 32],
        description: format!("number {number}, \"ü\""),
        created: at(1000 - i64::from(number)),
        expires: number.is_multiple_of(2).then(|| at(i64::from(number))),
        grants: scopes
            .into_iter()
            .zip(Role::ALL.into_iter().cycle())
            .map(|(scope, role)| Grant { role, scope })
            .collect(),
    }
}

pub(crate) async fn what_was_said_comes_back(place: &dyn Place) {
    let store = place.open().await;
    for number in 0..3 {
        let said = token(number);
        store.put_token(said.clone(), 10).await.unwrap();
        assert_eq!(store.token(&said.id).await.unwrap(), Some(said));
    }
    assert_eq!(store.token(&id(9)).await.unwrap(), None);
    let none = TokenEntry { grants: Vec::new(), ..token(5) };
    store.put_token(none.clone(), 10).await.unwrap();
    assert_eq!(store.token(&none.id).await.unwrap(), Some(none));
}

pub(crate) async fn the_oldest_comes_first(place: &dyn Place) {
    let store = place.open().await;
    assert!(store.tokens().await.unwrap().is_empty());
    for number in [2, 0, 1] {
        store.put_token(token(number), 10).await.unwrap();
    }
    assert_eq!(store.tokens().await.unwrap(), [token(2), token(1), token(0)]);
}

pub(crate) async fn each_public_part_is_taken_once(place: &dyn Place) {
    let store = place.open().await;
    store.put_token(token(1), 10).await.unwrap();
    let other = TokenEntry { hash: [9; 32], ..token(1) };
    assert!(matches!(store.put_token(other, 10).await, Err(Error::Stale)));
    assert_eq!(store.token(&id(1)).await.unwrap(), Some(token(1)));
}

pub(crate) async fn they_are_limited(place: &dyn Place) {
    let store = place.open().await;
    let makers: Vec<_> = (0..64)
        .map(|number| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.put_token(token(number), 7).await })
        })
        .collect();
    for maker in makers {
        assert!(matches!(maker.await.unwrap(), Ok(()) | Err(Error::Full { max: 7 })));
    }
    let made = store.tokens().await.unwrap();
    assert_eq!(made.len(), 7);
    store.delete_token(&made[0].id).await.unwrap();
    store.put_token(made[0].clone(), 7).await.unwrap();
}

pub(crate) async fn a_forgotten_one_is_gone(place: &dyn Place) {
    let store = place.open().await;
    store.put_token(token(1), 10).await.unwrap();
    assert!(store.delete_token(&id(1)).await.unwrap());
    assert!(!store.delete_token(&id(1)).await.unwrap());
    assert_eq!(store.token(&id(1)).await.unwrap(), None);
}

pub(crate) async fn a_closed_store_keeps_them(place: &dyn Place) {
    let store = place.open().await;
    store.put_token(token(1), 10).await.unwrap();
    drop(store);
    assert_eq!(place.open().await.tokens().await.unwrap(), [token(1)]);
}
