//! Whether the server would take a job.

use punctual_api::wire::{self, Unknown};
use punctual_arm::Json;
use punctual_import::{Checked, Strictness};
use punctual_model::Violation;
use punctual_model::time::Timestamp;

/// Reads jobs as the API does, as of now.
pub(super) fn check(now: Timestamp) -> impl Fn(&Json, Strictness) -> Result<Checked, Vec<Violation>> {
    move |body, strictness| {
        let unknown = match strictness {
            Strictness::Lenient => Unknown::Warned,
            Strictness::Strict => Unknown::Refused,
        };
        let parsed = wire::parse_job_json(&wire::Json::parse(&body.to_string())?, unknown)?;
        let definition = parsed.value.definition;
        Checked::new(definition.start, definition.recurrence.as_ref(), parsed.warnings, now)
            .map_err(|violation| vec![violation])
    }
}
