//! Many writes in one request, each judged and answered alone.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use http::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use punctual_model::access::Role;
use punctual_model::{Violation, Warning};
use punctual_store::CollectionEntry;

use super::dry_run::Plan;
use super::{alerts, collections, jobs};
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::concurrently::concurrently;
use crate::condition::ETag;
use crate::fault::Fault;
use crate::limits;
use crate::operations;
use crate::query::Query;
use crate::request::Request;
use crate::route::{AlertTarget, Misroute, Route, Target};
use crate::wire::view::members::Members;
use crate::wire::{BulkInput, BulkItem, Dialect, Json, Unknown, parse_bulk_json, parse_collection_json};

/// What came of one write.
pub(super) enum Written {
    /// The write was made.
    Saved { status: StatusCode, etag: Option<ETag>, warnings: Vec<Warning> },
    /// With `dryRun`: what the write would change.
    Planned(Plan),
}

/// Carries out all writes, or says what they would do. Jobs are written at the same time; a collection or an alert waits for what
/// stands before it, and what stands behind it waits for it.
pub(super) async fn bulk(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let is_dry = request.is_dry()?;
    let BulkInput { assumed, items } = parse_bulk_json(&request.json()?)?;
    let assumed = assumed.into_iter().map(|item| assume(api, request, item)).collect::<Result<Vec<_>, _>>()?;
    let mut answers = Vec::with_capacity(items.len());
    let mut together = Vec::new();
    let mut seen = HashSet::new();
    for item in items {
        let task = Task::read(api, request, item, is_dry, &mut seen);
        let is_alone = task.as_ref().is_ok_and(|task| !matches!(task.target, Target::Job(_)));
        if is_alone {
            flush(api, &assumed, &mut together, &mut answers).await;
        }
        together.push(task);
        if is_alone {
            flush(api, &assumed, &mut together, &mut answers).await;
        }
    }
    flush(api, &assumed, &mut together, &mut answers).await;
    Ok(ApiAnswer::json(StatusCode::OK, Members::new().add("value", Json::List(answers)).into_json()))
}

async fn flush(
    api: &Api,
    assumed: &[CollectionEntry],
    together: &mut Vec<Result<Task, Fault>>,
    answers: &mut Vec<Json>,
) {
    let one = |task: Result<Task, Fault>| async move {
        let written = match task {
            Ok(task) => Box::pin(task.carry_out(api, assumed)).await,
            Err(fault) => Err(fault),
        };
        answer(written)
    };
    let futures = std::mem::take(together).into_iter().map(one).collect();
    answers.extend(concurrently(futures, limits::BULK_WIDTH).await);
}

/// One write, understood and allowed.
struct Task {
    target: Target,
    method: Method,
    request: Request,
}

impl Task {
    fn read(
        api: &Api,
        request: &Request,
        item: BulkItem,
        is_dry: bool,
        seen: &mut HashSet<String>,
    ) -> Result<Self, Fault> {
        let (path, query) = item.path.split_once('?').unwrap_or((&item.path, ""));
        let (query, is_told) = with_dry_run(Query::parse(query), is_dry);
        if is_told {
            let sentence = "dryRun holds for the whole bulk: say it in the address of the request";
            return Err(Violation::sentence("path", sentence).into());
        }
        let route = Route::parse(path, &api.defaults(&query)?).map_err(|misroute| match misroute {
            Misroute::Unknown => Fault::NoSuchPath(path.to_owned()),
            Misroute::Invalid(violation) => violation.into(),
        })?;
        if !matches!(route.target, Target::Job(_) | Target::Collection(_) | Target::Alerts(AlertTarget::Alert(_))) {
            let expected = "the path of a job, a collection or an alert";
            return Err(Violation::new("path", format!("{path:?}"), expected).into());
        }
        if route.is_short {
            query.check_known(&route.target, false)?;
        }
        require_role(&item.method, &route.target, request)?;
        if !seen.insert(format!("{:?}", route.target).to_lowercase()) {
            let sentence = "this stands twice in the bulk, and what comes last would be left to chance: keep one";
            return Err(Violation::sentence("path", sentence).into());
        }
        let path = path.to_owned();
        let request = inner(request, &item, path, query, route.is_short);
        Ok(Self { target: route.target, method: item.method, request })
    }

