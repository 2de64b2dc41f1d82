//! A job collection.

use punctual_model::collection::{Collection, Quota, Spacing};
use punctual_model::recurrence::Frequency;

use super::Writer;
use super::members::{Members, texts};
use super::resource::Resource;
use crate::wire::json::Json;

/// What an answer says about a collection.
#[derive(Clone, Copy, Debug)]
pub struct CollectionView<'a> {
    /// The path of the resource.
    pub id: &'a str,
    /// The collection.
    pub collection: &'a Collection,
}

impl CollectionView<'_> {
    /// The resource, as the writer's dialect has it.
    pub fn write(&self, writer: &Writer) -> Json {
        let Collection { name, location, tags, sku, state, quota: own_quota } = self.collection;
        let sku = sku.map(|sku| Members::new().add("name", writer.dialect.as_described(sku.name())).into_json());
        let beside = Members::new().add_some("location", location.as_ref()).add_some("tags", texts(tags));
        let properties = Members::new()
            .add_some("sku", sku)
            .add("state", writer.dialect.as_described(state.name()))
            .add_some("quota", own_quota.as_ref().map(|it| quota(it, writer)));
        Resource { id: self.id, kind: "jobCollections", parents: &[], name: name.as_str() }
            .write(beside, properties, writer)
    }
}

fn quota(quota: &Quota, writer: &Writer) -> Json {
    let recurrence = |spacing: Spacing| {
        let (path, frequency) = ("properties.quota.maxRecurrence.frequency", spacing.frequency());
        let is_extension = frequency == Frequency::Year;
        Members::new()
            .add_some("frequency", writer.lower_case_if_known(path, frequency.name(), is_extension))
            .add("interval", u32::from(spacing.interval()))
            .into_json()
    };
    Members::new()
        .add_some("maxJobCount", quota.max_job_count)
        .add_some("maxJobOccurrence", quota.max_job_occurrence)
        .add_some("maxRecurrence", quota.max_recurrence.map(recurrence))
        .into_json()
}
