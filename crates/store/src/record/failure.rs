//! Why an attempt failed, as the row of its error action keeps it.

use punctual_model::failure::Failure;

use super::codes;
use crate::error::Error;

/// Writes a failure.
pub(crate) fn write_failure(Failure { class, code, host, detail }: &Failure) -> String {
    serde_json::json!([codes::failure_class(*class), code, host, detail]).to_string()
}

/// Reads a failure that [`write_failure`] has written.
pub(crate) fn read_failure(text: &str) -> Result<Failure, Error> {
    let parts: (i64, Option<u16>, String, String) =
        serde_json::from_str(text).map_err(|error| Error::corrupt(format!("no failure: {error}")))?;
    let (class, code, host, detail) = parts;
    let class =
        codes::read_failure_class(class).ok_or_else(|| Error::corrupt(format!("no class {class} of failures")))?;
    Ok(Failure { class, code, host, detail })
}
