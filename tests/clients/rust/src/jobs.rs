//! The seven operations on jobs.

use azure_mgmt_scheduler::package_2016_03::models::*;
use futures::TryStreamExt;
use serde_json::json;

use crate::actions::{self, instant, text};
use crate::office::{COLLECTION, GROUP, Office, SUBSCRIPTION, is_refused};

/// More than one page of the server holds.
const MANY: usize = 510;

pub async fn create_http(office: &Office) {
    create(office, "http", actions::http(), None, |_| {}).await;
}

pub async fn create_https_basic(office: &Office) {
    create(office, "basic", actions::https_basic(), None, |action| {
        if let Some(HttpAuthenticationUnion::Basic(basic)) = authentication(action) {
            basic.password = None;
        }
    })
    .await;
}

pub async fn create_https_oauth(office: &Office) {
    create(office, "oauth", actions::https_oauth(), None, |action| {
        if let Some(HttpAuthenticationUnion::ActiveDirectoryOAuth(oauth)) = authentication(action) {
            oauth.secret = None;
        }
    })
    .await;
}

fn authentication(action: &mut JobAction) -> Option<&mut HttpAuthenticationUnion> {
    action.request.as_mut()?.authentication.as_mut()
}

pub async fn create_storage_queue(office: &Office) {
    create(office, "queue", actions::storage_queue(), None, |action| {
        action.queue_message.as_mut().unwrap().sas_token = None;
    })
    .await;
}

pub async fn create_service_bus_queue(office: &Office) {
    create(office, "bus-queue", actions::service_bus_queue(), None, |action| {
        let message = action.service_bus_queue_message.as_mut().unwrap();
        message.service_bus_message.authentication.as_mut().unwrap().sas_key = None;
    })
    .await;
}

pub async fn create_service_bus_topic(office: &Office) {
    create(office, "bus-topic", actions::service_bus_topic(), None, |action| {
        let message = action.service_bus_topic_message.as_mut().unwrap();
        message.service_bus_message.authentication.as_mut().unwrap().sas_key = None;
    })
    .await;
}

pub async fn create_retries(office: &Office) {
    create(office, "retries", actions::with_retries_and_error_action(), None, |action| {
        action.error_action.as_mut().unwrap().queue_message.as_mut().unwrap().sas_token = None;
    })
    .await;
}

pub async fn create_weekly(office: &Office) {
    let schedule = JobRecurrenceSchedule {
        week_days: vec!["Monday".to_owned(), "Thursday".to_owned()],
        hours: vec![7, 19],
        minutes: vec![0, 45],
        ..JobRecurrenceSchedule::new()
    };
    let recurrence = JobRecurrence {
        frequency: Some(job_recurrence::Frequency::Week),
        interval: Some(2),
        count: Some(5),
        end_time: Some(actions::end()),
        schedule: Some(schedule),
    };
    create(office, "weekly", actions::http(), Some(recurrence), |_| {}).await;
}

pub async fn create_monthly(office: &Office) {
    let occurrence = JobRecurrenceScheduleMonthlyOccurrence {
        day: Some(job_recurrence_schedule_monthly_occurrence::Day::Friday),
        occurrence: Some(-1),
    };
    let schedule = JobRecurrenceSchedule {
        month_days: vec![1, -1],
        monthly_occurrences: vec![occurrence],
        ..JobRecurrenceSchedule::new()
    };
    let recurrence = JobRecurrence {
        frequency: Some(job_recurrence::Frequency::Month),
        interval: Some(1),
        schedule: Some(schedule),
        ..JobRecurrence::new()
    };
    create(office, "monthly", actions::http(), Some(recurrence), |_| {}).await;
}

/// Makes a job. Except for the secrets, which `hide` takes away, the answer and what is read are what was sent.
async fn create(
    office: &Office,
    name: &str,
    action: JobAction,
    recurrence: Option<JobRecurrence>,
    hide: impl Fn(&mut JobAction),
) {
    let mut sent = JobProperties {
        start_time: Some(actions::start()),
        action: Some(action),
        recurrence,
        state: Some(JobState::Enabled),
        status: None,
    };
    let answer = office.put(name, sent.clone()).await.unwrap();
    assert_eq!(answer.name, Some(format!("{COLLECTION}/{name}")));
    assert_eq!(answer.type_, text("Microsoft.Scheduler/jobCollections/jobs"));
    hide(sent.action.as_mut().unwrap());
    for mut shown in [answer.properties.unwrap(), office.get(name).await] {
        shown.status = None;
        assert_eq!(shown, sent);
    }
}

