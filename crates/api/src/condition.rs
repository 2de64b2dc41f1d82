//! ETags, and writes that depend on them.

use punctual_store::{AlertEntry, CollectionEntry, JobEntry};

use crate::fault::Fault;

/// Names one version of a definition. What comes of the definition, its `status`, does not change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ETag(String);

impl ETag {
    /// The tag of a job. Numbers are never given twice, so that a job made under an old name is not the old one.
    pub(crate) fn of_job(job: &JobEntry) -> Self {
        Self(format!("\"j{:x}-{:x}\"", job.id.0, job.revision.0))
    }

    /// The tag of a collection.
    pub(crate) fn of_collection(collection: &CollectionEntry) -> Self {
        Self(format!("\"c{:x}-{:x}\"", collection.id.0, collection.revision.0))
    }

    /// The tag of an alert.
    pub(crate) fn of_alert(alert: &AlertEntry) -> Self {
        Self(format!("\"a{:x}-{:x}\"", alert.id.0, alert.revision.0))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a client expects to replace: lists of tags, in which `*` stands for any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    /// The write is made only if what is there has one of these.
    pub(crate) if_match: Option<String>,
    /// The write is made only if what is there has none of these.
    pub(crate) if_none_match: Option<String>,
}

impl Condition {
    /// The condition that nothing is there.
    pub(crate) fn absent() -> Self {
        Self { if_match: None, if_none_match: Some("*".to_owned()) }
    }

    /// Holds a write back if what is there is not what the client expects to replace.
    pub(crate) fn check(&self, current: Option<&ETag>) -> Result<(), Fault> {
        let is_named = |list: &str| {
            let mut tags = list.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
            tags.any(|tag| tag == "*" || current.is_some_and(|current| current.as_str() == tag))
        };
        let failed = |header, given: &str| {
            let current = current.map(|current| current.as_str().to_owned());
            Err(Fault::PreconditionFailed { header, given: given.to_owned(), current })
        };
        match (&self.if_match, &self.if_none_match) {
            (Some(wanted), _) if current.is_none() || !is_named(wanted) => failed("If-Match", wanted),
            (_, Some(unwanted)) if current.is_some() && is_named(unwanted) => failed("If-None-Match", unwanted),
            _ => Ok(()),
        }
    }
}
