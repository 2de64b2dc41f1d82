//! The eight operations on collections.

use azure_mgmt_scheduler::package_2016_03::models::*;
use futures::TryStreamExt;
use serde_json::{Value, json};

use crate::actions::text;
use crate::office::{COLLECTION, GROUP, Office, SUBSCRIPTION, is_refused};

pub async fn create(office: &Office) {
    let created = office.collections.create_or_update(SUBSCRIPTION, GROUP, COLLECTION, definition()).await.unwrap();
    assert_eq!(created, shown(json!({"a": "b"})));
}

pub async fn get(office: &Office) {
    let found = office.collections.get(SUBSCRIPTION, GROUP, COLLECTION).await.unwrap();
    assert_eq!(found, shown(json!({"a": "b"})));
}

pub async fn patch(office: &Office) {
    let change = JobCollectionDefinition { tags: Some(json!({"c": "d"})), ..JobCollectionDefinition::new() };
    let changed = office.collections.patch(SUBSCRIPTION, GROUP, COLLECTION, change).await.unwrap();
    // What is patched is merged, tags too.
    assert_eq!(changed, shown(json!({"a": "b", "c": "d"})));
}

pub async fn list_by_group(office: &Office) {
    let pages = office.collections.list_by_resource_group(SUBSCRIPTION, GROUP).into_stream();
    let pages: Vec<_> = pages.try_collect().await.unwrap();
    let listed: Vec<_> = pages.into_iter().flat_map(|page| page.value).collect();
    assert_eq!(listed, [shown(json!({"a": "b", "c": "d"}))]);
}

pub async fn list_by_subscription(office: &Office) {
    let pages = office.collections.list_by_subscription(SUBSCRIPTION).into_stream();
    let pages: Vec<_> = pages.try_collect().await.unwrap();
    let listed: Vec<_> = pages.into_iter().flat_map(|page| page.value).collect();
    assert!(listed.contains(&shown(json!({"a": "b", "c": "d"}))), "{listed:?}");
}

pub async fn disable(office: &Office) {
    office.collections.disable(SUBSCRIPTION, GROUP, COLLECTION).send().await.unwrap();
    assert_eq!(state(office).await, Some(job_collection_properties::State::Disabled));
}

pub async fn enable(office: &Office) {
    office.collections.enable(SUBSCRIPTION, GROUP, COLLECTION).send().await.unwrap();
    assert_eq!(state(office).await, Some(job_collection_properties::State::Enabled));
}

pub async fn delete(office: &Office) {
    office.collections.delete(SUBSCRIPTION, GROUP, COLLECTION).send().await.unwrap();
    let found = office.collections.get(SUBSCRIPTION, GROUP, COLLECTION).await;
    is_refused(found, 404, "ResourceNotFound", COLLECTION);
}

async fn state(office: &Office) -> Option<job_collection_properties::State> {
    let found = office.collections.get(SUBSCRIPTION, GROUP, COLLECTION).await.unwrap();
    found.properties.unwrap().state
}

fn definition() -> JobCollectionDefinition {
    let recurrence = JobMaxRecurrence { frequency: Some(job_max_recurrence::Frequency::Minute), interval: Some(5) };
    let quota =
        JobCollectionQuota { max_job_count: Some(40), max_job_occurrence: None, max_recurrence: Some(recurrence) };
    let properties = JobCollectionProperties {
        sku: Some(Sku { name: Some(sku::Name::Standard) }),
        state: Some(job_collection_properties::State::Enabled),
        quota: Some(quota),
    };
    JobCollectionDefinition {
        location: text("westus"),
        tags: Some(json!({"a": "b"})),
        properties: Some(properties),
        ..JobCollectionDefinition::new()
    }
}

/// The same as the server answers it.
fn shown(tags: Value) -> JobCollectionDefinition {
    let group = format!("/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}");
    JobCollectionDefinition {
        id: Some(format!("{group}/providers/Microsoft.Scheduler/jobCollections/{COLLECTION}")),
        type_: text("Microsoft.Scheduler/jobCollections"),
        name: text(COLLECTION),
        tags: Some(tags),
        ..definition()
    }
}
