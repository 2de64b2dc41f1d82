//! What this server can do, in the form that other programs read: OpenAPI.

use crate::answer::ApiAnswer;

#[cfg(test)]
mod tests;

/// The description of this API. It is written by hand; the tests, and `scripts/schemathesis`, hold it against the server.
const DESCRIPTION: &str = include_str!("../../openapi.json");

/// Shows the description.
pub(super) fn description() -> ApiAnswer {
    ApiAnswer::written(DESCRIPTION)
}