    async fn carry_out(self, api: &Api, assumed: &[CollectionEntry]) -> Result<Written, Fault> {
        let Self { target, method, request } = &self;
        match target {
            Target::Job(key) if *method == Method::DELETE => jobs::remove(api, key, request).await,
            Target::Job(key) => {
                let assumed = assumed.iter().find(|entry| entry.key == key.collection);
                jobs::write(api, key, request, assumed).await
            }
            Target::Collection(key) if *method == Method::DELETE => collections::remove(api, key, request).await,
            Target::Collection(key) => collections::write(api, key, request).await,
            Target::Alerts(AlertTarget::Alert(name)) if *method == Method::DELETE => {
                alerts::remove(api, name, request).await
            }
            Target::Alerts(AlertTarget::Alert(name)) => alerts::write(api, name, request).await,
            _ => Err(Fault::NoSuchPath(request.path.clone())),
        }
    }
}

/// The query with `dryRun` as the bulk has it; and whether the item has one of its own.
fn with_dry_run(query: Query, is_dry: bool) -> (Query, bool) {
    let is_told = query.get("dryRun").is_some();
    (if is_dry { query.with("dryRun", "true") } else { query }, is_told)
}

/// The request that one write would be.
fn inner(request: &Request, item: &BulkItem, path: String, query: Query, is_short: bool) -> Request {
    let mut headers = HeaderMap::new();
    let mut add = |name: HeaderName, value: &Option<String>| {
        if let Some(value) = value {
            // What is no text of a header is no tag either: taken as absent it would let the write through.
            let value = HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static("something unreadable"));
            headers.insert(name, value);
        }
    };
    add(IF_MATCH, &item.if_match);
    add(IF_NONE_MATCH, &item.if_none_match);
    Request {
        caller: request.caller.clone(),
        path,
        query,
        headers,
        body: Bytes::new(),
        given: item.body.clone(),
        dialect: Dialect::PLAIN,
        is_short,
        is_relaxed: AtomicBool::default(),
        opened: OnceLock::new(),
    }
}

/// Refuses a write that the caller may not make.
fn require_role(method: &Method, target: &Target, request: &Request) -> Result<(), Fault> {
    let (scope, grants) = (target.scope(), &request.caller.grants);
    let role = target.methods().iter().find(|(known, _)| known == method).and_then(|(_, role)| *role);
    let is_allowed = role.is_none_or(|role| {
        grants.allows(role, &scope) || (target.is_open_from_inside(role) && grants.reaches(role, &scope))
    });
    if is_allowed {
        return Ok(());
    }
    let needs = role.map_or("", Role::name);
    let has = grants.role_on(&scope).map_or("no role", Role::name);
    Err(Fault::Forbidden(format!("{method} needs the role {needs} on '{scope}'; the caller has {has} there.")))
}

/// A collection that is taken to be there.
fn assume(api: &Api, request: &Request, item: BulkItem) -> Result<CollectionEntry, Fault> {
    let (path, query) = item.path.split_once('?').unwrap_or((&item.path, ""));
    let route = Route::parse(path, &api.defaults(&Query::parse(query))?);
    let Ok(Route { target: Target::Collection(key), is_short, .. }) = route else {
        return Err(Violation::new("assumed", format!("{path:?}"), "the path of a collection").into());
    };
    let body = item.body.unwrap_or(Json::Object(Vec::new()));
    let unknown = if is_short { Unknown::Refused } else { Unknown::Warned };
    let input = parse_collection_json(&body, unknown)?;
    Ok(operations::assume_collection(&key, input.value, request.caller.now))
}

fn answer(written: Result<Written, Fault>) -> Json {
    match written {
        Ok(Written::Saved { status, etag, warnings }) => Members::new()
            .add("status", u32::from(status.as_u16()))
            .add_some("etag", etag.as_ref().map(ETag::as_str))
            .add_some("warnings", texts(&warnings))
            .into_json(),
        Ok(Written::Planned(Plan { body, warnings, .. })) => Members::new()
            .add("status", u32::from(StatusCode::OK.as_u16()))
            .add("plan", body.into_json())
            .add_some("warnings", texts(&warnings))
            .into_json(),
        Err(fault) => {
            if let Some(reason) = fault.operators_concern() {
                tracing::error!("bulk: {reason}");
            }
            let (status, error) = fault.into_item();
            Members::new().add("status", u32::from(status.as_u16())).add("error", error).into_json()
        }
    }
}

fn texts(warnings: &[Warning]) -> Option<Json> {
    let texts: Vec<_> = warnings.iter().map(|warning| Json::Text(warning.to_string())).collect();
    (!texts.is_empty()).then_some(Json::List(texts))
}
