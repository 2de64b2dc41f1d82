//! Routes translate: they read a request, call an operation, and write what came of it.

mod access;
mod alerts;
pub(crate) mod all_jobs;
mod audit;
mod bulk;
mod changes;
mod cluster;
pub(crate) mod collections;
mod description;
mod dry_run;
mod due;
mod events;
mod failures;
mod groups;
mod health;
pub(crate) mod history;
mod incidents;
mod job_tasks;
pub(crate) mod jobs;
mod lists;
mod metrics;
mod neighbours;
mod pause;
mod preview;
mod rerun_failed;
mod secrets;
mod sign_in_link;

use http::Method;

pub use self::description::SCHEMA;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::request::Request;
use crate::route::Target;

/// Answers a request that was understood and may be made. The method is one that the target has.
///
/// Jobs are read most, and only the future of that stands here as it is. The futures of all others together are large: on the
/// heap they are not moved with every future around them.
pub(crate) async fn answer(api: &Api, method: &Method, target: &Target, request: &Request) -> Result<ApiAnswer, Fault> {
    match (target, method) {
        (Target::Job(key), &Method::GET) => jobs::get(api, key, request).await,
        (Target::Job(key), &Method::PUT) => Box::pin(jobs::put(api, key, request)).await,
        _ => Box::pin(answer_other(api, method, target, request)).await,
    }
}

async fn answer_other(api: &Api, method: &Method, target: &Target, request: &Request) -> Result<ApiAnswer, Fault> {
    match target {
        Target::Health => Ok(health::health()),
        Target::Readiness => health::readiness(api).await,
        Target::Description => Ok(description::description()),
        Target::Schema => Ok(description::schema()),
        Target::Metrics => Ok(metrics::metrics(api, request)),
        Target::Preview => preview::preview(api, request).await,
        Target::Bulk => bulk::bulk(api, request).await,
        Target::Audit => audit::audit(api, request).await,
        Target::Events => events::events(api, request),
        Target::Due => due::due(api, request).await,
        Target::AllHistory => history::list_all(api, request).await,
        Target::Failures => failures::failures(api, request).await,
        Target::Rerun => rerun_failed::rerun_failed(api, request).await,
        Target::Alerts(target) => alerts::answer(api, method, target, request).await,
        Target::Cluster(target) => cluster::answer(api, method, target, request).await,
        Target::Pause if method == Method::POST => pause::pause(api, request).await,
        Target::Pause => pause::get(api, request).await,
        Target::Resume => pause::resume(api, request).await,
        Target::SignInLink => sign_in_link::make(api, request),
        Target::Tokens if method == Method::POST => access::create_token(api, request).await,
        Target::Tokens => access::tokens(api).await,
        Target::Token(id) => access::revoke_token(api, id).await,
        Target::Assignments if method == Method::POST => access::assign(api, request).await,
        Target::Assignments => access::assignments(api).await,
        Target::Assignment(id) => access::remove_assignment(api, *id).await,
        Target::SecretsRotation => secrets::rotate(api, request).await,
        Target::Subscriptions => neighbours::subscriptions(api, request).await,
        Target::Subscription(name) => Ok(neighbours::subscription(name)),
        Target::Providers(name) => Ok(neighbours::providers(name)),
        Target::Provider(name) | Target::Registration(name) => Ok(neighbours::provider(name)),
        Target::Operations => Ok(neighbours::operations_list()),
        Target::Groups(subscription) => groups::list(api, subscription, request).await,
        Target::Group(key) => match *method {
            Method::HEAD => Ok(groups::head()),
            Method::PUT => groups::put(api, key, request).await,
            Method::DELETE => groups::delete(api, key, request).await,
            _ => groups::get(api, key).await,
        },
        Target::CollectionsOfSubscription(subscription) => lists::collections(api, subscription, None, request).await,
        Target::Collections(key) => lists::collections(api, &key.subscription, Some(&key.group), request).await,
        Target::Collection(key) => match *method {
            Method::PUT => collections::put(api, key, request).await,
            Method::PATCH => collections::patch(api, key, request).await,
            Method::DELETE => collections::delete(api, key, request).await,
            _ => collections::get(api, key, request).await,
        },
        Target::CollectionSwitch(key, state) => collections::switch(api, key, *state, request).await,
        Target::AllJobs => all_jobs::list(api, request).await,
        Target::Jobs(key) => lists::jobs(api, key, request).await,
        Target::Job(key) => match *method {
            Method::PATCH => jobs::patch(api, key, request).await,
            Method::DELETE => jobs::delete(api, key, request).await,
            _ => jobs::get(api, key, request).await,
        },
        Target::JobRun(key) => jobs::run(api, key, request).await,
        Target::JobHistory(key) => history::list(api, key, request).await,
        Target::JobRecord(key, record) => history::get(api, key, record, request).await,
        Target::Changes(place) => changes::list(api, place, request).await,
        Target::JobRerun(key, record) => jobs::rerun(api, key, record, request).await,
        Target::JobTask(key, task) => job_tasks::answer(api, method, (key, task), request).await,
    }
}