pub async fn get(office: &Office) {
    let status = JobStatus {
        execution_count: Some(0),
        failure_count: Some(0),
        faulted_count: Some(0),
        last_execution_time: None,
        // The last Friday, at the time of day of the start.
        next_execution_time: Some(instant("2037-01-30T10:20:30.123Z")),
    };
    assert_eq!(office.get("monthly").await.status, Some(status));
}

/// The client sends `null` for a start that is not given, and means nothing by it.
pub async fn patch(office: &Office) {
    let before = office.get("weekly").await;
    let change = JobProperties { state: Some(JobState::Disabled), ..JobProperties::new() };
    let after = office.patch("weekly", change).await;
    // A job that is disabled and never ran has nothing to say of itself.
    assert_eq!(after, JobProperties { state: Some(JobState::Disabled), status: None, ..before });
}

pub async fn list(office: &Office) {
    let pages = office.jobs.list(SUBSCRIPTION, GROUP, COLLECTION).into_stream();
    let jobs = collect(pages.try_collect().await);
    let expected = ["basic", "bus-queue", "bus-topic", "http", "monthly", "oauth", "queue", "retries", "weekly"];
    assert_eq!(names(&jobs), expected);
    let retries = jobs[7].properties.clone().unwrap().action.unwrap().retry_policy.unwrap();
    assert_eq!(retries.retry_interval, text(actions::RETRY_INTERVAL));
}

pub async fn list_top_and_skip(office: &Office) {
    let pages = office.jobs.list(SUBSCRIPTION, GROUP, COLLECTION).top(2).skip(3).into_stream();
    assert_eq!(names(&collect(pages.try_collect().await)), ["http", "monthly"]);
}

pub async fn list_filter(office: &Office) {
    let pages = office.jobs.list(SUBSCRIPTION, GROUP, COLLECTION).filter("state eq 'Disabled'").into_stream();
    assert_eq!(names(&collect(pages.try_collect().await)), ["weekly"]);
    let list = office.jobs.list(SUBSCRIPTION, GROUP, COLLECTION).top(100);
    let pages = list.filter("state eq 'enabled'").into_stream();
    assert_eq!(collect(pages.try_collect().await).len(), 8);
}

pub async fn run(office: &Office) {
    office.jobs.run(SUBSCRIPTION, GROUP, COLLECTION, "http").send().await.unwrap();
}

pub async fn list_history(office: &Office) {
    let history = office.jobs.list_job_history(SUBSCRIPTION, GROUP, COLLECTION, "http").top(10).skip(0);
    let pages: Vec<_> = history.into_stream().try_collect().await.unwrap();
    for record in pages.into_iter().flat_map(|page| page.value) {
        let properties = record.properties.unwrap();
        assert!(properties.start_time.is_some());
        assert_eq!(properties.action_name, Some(job_history_definition_properties::ActionName::MainAction));
    }
    let history = office.jobs.list_job_history(SUBSCRIPTION, GROUP, COLLECTION, "http");
    let pages: Vec<_> = history.filter("status eq 'Completed'").into_stream().try_collect().await.unwrap();
    // Nobody answers at the address of this job.
    assert!(pages.iter().all(|page| page.value.is_empty()), "{pages:?}");
}

pub async fn delete(office: &Office) {
    office.jobs.delete(SUBSCRIPTION, GROUP, COLLECTION, "oauth").send().await.unwrap();
    let found = office.jobs.get(SUBSCRIPTION, GROUP, COLLECTION, "oauth").await;
    is_refused(found, 404, "NotFound", "oauth");
}

pub async fn list_many(office: &Office) {
    office.plain.put("jobCollections/many", &json!({"location": "westus"})).await;
    let action = json!({"request": {"uri": "https://example.test/"}});
    let job = json!({"properties": {"startTime": "2037-01-02", "action": action}});
    let wanted: Vec<String> = (0..MANY).map(|number| format!("job-{number:03}")).collect();
    for name in &wanted {
        office.plain.put(&format!("jobCollections/many/jobs/{name}"), &job).await;
    }
    let pages = office.jobs.list(SUBSCRIPTION, GROUP, "many").into_stream();
    assert_eq!(names(&collect(pages.try_collect().await)), wanted);
}

fn collect(pages: azure_core::Result<Vec<JobListResult>>) -> Vec<JobDefinition> {
    pages.unwrap().into_iter().flat_map(|page| page.value).collect()
}

/// Their names, without that of their collection.
fn names(jobs: &[JobDefinition]) -> Vec<&str> {
    jobs.iter().map(|job| job.name.as_deref().and_then(|name| name.split('/').nth(1)).unwrap_or_default()).collect()
}
