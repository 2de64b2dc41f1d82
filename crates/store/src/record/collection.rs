//! A collection or a resource group: names as they were written, and what the user said about it.

use std::collections::BTreeMap;

use punctual_model::Name;
use punctual_model::collection::{Collection, CollectionState, Quota, Sku, Spacing};
use punctual_model::recurrence::Frequency;
use serde::{Deserialize, Serialize};

use super::schedule::named;
use super::{Needs, Unreadable, parse, rewrite, text};
use crate::collection::GroupEntry;
use crate::key::{CollectionKey, GroupKey};

/// Writes a collection.
pub fn write_collection(key: &CollectionKey, collection: &Collection) -> String {
    text(&CollectionRow {
        subscription: key.subscription.as_str().to_owned(),
        group: key.group.as_str().to_owned(),
        name: key.collection.as_str().to_owned(),
        location: collection.location.clone(),
        tags: collection.tags.clone(),
        sku: collection.sku.map(|sku| sku.name().to_owned()),
        state: collection.state.name().to_owned(),
        quota: collection.quota.as_ref().map(QuotaRow::write),
        _needs: Needs,
    })
}

/// Reads a collection.
pub fn read_collection(text: &str) -> Result<(CollectionKey, Collection), Unreadable> {
    let row: CollectionRow = parse(text)?;
    let name = name(&row.name)?;
    let key = CollectionKey {
        subscription: self::name(&row.subscription)?,
        group: self::name(&row.group)?,
        collection: name.clone(),
    };
    let sku = row.sku.as_deref().map(|written| named(written, &Sku::ALL, Sku::name)).transpose()?;
    let state = named(&row.state, &CollectionState::ALL, CollectionState::name)?;
    let quota = row.quota.map(QuotaRow::read).transpose()?;
    Ok((key, Collection { name, location: row.location, tags: row.tags, sku, state, quota }))
}

/// Writes a collection in the place of one that was there, and keeps what this version does not know of it.
pub fn rewrite_collection(old: &str, key: &CollectionKey, collection: &Collection) -> Result<String, Unreadable> {
    let write = |(key, collection): &(CollectionKey, Collection)| write_collection(key, collection);
    rewrite(old, write_collection(key, collection), read_collection, write)
}

/// Writes a resource group.
pub fn write_group(group: &GroupEntry) -> String {
    text(&GroupRow {
        subscription: group.key.subscription.as_str().to_owned(),
        name: group.key.group.as_str().to_owned(),
        location: group.location.clone(),
        tags: group.tags.clone(),
        _needs: Needs,
    })
}

/// Writes a resource group in the place of one that was there, and keeps what this version does not know of it.
pub fn rewrite_group(old: &str, group: &GroupEntry) -> Result<String, Unreadable> {
    rewrite(old, write_group(group), read_group, write_group)
}

/// Reads a resource group.
pub fn read_group(text: &str) -> Result<GroupEntry, Unreadable> {
    let row: GroupRow = parse(text)?;
    let key = GroupKey { subscription: name(&row.subscription)?, group: name(&row.name)? };
    Ok(GroupEntry { key, location: row.location, tags: row.tags })
}

#[derive(Serialize, Deserialize)]
struct CollectionRow {
    #[serde(rename = "needs", default, skip_serializing)]
    _needs: Needs,
    subscription: String,
    group: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tags: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sku: Option<String>,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    quota: Option<QuotaRow>,
}

#[derive(Serialize, Deserialize)]
struct GroupRow {
    #[serde(rename = "needs", default, skip_serializing)]
    _needs: Needs,
    subscription: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tags: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct QuotaRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrences: Option<i64>,
    /// The unit, and how many of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    spacing: Option<(String, i64)>,
}

impl QuotaRow {
    fn write(quota: &Quota) -> Self {
        let spacing = |spacing: Spacing| (spacing.frequency().name().to_owned(), i64::from(spacing.interval()));
        Self {
            jobs: quota.max_job_count.map(i64::from),
            occurrences: quota.max_job_occurrence.map(i64::from),
            spacing: quota.max_recurrence.map(spacing),
        }
    }

    fn read(self) -> Result<Quota, Unreadable> {
        let spacing = self.spacing.map(|(unit, interval)| {
            let frequency = named(&unit, &Frequency::ALL, Frequency::name)?;
            Spacing::new(frequency, interval).map_err(Unreadable::new)
        });
        Ok(Quota::new(self.jobs, self.occurrences, spacing.transpose()?)?)
    }
}

fn name(written: &str) -> Result<Name, Unreadable> {
    Name::parse(written).map_err(|expected| Unreadable::new(expected.at("a name", written)))
}
