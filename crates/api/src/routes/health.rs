//! Whether the server is well, and what it can do.

use http::StatusCode;

use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::wire::Json;
use crate::wire::view::members::Members;

/// The description of this API.
const DESCRIPTION: &str = include_str!("../../openapi.json");

/// It lives.
pub(super) fn health() -> Answer {
    status("ok")
}

/// It takes writes.
pub(super) async fn readiness(api: &Api) -> Result<Answer, Fault> {
    api.store.check().await?;
    Ok(status("ready"))
}

/// What it can do.
pub(super) fn description() -> Answer {
    let description = Json::parse(DESCRIPTION).expect("a test has read it");
    Answer::json(StatusCode::OK, description)
}

fn status(status: &str) -> Answer {
    Answer::json(StatusCode::OK, Members::new().add("status", status).into_json())
}
