//! What this server can do, in the form that other programs read: OpenAPI.

use crate::answer::ApiAnswer;

#[cfg(test)]
mod tests;

/// The description of this API. It is written by hand; the tests, and `scripts/schemathesis`, hold it against the server.
const DESCRIPTION: &str = include_str!("../../openapi.json");

/// The JSON Schema of the files that the command line reads, for editors. It is derived from the description: see
/// `tests/it/schema.rs`.
pub const SCHEMA: &str = include_str!("../../schema.json");

/// Shows the schema of files.
pub(super) fn schema() -> ApiAnswer {
    ApiAnswer::written(SCHEMA)
}

/// Shows the description.
pub(super) fn description() -> ApiAnswer {
    ApiAnswer::written(DESCRIPTION)
}
