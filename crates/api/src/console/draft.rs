//! A job as JSON: what the form, the JSON view and the other pages write and read.

use punctual_store::{CollectionEntry, JobEntry};
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::routes::jobs;
use crate::status::JobStatus;
use crate::wire::view::Writer;
use crate::wire::{Dialect, Extent, Json};

/// The definition of a job as `/v1` writes it, without what only the server says.
pub(super) fn definition(collection: &CollectionEntry, job: &JobEntry, status: &JobStatus, may_write: bool) -> Json {
    let writer = Writer::for_reader(Dialect::PLAIN, Extent::One, may_write);
    let server = ["name", "collection", "path", "status", "etag", "id", "type", "warnings"];
    match jobs::view(collection, job, status, &writer) {
        Json::Object(members) => {
            Json::Object(members.into_iter().filter(|(name, _)| !server.contains(&&**name)).collect())
        }
        other => other,
    }
}

/// The same as text, with lines.
pub(super) fn json_of(collection: &CollectionEntry, job: &JobEntry, status: &JobStatus, may_write: bool) -> String {
    pretty(&definition(collection, job, status, may_write))
}

/// JSON with lines and two blanks for each level.
pub(super) fn pretty(json: &Json) -> String {
    let mut text = Vec::new();
    let mut writer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"  "));
    match serde::Serialize::serialize(json, &mut writer) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => json.to_string(),
    }
}
