//! The list of the jobs of all collections.

use http::StatusCode;
use punctual_model::job::State;
use punctual_model::lane::Lane;
use punctual_model::time::Timestamp;
use punctual_model::{Name, Violation};
use punctual_store::{
    CollectionKey, DueKey, FailingSince, GroupKey, JobFilter as StoredJobFilter, JobId, JobKey, JobSort, WorkId,
};

use super::{failures, history, jobs};
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::filter::JobFilter;
use crate::operations::{self, JobPlace, JobsWanted, ListedJob};
use crate::page::{self, Page};
use crate::request::Request;
use crate::wire::Extent;
use crate::wire::view::Writer;

/// The jobs of all collections that the caller may see; with `subscription`, `group` or `collection` only of these.
pub(super) async fn list(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let page = Page::of_own(request, page::SIZE)?;
    let wanted = wanted(api, request, &page)?;
    let (items, stopped_at) = operations::list_jobs(&api.operations, &request.caller, wanted).await?;
    let moment = jobs::moment(api, request).await?;
    // What the caller may not write is masked.
    let [open, masked] = [true, false].map(|may_write| Writer::for_reader(request.dialect, Extent::List, may_write));
    let write = |ListedJob { collection, job, .. }: &ListedJob| {
        let writer = if request.caller.may_write(&collection.key) { &open } else { &masked };
        jobs::view(collection, job, &operations::row_status(moment, collection, job), writer)
    };
    let found = (items, stopped_at.as_ref().map(place_names));
    let last_names = |listed: &ListedJob| place_names(&listed.place);
    let body = page.answer_until(request, &api.settings.public_url, found, write, last_names);
    let warnings = [open.into_warnings(), masked.into_warnings()].concat();
    Ok(ApiAnswer::json(StatusCode::OK, body).warnings(&warnings))
}

fn wanted(api: &Api, request: &Request, page: &Page) -> Result<JobsWanted, Fault> {
    let query = &request.query;
    let filter = query.get("$filter").map(JobFilter::parse).transpose()?.unwrap_or_default();
    let GroupKey { subscription, group } = api.defaults(query)?;
    let has = |parameter| query.get(parameter).is_some();
    let outcome = |text: &str| history::parse_outcome(text, "succeeded, failed or notRun");
    let sort = query.get("sort").map(parse_sort).transpose()?.flatten();
    Ok(JobsWanted {
        subscription: (has("subscription") || has("group")).then_some(subscription),
        group: has("group").then_some(group),
        collection: failures::name(request, "collection")?,
        filter: StoredJobFilter {
            state: filter.state.or(query.get("state").map(parse_state).transpose()?),
            text: query.get("q").map(str::to_lowercase),
            target: failures::target(request)?,
            outcome: query.get("outcome").map(outcome).transpose()?,
            without: None,
        },
        sort,
        after: page.after.as_deref().map(|names| parse_place(names, sort)).transpose()?,
        limit: page.limit,
    })
}

/// The order that is asked for; none for the order of names.
pub(crate) fn parse_sort(text: &str) -> Result<Option<JobSort>, Violation> {
    let known = [("name", None), ("nextRun", Some(JobSort::NextRun)), ("failingSince", Some(JobSort::FailingSince))];
    let found = known.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, sort)| sort);
    found.ok_or_else(|| Violation::new("sort", format!("{text:?}"), "name, nextRun or failingSince"))
}

fn parse_state(text: &str) -> Result<State, Violation> {
    let known = State::ALL.into_iter().find(|state| state.name().eq_ignore_ascii_case(text));
    let names = State::ALL.map(|state| state.name().to_ascii_lowercase()).join(", ");
    known.ok_or_else(|| Violation::new("state", format!("{text:?}"), format!("one of {names}")))
}

/// A place as its link has it: the four names of a job, or the numbers of its place in another order.
pub(crate) fn place_names(place: &JobPlace) -> Vec<String> {
    match place {
        JobPlace::Name(JobKey { collection: CollectionKey { subscription, group, collection }, job }) => {
            [subscription, group, collection, job].map(ToString::to_string).to_vec()
        }
        JobPlace::NextRun(DueKey { wake_at, lane, id, .. }) => {
            [wake_at.ticks(), lane.0, id.0].map(|number| number.to_string()).to_vec()
        }
        JobPlace::FailingSince(FailingSince { since, job }) => {
            [since.ticks(), job.0].map(|number| number.to_string()).to_vec()
        }
    }
}

/// Reads a place that [`place_names`] wrote, in a list of that order.
pub(crate) fn parse_place(names: &[String], sort: Option<JobSort>) -> Result<JobPlace, Fault> {
    let instant = |ticks| Timestamp::from_ticks(ticks).ok_or_else(Page::wrong_token);
    if let [subscription, group, collection, job] = names {
        let parse = |name: &String| Name::parse(name).map_err(|_| Page::wrong_token());
        let [subscription, group] = [parse(subscription)?, parse(group)?];
        let collection = CollectionKey { subscription, group, collection: parse(collection)? };
        return Ok(JobPlace::Name(JobKey { collection, job: parse(job)? }));
    }
    let numbers: Result<Vec<i64>, _> = names.iter().map(|name| name.parse()).collect();
    match (sort, &numbers.map_err(|_| Page::wrong_token())?[..]) {
        (Some(JobSort::NextRun), [wake_at, lane, id]) => {
            let (lane, job) = (Lane(*lane), JobId(*id));
            Ok(JobPlace::NextRun(DueKey { wake_at: instant(*wake_at)?, lane, id: WorkId(*id), job }))
        }
        (Some(JobSort::FailingSince), [since, job]) => {
            Ok(JobPlace::FailingSince(FailingSince { since: instant(*since)?, job: JobId(*job) }))
        }
        _ => Err(Page::wrong_token()),
    }
}
