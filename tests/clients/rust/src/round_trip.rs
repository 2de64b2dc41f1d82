//! What is left of a job that a client reads and writes back without knowing all of it.

use azure_mgmt_scheduler::package_2016_03::models::*;
use serde_json::{Value, json};

use crate::actions::{instant, text};
use crate::office::{COLLECTION, GROUP, Office, SUBSCRIPTION, is_refused, warning};

const PATH: &str = "jobCollections/Office/jobs/friday";

pub async fn nothing_is_lost(office: &Office) {
    office.plain.put(PATH, &last_friday()).await;
    let mut expected = office.plain.get(PATH).await["properties"].take();
    let properties = office.get("friday").await;
    // 17:30 in Berlin, in winter.
    let next = properties.status.as_ref().unwrap().next_execution_time;
    assert_eq!(next, Some(instant("2037-01-30T16:30:00Z")));
    let definition = JobDefinition { properties: Some(properties), ..JobDefinition::new() };
    let written = office.jobs.create_or_update(SUBSCRIPTION, GROUP, COLLECTION, "friday", definition);
    let written = written.send().await.unwrap();
    let warning = warning(written.as_raw_response());
    for words in ["properties.recurrence.timeZone", "properties.options.timeout", "2037-01-30T16:30:00Z"] {
        assert!(warning.contains(words), "{warning}");
    }
    expected.as_object_mut().unwrap().remove("options").unwrap();
    expected["recurrence"].as_object_mut().unwrap().remove("timeZone").unwrap();
    // Without the zone it is 17:30 of UTC.
    expected["status"]["nextExecutionTime"] = json!("2037-01-30T17:30:00Z");
    assert_eq!(office.plain.get(PATH).await["properties"], expected);
}

pub async fn credentials_are_kept(office: &Office) {
    let mut properties = office.get("friday").await;
    assert_eq!(basic(&mut properties), &BasicAuthentication { username: text("clerk"), password: None });
    office.patch("friday", JobProperties { state: Some(JobState::Disabled), ..JobProperties::new() }).await;
    // The same user name needs no password, since the stored one is kept; another one does.
    properties.action.as_mut().unwrap().request.as_mut().unwrap().body = text("changed");
    let mut written = office.put("friday", properties.clone()).await.unwrap().properties.unwrap();
    assert_eq!(basic(&mut written).username, text("clerk"));
    assert_eq!(written.action.unwrap().request.unwrap().body, text("changed"));
    basic(&mut properties).username = text("somebody else");
    let path = "properties.action.request.authentication.password";
    is_refused(office.put("friday", properties).await, 400, "BadRequest", path);
}

fn basic(properties: &mut JobProperties) -> &mut BasicAuthentication {
    let request = properties.action.as_mut().unwrap().request.as_mut().unwrap();
    match request.authentication.as_mut() {
        Some(HttpAuthenticationUnion::Basic(basic)) => basic,
        other => panic!("{other:?}"),
    }
}

fn last_friday() -> Value {
    json!({"properties": {
        "startTime": "2037-01-01T00:00:00",
        "action": {
            "type": "Https",
            "request": {
                "uri": "https://example.test/report",
                "method": "POST",
                "body": "{}",
                "headers": {"x-a": "1"},
                "authentication": {"type": "Basic", "username": "clerk", "password": "kept"},
            },
            "retryPolicy": {"retryType": "Fixed", "retryInterval": "PT1M", "retryCount": 3},
        },
        "recurrence": {
            "frequency": "Month",
            "timeZone": "Europe/Berlin",
            "schedule": {
                "hours": [17],
                "minutes": [30],
                "monthlyOccurrences": [{"day": "Friday", "occurrence": -1}],
            },
        },
        "options": {"timeout": "PT5M"},
    }})
}
