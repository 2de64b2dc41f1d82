//! Whether the server is well.

use http::StatusCode;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::wire::view::members::Members;

/// Says that the server lives.
pub(super) fn health() -> ApiAnswer {
    status("ok")
}

/// Says whether the server takes writes.
pub(super) async fn readiness(api: &Api) -> Result<ApiAnswer, Fault> {
    api.operations.store.check().await?;
    Ok(status("ready"))
}

fn status(status: &str) -> ApiAnswer {
    ApiAnswer::json(StatusCode::OK, Members::new().add("status", status).into_json())
}
