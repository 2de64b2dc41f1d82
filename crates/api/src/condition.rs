//! ETags, and writes that depend on them.

use http::header::{IF_MATCH, IF_NONE_MATCH};
use punctual_store::{CollectionEntry, JobEntry};

use crate::fault::Fault;
use crate::request::Request;

/// Names one version of a definition. What comes of the definition, its `status`, does not change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ETag(String);

impl ETag {
    /// That of a job. Numbers are never given twice, so that a job that is made anew is not the old one.
    pub(crate) fn of_job(job: &JobEntry) -> Self {
        Self(format!("\"j{:x}-{:x}\"", job.id.0, job.revision.0))
    }

    /// That of a collection.
    pub(crate) fn of_collection(collection: &CollectionEntry) -> Self {
        Self(format!("\"c{:x}-{:x}\"", collection.id.0, collection.revision.0))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Holds a write back if what is there is not what the client expects to replace.
pub(crate) fn check(request: &Request, current: Option<&ETag>) -> Result<(), Fault> {
    let is_named = |list: &str| {
        let mut tags = list.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
        tags.any(|tag| tag == "*" || current.is_some_and(|current| current.as_str() == tag))
    };
    // A header that is no text is none of our tags; taken as absent it would let the write through.
    let text = |name| request.headers.get(name).map(|value| value.to_str().unwrap_or("something unreadable"));
    match (text(IF_MATCH), text(IF_NONE_MATCH)) {
        (Some(wanted), _) if current.is_none() || !is_named(wanted) => Err(Fault::PreconditionFailed {
            header: "If-Match",
            given: wanted.to_owned(),
            current: current.map(|current| current.as_str().to_owned()),
        }),
        (_, Some(unwanted)) if current.is_some() && is_named(unwanted) => Err(Fault::PreconditionFailed {
            header: "If-None-Match",
            given: unwanted.to_owned(),
            current: current.map(|current| current.as_str().to_owned()),
        }),
        _ => Ok(()),
    }
}
