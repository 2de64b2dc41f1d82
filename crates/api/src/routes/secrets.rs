//! The keys that seal the actions.

use http::StatusCode;
use punctual_store::JobId;

use crate::answer::ApiAnswer;
use crate::api::Api;
use crate::fault::Fault;
use crate::operations::{self, RotationProgress};
use crate::request::Request;
use crate::wire::view::members::Members;

/// Rotates the keys, or goes on with that: the answer says where to `continue`.
pub(super) async fn rotate(api: &Api, request: &Request) -> Result<ApiAnswer, Fault> {
    let place = request.place(|text| text.parse().ok().map(JobId))?;
    let RotationProgress { resealed, next } = operations::rotate_secrets(&api.operations, place).await?;
    let place = next.map(|JobId(id)| id.to_string());
    Ok(ApiAnswer::json(StatusCode::OK, Members::new().add("jobs", resealed).add_some("continue", place).into_json()))
}
