//! What fails, over all jobs.

use std::collections::{HashMap, HashSet};

use http::StatusCode;
use punctual_model::failure::FailureClass;
use punctual_model::time::Timestamp;
use punctual_model::{Name, TargetPattern, Violation};
use punctual_store::{FailingPlace, JobId, JobKey};

use super::collections;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::limits;
use crate::operations::{self, Detail, Trouble, TroubleFilter, TroubleKind};
use crate::page::{self, Page};
use crate::request::Request;
use crate::wire::Json;
use crate::wire::view::members::Members;

/// By what failures are put together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Grouping {
    Job,
    Target,
    Reason,
}

/// What fails now; with `since` also what has failed or was not run since then.
pub(super) async fn failures(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let filter = filter(request)?;
    let since = request.instant_or_span_ago("since")?;
    let grouping = grouping(request)?;
    let Some(since) = since.or(grouping.map(|_| request.caller.now)) else {
        return now(api, request, &filter).await;
    };
    let detail = if grouping.is_some() { Detail::WithoutMessage } else { Detail::WithMessage };
    let report = operations::list_trouble(&api.operations, &request.caller, &filter, since, detail).await?;
    let value = match grouping {
        None => report.troubles.iter().map(|it| view(api, it)).collect(),
        Some(grouping) => {
            groups(&report.troubles, grouping).iter().map(|group| view_group(api, group, grouping)).collect()
        }
    };
    let body = Members::new()
        .add("since", since.to_string())
        .add("value", Json::List(value))
        .add("isPartial", report.is_partial)
        .add("nextLink", Json::Null);
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

/// What fails now, page by page.
async fn now(api: &Api, request: &Request, filter: &TroubleFilter) -> Result<ApiAnswer, Fault> {
    let page = Page::of_own(request, limits::FAILURES_PAGE)?;
    let after = page.after.as_deref().map(parse_place).transpose()?;
    let limit = page.shown();
    let (troubles, next) = operations::list_failing(&api.operations, &request.caller, filter, after, limit).await?;
    let next = next.map(|place| {
        let names = [place.started.ticks().to_string(), place.job.0.to_string()];
        page::link(request, &api.settings.public_url, &names)
    });
    let body = Members::new()
        .add("value", Json::List(troubles.iter().map(|it| view(api, it)).collect()))
        .add("nextLink", next.map_or(Json::Null, Json::Text));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

fn parse_place(names: &[String]) -> Result<FailingPlace, Fault> {
    let numbers: Vec<i64> = names.iter().filter_map(|name| name.parse().ok()).collect();
    match numbers[..] {
        [started, job] => {
            let started = Timestamp::from_ticks(started).ok_or_else(Page::wrong_token)?;
            Ok(FailingPlace { started, job: JobId(job) })
        }
        _ => Err(Page::wrong_token()),
    }
}

/// What the query says about which jobs are wanted.
pub(super) fn filter(request: &Request) -> Result<TroubleFilter, Fault> {
    let class = |text: &str| {
        let known = FailureClass::ALL.into_iter().find(|class| class.name().eq_ignore_ascii_case(text));
        let names = FailureClass::ALL.map(FailureClass::name).join(", ");
        known.ok_or_else(|| Violation::new("class", format!("{text:?}"), format!("one of {names}")))
    };
    Ok(TroubleFilter {
        subscription: name(request, "subscription")?,
        group: name(request, "group")?,
        collection: name(request, "collection")?,
        job: name(request, "job")?,
        target: target(request)?,
        class: request.query.get("class").map(class).transpose()?,
    })
}

/// The name that a parameter holds.
pub(super) fn name(request: &Request, parameter: &'static str) -> Result<Option<Name>, Fault> {
    let parse = |text: &str| Name::parse(text).map_err(|expected| expected.at(parameter, format!("{text:?}")));
    Ok(request.query.get(parameter).map(parse).transpose()?)
}

/// The targets that are wanted.
pub(super) fn target(request: &Request) -> Result<Option<TargetPattern>, Fault> {
    let parse = |text: &str| TargetPattern::parse(text).map_err(|expected| expected.at("target", format!("{text:?}")));
    Ok(request.query.get("target").map(parse).transpose()?)
}

fn grouping(request: &Request) -> Result<Option<Grouping>, Fault> {
    let Some(text) = request.query.get("grouped") else { return Ok(None) };
    match text.to_ascii_lowercase().as_str() {
        "job" => Ok(Some(Grouping::Job)),
        "target" => Ok(Some(Grouping::Target)),
        "reason" => Ok(Some(Grouping::Reason)),
        _ => Err(Violation::new("grouped", format!("{text:?}"), "job, target or reason").into()),
    }
}

fn view(api: &Api, trouble: &Trouble) -> Json {
    let Trouble { job, target, kind, since, last, count, record, occurrence, retry_at, message } = trouble;
    let (status, is_failure) = match kind {
        TroubleKind::Failing(_) => ("failing", true),
        TroubleKind::Recovered(_) => ("recovered", true),
        TroubleKind::NotRun(_) => ("notRun", false),
    };
    let not_run = if let TroubleKind::NotRun(range) = kind { Some(range.reason.name()) } else { None };
    Members::new()
        .add("job", job.job.as_str())
        .add("collection", job.collection.collection.as_str())
        .add("path", collections::job_path(job))
        .add("commandPath", collections::command_path(api, job))
        .add("target", target)
        .add("status", status)
        .add_some("class", kind.failure().map(|failure| failure.class.name()))
        .add_some("code", kind.failure().and_then(|failure| failure.code).map(u64::from))
        .add_some("notRunReason", not_run)
        .add("reason", kind.sentence())
        .add("since", since.to_string())
        .add("last", last.to_string())
        .add("count", *count)
        .add_some("retryTime", retry_at.map(|at| at.to_string()))
        .add("record", record.to_id())
        .add("executionTag", occurrence.to_string())
        .add_some("message", Some(message).filter(|_| is_failure))
        .into_json()
}

/// Troubles of one kind.
struct Group<'a> {
    /// The latest.
    latest: &'a Trouble,
    /// Those that are told of, each once, in the order of the latest; a job may have troubles of several kinds.
    jobs: Vec<&'a JobKey>,
    known: HashSet<&'a JobKey>,
    since: Timestamp,
    count: u64,
    /// How many of them fail now.
    failing: u64,
}

fn groups(troubles: &[Trouble], grouping: Grouping) -> Vec<Group<'_>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for trouble in troubles {
        let reason = match &trouble.kind {
            TroubleKind::NotRun(range) => format!("not run {}", range.reason.name()),
            kind => kind.failure().map_or_else(String::new, |it| format!("{} {:?}", it.class.name(), it.code)),
        };
        let key = match grouping {
            Grouping::Job => collections::job_path(&trouble.job),
            Grouping::Target => trouble.target.clone(),
            Grouping::Reason => format!("{}\n{reason}", trouble.target),
        };
        let place = *places.entry(key).or_insert_with(|| {
            let (jobs, known) = (Vec::new(), HashSet::new());
            groups.push(Group { latest: trouble, jobs, known, since: trouble.since, count: 0, failing: 0 });
            groups.len() - 1
        });
        let group = &mut groups[place];
        group.since = group.since.min(trouble.since);
        group.count += trouble.count;
        group.failing += u64::from(matches!(trouble.kind, TroubleKind::Failing(_)));
        if group.known.insert(&trouble.job) {
            group.jobs.push(&trouble.job);
        }
    }
    groups
}

fn view_group(api: &Api, group: &Group<'_>, grouping: Grouping) -> Json {
    let Group { latest, jobs, since, count, failing, .. } = group;
    let name = |job: &&JobKey| Json::Text(collections::command_path(api, job));
    let examples = jobs.iter().take(limits::FAILURE_EXAMPLES).map(name).collect();
    let job = (grouping == Grouping::Job).then_some(&latest.job);
    Members::new()
        .add_some("job", job.map(|job| job.job.as_str()))
        .add_some("collection", job.map(|job| job.collection.collection.as_str()))
        .add_some("path", job.map(collections::job_path))
        .add_some("commandPath", job.map(|job| collections::command_path(api, job)))
        .add("target", &latest.target)
        .add_some("class", latest.kind.failure().map(|failure| failure.class.name()))
        .add_some("code", latest.kind.failure().and_then(|failure| failure.code).map(u64::from))
        .add("reason", latest.kind.sentence())
        .add("jobs", jobs.len() as u64)
        .add("failing", *failing)
        .add("count", *count)
        .add("since", since.to_string())
        .add("last", latest.last.to_string())
        .add("examples", Json::List(examples))
        .into_json()
}
