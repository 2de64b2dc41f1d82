//! Lists of what the caller may see.

use punctual_model::Name;
use punctual_model::access::{Role, Scope};
use punctual_store::{CollectionEntry, CollectionPage, GroupEntry, GroupKey};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::page::LOOK;

/// Which part of a list is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) skip: usize,
    pub(crate) limit: usize,
}

impl Window {
    const fn end(self) -> usize {
        self.skip + self.limit
    }

    fn cut<T>(self, seen: Vec<T>) -> Vec<T> {
        seen.into_iter().skip(self.skip).take(self.limit).collect()
    }
}

/// The collections of a subscription, or of one resource group of it. `rows.limit` is how many are read at once.
pub(crate) async fn list_collections(
    operations: &Operations,
    caller: &Caller,
    mut rows: CollectionPage,
    window: Window,
) -> Result<Vec<CollectionEntry>, Fault> {
    let mut seen: Vec<CollectionEntry> = Vec::new();
    rows.limit = window.end().min(LOOK);
    loop {
        let read = operations.store.collections(&rows).await?;
        let is_last = read.len() < rows.limit;
        rows.after = read.last().map(|last| (last.key.group.clone(), last.key.collection.clone()));
        seen.extend(read.into_iter().filter(|entry| caller.may_read(&entry.key)));
        if is_last || seen.len() >= window.end() {
            return Ok(window.cut(seen));
        }
    }
}

/// The resource groups of a subscription that someone made or that hold a collection.
pub(crate) async fn list_groups(
    operations: &Operations,
    caller: &Caller,
    subscription: &Name,
    mut after: Option<Name>,
    window: Window,
) -> Result<Vec<GroupEntry>, Fault> {
    let may_see = |entry: &GroupEntry| {
        let GroupKey { subscription, group } = entry.key.clone();
        let scope = Scope::Group { subscription, group };
        caller.grants.sees(&scope) || caller.grants.allows(Role::Reader, &scope)
    };
    let mut seen = Vec::new();
    loop {
        let read = operations.store.groups(subscription, after.as_ref(), LOOK).await?;
        let is_last = read.len() < LOOK;
        after = read.last().map(|last| last.key.group.clone());
        seen.extend(read.into_iter().filter(may_see));
        if is_last || seen.len() >= window.end() {
            return Ok(window.cut(seen));
        }
    }
}

/// The subscriptions that hold something.
pub(crate) async fn list_subscriptions(
    operations: &Operations,
    caller: &Caller,
    mut after: Option<Name>,
    window: Window,
) -> Result<Vec<Name>, Fault> {
    let mut seen = Vec::new();
    loop {
        let read = operations.store.subscriptions(after.as_ref(), LOOK).await?;
        let is_last = read.len() < LOOK;
        after = read.last().cloned();
        seen.extend(read.into_iter().filter(|name| caller.grants.sees(&Scope::Subscription(name.clone()))));
        if is_last || seen.len() >= window.end() {
            return Ok(window.cut(seen));
        }
    }
}
