//! What can be asked of a job beside its definition and its history.

use punctual_store::JobKey;

use super::jobs;
use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::operations;
use crate::request::Request;
use crate::route::JobTask;
use crate::wire::parse_disable_json;

/// Answers a request about one of them.
pub(super) async fn answer(api: &Api, key: &JobKey, task: &JobTask, request: &Request) -> Result<ApiAnswer, Fault> {
    match task {
        JobTask::Enable => enable(api, key, request).await,
        JobTask::Disable => disable(api, key, request).await,
    }
}

/// Lets a job run again.
async fn enable(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let nothing_said = request.read_empty_body()?;
    let saved = operations::switch_job(&api.operations, &request.caller, key, &request.condition(), None).await?;
    Ok(jobs::shown_saved(api, request, saved).await?.warnings(&nothing_said))
}

/// Lets a job run no more, until it is enabled or until the instant that is said.
async fn disable(api: &Api, key: &JobKey, request: &Request) -> Result<ApiAnswer, Fault> {
    let input = parse_disable_json(&request.json_or_empty()?, request.caller.now)?.value;
    let condition = request.condition();
    let saved = operations::switch_job(&api.operations, &request.caller, key, &condition, Some(&input)).await?;
    jobs::shown_saved(api, request, saved).await
}
