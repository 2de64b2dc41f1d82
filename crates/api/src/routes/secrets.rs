//! The keys that seal the actions.

use http::StatusCode;
use punctual_model::Violation;
use punctual_store::JobId;

use crate::answer::Answer;
use crate::api::Api;
use crate::fault::Fault;
use crate::request::Request;
use crate::wire::view::members::Members;

/// Pieces of work in one request, so that its client sees progress.
const PIECES_MAX: usize = 20;

/// Takes a new key and seals with it what the old ones have sealed, piece by piece: the answer says where to `continue`.
/// After the last piece the old keys are forgotten. What was interrupted is finished by the next rotation.
pub(super) async fn rotate(api: &Api, request: &Request) -> Result<Answer, Fault> {
    let mut after = request.query.get("continue").map(parse_place).transpose()?;
    if after.is_none() {
        let added = api.store.add_sealing_key().await;
        added.map_err(|error| Fault::Conflict { target: "secrets.key", message: error.to_string() })?;
    }
    let mut resealed = 0;
    for _ in 0..PIECES_MAX {
        let progress = api.store.reseal(after).await?;
        resealed += progress.resealed;
        after = progress.next;
        if after.is_none() {
            break;
        }
    }
    let place = after.map(|JobId(id)| id.to_string());
    let body = Members::new().add("jobs", resealed).add_some("continue", place).into_json();
    Ok(Answer::json(StatusCode::OK, body))
}

fn parse_place(text: &str) -> Result<JobId, Fault> {
    let number =
        text.parse().map_err(|_| Violation::new("continue", format!("{text:?}"), "what the last answer said"))?;
    Ok(JobId(number))
}
