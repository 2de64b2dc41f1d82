//! Whether the server is well.

use http::StatusCode;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::operations;
use crate::wire::view::members::Members;

/// Says that the server lives.
pub(super) fn health() -> ApiAnswer {
    status("ok")
}

/// Says whether the server takes writes, and whether it is paused: one that is paused is ready for requests, and starts
/// nothing.
pub(super) async fn readiness(api: &Api) -> Result<ApiAnswer, Fault> {
    api.operations.store.check().await?;
    let is_paused = operations::is_paused(&api.operations).await?;
    let body = Members::new().add("status", "ready").add_some("paused", is_paused.then_some(true));
    Ok(ApiAnswer::json(StatusCode::OK, body.into_json()))
}

fn status(status: &str) -> ApiAnswer {
    ApiAnswer::json(StatusCode::OK, Members::new().add("status", status).into_json())
}
