//! Lists of collections and of jobs.

use http::StatusCode;
use punctual_model::Name;
use punctual_model::access::{Role, Scope};
use punctual_store::{CollectionEntry, CollectionKey, CollectionPage, JobPage};

use super::{collections, jobs};
use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::filter::JobFilter;
use crate::page::{LOOK, Page};
use crate::request::Request;
use crate::route;
use crate::wire::Extent;
use crate::wire::view::Writer;

/// The collections of a subscription, or of one resource group of it, that the caller may see.
pub(super) async fn collections(
    api: &Api,
    subscription: &Name,
    group: Option<&Name>,
    request: &Request,
) -> Result<Answer, Fault> {
    let page = Page::of(request)?;
    let wanted = page.limit + page.skip as usize;
    let mut rows = CollectionPage {
        subscription: subscription.clone(),
        group: group.cloned(),
        after: page.after_names()?,
        limit: wanted.min(LOOK),
    };
    let mut seen: Vec<CollectionEntry> = Vec::new();
    loop {
        let read = api.store.collections(&rows).await?;
        let is_last = read.len() < rows.limit;
        rows.after = read.last().map(|last| (last.key.group.clone(), last.key.collection.clone()));
        let may_see = |entry: &CollectionEntry| request.grants.allows(Role::Reader, &route::scope_of(&entry.key));
        seen.extend(read.into_iter().filter(may_see));
        if is_last || seen.len() >= wanted {
            break;
        }
    }
    let items: Vec<_> = seen.into_iter().skip(page.skip as usize).take(page.limit).collect();
    let writer = Writer::new(request.dialect, Extent::List);
    let body = page.answer(
        request,
        &api.settings.public_url,
        items,
        |entry| collections::view(entry, &writer),
        |entry| vec![entry.key.group.to_string(), entry.key.collection.to_string()],
    );
    Ok(Answer::json(StatusCode::OK, body).warnings(&writer.into_warnings()))
}

/// The jobs of a collection.
pub(super) async fn jobs(api: &Api, key: &CollectionKey, request: &Request) -> Result<Answer, Fault> {
    let page = Page::of(request)?;
    let filter = request.query.get("$filter").map(JobFilter::parse).transpose()?.unwrap_or_default();
    let collection = api.store.collection(key).await?.ok_or_else(|| collections::missing(key))?;
    let rows = JobPage { state: filter.state, after: page.after_name()?, skip: page.skip, limit: page.limit };
    let items = api.store.jobs(collection.id, &rows).await?;
    let scope: Scope = route::scope_of(&collection.key);
    let writer = Writer::for_reader(request.dialect, Extent::List, request.may_write(&scope));
    let body = page.answer(
        request,
        &api.settings.public_url,
        items,
        |job| jobs::view(&collection, job, request.now, &writer),
        |job| vec![job.name.to_string()],
    );
    Ok(Answer::json(StatusCode::OK, body).warnings(&writer.into_warnings()))
}
