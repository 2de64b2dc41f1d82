//! Lists of collections and of jobs.

use http::StatusCode;
use punctual_model::job::State;
use punctual_model::{Name, Violation};
use punctual_store::{CollectionKey, CollectionPage, GroupKey, JobPage};

use super::{collections, history, jobs};
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::filter::JobFilter;
use crate::operations::{self, JobsFilter, JobsWanted, ListedJob};
use crate::page::{self, LOOK, Page};
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

/// The jobs of all collections that the caller may see; with `subscription` or `group` only of these.
pub(super) async fn all_jobs(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of_own(request, page::SIZE)?;
    let filter = request.query.get("$filter").map(JobFilter::parse).transpose()?.unwrap_or_default();
    let GroupKey { subscription, group } = api.defaults(&request.query)?;
    let has = |parameter| request.query.get(parameter).is_some();
    let wanted = JobsWanted {
        subscription: (has("subscription") || has("group")).then_some(subscription),
        group: has("group").then_some(group),
        state: filter.state.or(request.query.get("state").map(parse_state).transpose()?),
        filter: JobsFilter {
            text: request.query.get("q").map(ToOwned::to_owned),
            target: request.query.get("target").map(ToOwned::to_owned),
            outcome: request.query.get("outcome").map(history::parse_outcome).transpose()?,
        },
        after: page.after_job()?,
        limit: page.limit,
    };
    let (items, stopped_at) = operations::list_jobs(&api.operations, &request.caller, wanted).await?;
    let moment = jobs::moment(api, request).await?;
    // What the caller may not write is masked.
    let [open, masked] = [true, false].map(|may_write| Writer::for_reader(request.dialect, Extent::List, may_write));
    let write = |ListedJob { collection, job }: &ListedJob| {
        let writer = if request.caller.may_write(&collection.key) { &open } else { &masked };
        jobs::view(collection, job, &operations::row_status(moment, collection, job), writer)
    };
    let names = |CollectionKey { subscription, group, collection }: &CollectionKey, job: &Name| {
        [subscription, group, collection, job].map(ToString::to_string).to_vec()
    };
    let stopped_at = stopped_at.map(|at| names(&at.collection, &at.job));
    let found = (items, stopped_at);
    let last_names = |ListedJob { collection, job }: &ListedJob| names(&collection.key, &job.name);
    let body = page.answer_until(request, &api.settings.public_url, found, write, last_names);
    let warnings = [open.into_warnings(), masked.into_warnings()].concat();
    Ok(ApiAnswer::json(StatusCode::OK, body).warnings(&warnings))
}

fn parse_state(text: &str) -> Result<State, Violation> {
    let known = State::ALL.into_iter().find(|state| state.name().eq_ignore_ascii_case(text));
    let names = State::ALL.map(|state| state.name().to_ascii_lowercase()).join(", ");
    known.ok_or_else(|| Violation::new("state", format!("{text:?}"), format!("one of {names}")))
}
