//! Whether the server is well.

use http::StatusCode;

use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::wire::view::members::Members;

/// It lives.
pub(super) fn health() -> Answer {
    status("ok")
}

/// It takes writes.
pub(super) async fn readiness(api: &Api) -> Result<Answer, Fault> {
    api.store.check().await?;
    Ok(status("ready"))
}

fn status(status: &str) -> Answer {
    Answer::json(StatusCode::OK, Members::new().add("status", status).into_json())
}
