//! What the original never had.

use futures::TryStreamExt;
use serde_json::json;

use crate::office::{GROUP, Office, SUBSCRIPTION, is_refused, warning};

/// The server leaves out what is not in the client's enums. What is written back without it must
/// not change a job silently.
pub async fn nothing_changes_silently(office: &Office) {
    office.plain.put("jobCollections/beyond", &json!({"location": "westus"})).await;
    let action = json!({"request": {"uri": "https://example.test/"}});
    let retry_policy = json!({"retryType": "Exponential", "retryInterval": "PT1M"});
    let patient = json!({"request": {"uri": "https://example.test/"}, "retryPolicy": retry_policy});
    let made = [
        ("cron", &action, json!({"cron": "0 6 * * 1-5"})),
        ("patient", &patient, json!({"frequency": "Day"})),
        ("yearly", &action, json!({"frequency": "Year"})),
    ];
    for (name, action, recurrence) in made {
        let properties = json!({"startTime": "2037-01-02", "action": action, "recurrence": recurrence});
        office.plain.put(&format!("jobCollections/beyond/jobs/{name}"), &json!({"properties": properties})).await;
    }
    let pages = office.jobs.list(SUBSCRIPTION, GROUP, "beyond").into_stream();
    let pages: Vec<_> = pages.try_collect().await.unwrap();
    let names: Vec<_> = pages.into_iter().flat_map(|page| page.value).filter_map(|job| job.name).collect();
    assert_eq!(names, ["beyond/cron", "beyond/patient", "beyond/yearly"]);
    for name in ["cron", "yearly"] {
        let read = office.jobs.get(SUBSCRIPTION, GROUP, "beyond", name).await.unwrap();
        let written = office.put_into("beyond", name, read.properties.unwrap()).await;
        is_refused(written, 400, "BadRequest", "properties.recurrence.frequency");
    }
    // Retries without a kind are Fixed: this one is obeyed, and said.
    let read = office.jobs.get(SUBSCRIPTION, GROUP, "beyond", "patient").await.unwrap();
    let written = office.jobs.create_or_update(SUBSCRIPTION, GROUP, "beyond", "patient", read).send().await.unwrap();
    let warning = warning(written.as_raw_response());
    assert!(warning.contains("properties.action.retryPolicy.retryType Exponential: dropped"), "{warning}");
}
