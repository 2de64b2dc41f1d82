//! Collections one page after the other, whichever subscription they are in.

use std::collections::HashSet;
use std::sync::Arc;

use punctual_model::Name;
use punctual_model::access::{Role, Scope};
use punctual_store::{CollectionEntry, CollectionId, CollectionKey, CollectionPage};

use super::{Caller, Operations};
use crate::fault::Fault;
use crate::limits;
use crate::page::LOOK;

/// The collections that the caller may see; none for a caller who may see all.
pub(super) async fn visible_collections(
    operations: &Operations,
    caller: &Caller,
) -> Result<Option<Arc<HashSet<CollectionId>>>, Fault> {
    if caller.grants.allows(Role::Reader, &Scope::Server) {
        return Ok(None);
    }
    let (mut visible, mut walk) = (HashSet::new(), CollectionWalk::new(None, None, None));
    while let Some(page) = walk.next(operations).await? {
        visible.extend(page.iter().filter(|entry| caller.may_read(&entry.key)).map(|entry| entry.id));
    }
    Ok(Some(Arc::new(visible)))
}

/// Every collection that the caller may see, as far as the limit goes, and whether there are more.
pub(crate) async fn list_visible_collections(
    operations: &Operations,
    caller: &Caller,
) -> Result<(Vec<CollectionEntry>, bool), Fault> {
    let (mut visible, mut walk) = (Vec::new(), CollectionWalk::new(None, None, None));
    while let Some(page) = walk.next(operations).await? {
        visible.extend(page.into_iter().filter(|entry| caller.may_read(&entry.key)));
        if visible.len() > limits::COLLECTIONS_SHOWN_MAX {
            visible.truncate(limits::COLLECTIONS_SHOWN_MAX);
            return Ok((visible, true));
        }
    }
    Ok((visible, false))
}

/// Goes through collections page by page, in the order of the names of their subscription, their group and their own.
pub(super) struct CollectionWalk {
    only: Option<Name>,
    group: Option<Name>,
    /// The next page; none before the first one and behind the last one.
    page: Option<CollectionPage>,
    is_begun: bool,
}

impl CollectionWalk {
    /// Begins behind a collection, or at the beginning of a subscription or of all of them.
    pub(super) fn new(only: Option<Name>, group: Option<Name>, after: Option<&CollectionKey>) -> Self {
        let page =
            |subscription, after| Some(CollectionPage { subscription, group: group.clone(), after, limit: LOOK });
        let page = match (after, &only) {
            (Some(CollectionKey { subscription, group, collection }), _) => {
                page(subscription.clone(), Some((group.clone(), collection.clone())))
            }
            (None, Some(only)) => page(only.clone(), None),
            (None, None) => None,
        };
        let is_begun = page.is_some();
        Self { only, group, page, is_begun }
    }

    /// The next collections, which may be none; nothing behind the last page.
    pub(super) async fn next(&mut self, operations: &Operations) -> Result<Option<Vec<CollectionEntry>>, Fault> {
        if !self.is_begun {
            self.is_begun = true;
            self.page = self.first_of_next_subscription(operations, None).await?;
        }
        let Some(page) = self.page.take() else { return Ok(None) };
        let read = operations.store.collections(&page).await?;
        let after = read.last().map(|last| (last.key.group.clone(), last.key.collection.clone()));
        self.page = if read.len() == page.limit {
            Some(CollectionPage { after, ..page })
        } else if self.only.is_none() {
            self.first_of_next_subscription(operations, Some(&page.subscription)).await?
        } else {
            None
        };
        Ok(Some(read))
    }

    async fn first_of_next_subscription(
        &self,
        operations: &Operations,
        after: Option<&Name>,
    ) -> Result<Option<CollectionPage>, Fault> {
        let next = operations.store.subscriptions(after, 1).await?.pop();
        let page = |subscription| CollectionPage { subscription, group: self.group.clone(), after: None, limit: LOOK };
        Ok(next.map(page))
    }
}
