//! What the engine reads: definitions of jobs, and the plans of their collections.

use std::sync::Arc;

use punctual_model::collection::Sku;

use super::job::Described;
use crate::error::Error;
use crate::key::{CollectionId, JobId};
use crate::work_store::JobDefinition;

/// A parsed definition takes about so many times the bytes of its record.
const BYTES_PER_STORED: usize = 3;

/// What a definition takes, however short it is.
const BYTES_MIN: usize = 512;

/// The definition of a job in a collection of that path.
pub(crate) fn definition(id: JobId, job: Described, collection: &str) -> JobDefinition {
    let path = [collection, "/", job.name.as_str()].concat();
    JobDefinition {
        id,
        revision: job.revision,
        uid: job.uid,
        bytes: (job.bytes + path.len()) * BYTES_PER_STORED + BYTES_MIN,
        path: path.into(),
        definition: Arc::new(job.definition),
        state: job.state,
        anchor: job.anchor,
        series: job.series,
    }
}

pub(crate) fn read_sku(collection: CollectionId, name: &str) -> Result<Sku, Error> {
    let found = Sku::ALL.into_iter().find(|sku| sku.name() == name);
    found.ok_or_else(|| Error::corrupt(format!("collection number {}: {name:?} is no plan", collection.0)))
}
