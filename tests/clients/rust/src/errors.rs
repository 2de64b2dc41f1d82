//! What the client makes of the server's errors.

use azure_mgmt_scheduler::package_2016_03::models::*;

use crate::actions;
use crate::office::{COLLECTION, GROUP, Office, SUBSCRIPTION, is_refused};

pub async fn missing_job(office: &Office) {
    let words = "Job 'nobody' cannot be found.";
    is_refused(office.jobs.get(SUBSCRIPTION, GROUP, COLLECTION, "nobody").await, 404, "NotFound", words);
    is_refused(office.jobs.run(SUBSCRIPTION, GROUP, COLLECTION, "nobody").send().await, 404, "NotFound", words);
    is_refused(office.jobs.delete(SUBSCRIPTION, GROUP, COLLECTION, "nobody").send().await, 404, "NotFound", words);
}

pub async fn missing_collection(office: &Office) {
    let found = office.collections.get(SUBSCRIPTION, GROUP, "nothing").await;
    let words = "'Microsoft.Scheduler/jobcollections/nothing' under resource group 'rust' was not found.";
    is_refused(found, 404, "ResourceNotFound", words);
}

pub async fn full_collection(office: &Office) {
    let properties = JobCollectionProperties {
        sku: Some(Sku { name: Some(sku::Name::Standard) }),
        quota: Some(JobCollectionQuota { max_job_count: Some(1), ..JobCollectionQuota::new() }),
        state: None,
    };
    let definition = JobCollectionDefinition { properties: Some(properties), ..JobCollectionDefinition::new() };
    office.collections.create_or_update(SUBSCRIPTION, GROUP, "small", definition).await.unwrap();
    let job =
        JobProperties { start_time: Some(actions::start()), action: Some(actions::http()), ..JobProperties::new() };
    office.put_into("small", "first", job.clone()).await.unwrap();
    let second = office.put_into("small", "second", job).await;
    is_refused(second, 409, "ConflictError", "has reached its quota of '1' jobs");
}

pub async fn wrong_job(office: &Office) {
    let recurrence = JobRecurrence {
        frequency: Some(job_recurrence::Frequency::Day),
        schedule: Some(JobRecurrenceSchedule { hours: vec![24], ..JobRecurrenceSchedule::new() }),
        ..JobRecurrence::new()
    };
    let job = JobProperties { action: Some(actions::http()), recurrence: Some(recurrence), ..JobProperties::new() };
    is_refused(office.put("wrong", job).await, 400, "BadRequest", "properties.recurrence.schedule.hours");
}

pub async fn wrong_token(_: &Office) {
    let stranger = Office::with_token("punctual_nobody");
    let found = stranger.collections.get(SUBSCRIPTION, GROUP, COLLECTION).await;
    is_refused(found, 401, "AuthenticationFailed", "Authentication failed");
}
