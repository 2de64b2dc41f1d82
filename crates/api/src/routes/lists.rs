//! Lists of collections and of jobs.

use http::StatusCode;
use punctual_model::Name;
use punctual_store::{CollectionKey, CollectionPage, JobPage};

use super::{collections, jobs};
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::filter::JobFilter;
use crate::operations;
use crate::page::{LOOK, Page};
use crate::request::Request;
use crate::wire::Extent;
use crate::wire::view::Writer;

/// The collections of a subscription, or of one resource group of it, that the caller may see.
pub(super) async fn collections(
    api: &Api,
    subscription: &Name,
    group: Option<&Name>,
    request: &Request,
) -> Result<ApiAnswer, Fault> {
    let page = Page::of(request)?;
    let (subscription, group) = (subscription.clone(), group.cloned());
    let rows = CollectionPage { subscription, group, after: page.after_names()?, limit: LOOK };
    let items = operations::list_collections(&api.operations, &request.caller, rows, page.window()).await?;
    let writer = Writer::new(request.dialect, Extent::List);
    let body = page.answer(
        request,
        &api.settings.public_url,
        items,
        |entry| collections::view(entry, &writer),
        |entry| vec![entry.key.group.to_string(), entry.key.collection.to_string()],
    );
    Ok(ApiAnswer::json(StatusCode::OK, body).warnings(&writer.into_warnings()))
}

/// The jobs of a collection.
pub(super) async fn jobs(api: &Api, key: &CollectionKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of(request)?;
    let filter = request.query.get("$filter").map(JobFilter::parse).transpose()?.unwrap_or_default();
    let collection = operations::find_collection(&api.operations, key).await?;
    let rows = JobPage { state: filter.state, after: page.after_name()?, skip: page.skip, limit: page.limit };
    let items = api.operations.store.jobs(collection.id, &rows).await?;
    let moment = jobs::moment(api, request).await?;
    let writer = Writer::for_reader(request.dialect, Extent::List, request.caller.may_write(&collection.key));
    let body = page.answer(
        request,
        &api.settings.public_url,
        items,
        |job| jobs::view(&collection, job, &operations::row_status(moment, &collection, job), &writer),
        |job| vec![job.name.to_string()],
    );
    Ok(ApiAnswer::json(StatusCode::OK, body).warnings(&writer.into_warnings()))
}
