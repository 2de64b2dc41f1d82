//! The same job, as each client reads it.

use insta::assert_snapshot;
use punctual_api::wire::Dialect;
use serde_json::json;

use crate::answer::Answer;
use crate::server::{Server, collection};

/// The path that clients of the original use.
fn long(path: &str) -> String {
    format!("{}/jobs{path}?api-version=2016-03-01", collection("default"))
}

async fn with_job(server: &Server) {
    let job = json!({ "properties": {
        "action": { "type": "https", "request": { "uri": "https://example.com" }, "retryPolicy": { "retryType": "fixed", "retryInterval": "PT90S" } },
        "startTime": "2026-12-01T00:00:00Z",
        "recurrence": { "frequency": "Month", "schedule": { "monthlyOccurrences": [{ "day": "Friday", "occurrence": -1 }] } } } });
    assert_eq!(server.put("/v1/jobs/j", job).await.status(), 201);
}

/// What differs: the state, the unit, the retry, its interval, the member that says which Friday.
fn differences(answer: &Answer, base: &str) -> String {
    let at = |path: &str| answer.at(&format!("{base}/properties/{path}"));
    let friday = at("recurrence/schedule/monthlyOccurrences/0");
    let retry = at("action/retryPolicy");
    format!("{} {} {} {} {friday}", at("state"), at("recurrence/frequency"), retry["retryType"], retry["retryInterval"])
}

#[tokio::test]
async fn by_client() {
    let server = Server::start().await;
    with_job(&server).await;
    let mut table = Vec::new();
    for agent in [
        "curl/8.0",
        "FxVersion/4.6 OSName/Windows Microsoft.Azure.Management.Scheduler.SchedulerManagementClient/2.0.0.0",
        "python/3.5 msrest/0.4 azure-mgmt-scheduler/1.1.3 Azure-SDK-For-Python",
        "python/3.7 msrest/0.6 azure-mgmt-scheduler/2.0.0",
        "azsdk-python-mgmt-scheduler/7.0.0 Python/3.11",
        "azsdk-rust-mgmt_scheduler/0.21.0",
    ] {
        let one = server.call("GET", &long("/j")).header("user-agent", agent).send().await;
        let list = server.call("GET", &long("")).header("user-agent", agent).send().await;
        table.push(format!("{agent}\n  one  {}\n  list {}", differences(&one, ""), differences(&list, "/value/0")));
    }
    assert_snapshot!(table.join("\n"), @r#"
    curl/8.0
      one  "enabled" "month" "fixed" "PT90S" {"day":"friday","occurrence":-1}
      list "enabled" "month" "fixed" "PT90S" {"day":"friday","occurrence":-1}
    FxVersion/4.6 OSName/Windows Microsoft.Azure.Management.Scheduler.SchedulerManagementClient/2.0.0.0
      one  "enabled" "month" "fixed" "PT90S" {"day":"friday","occurrence":-1}
      list "enabled" "month" "fixed" "PT90S" {"day":"friday","occurrence":-1}
    python/3.5 msrest/0.4 azure-mgmt-scheduler/1.1.3 Azure-SDK-For-Python
      one  "enabled" "month" "fixed" "00:01:30" {"Occurrence":-1,"day":"friday"}
      list "enabled" "month" "fixed" "PT1M30S" {"Occurrence":-1,"day":"friday"}
    python/3.7 msrest/0.6 azure-mgmt-scheduler/2.0.0
      one  "enabled" "month" "fixed" "00:01:30" {"Occurrence":-1,"day":"friday"}
      list "enabled" "month" "fixed" "PT1M30S" {"Occurrence":-1,"day":"friday"}
    azsdk-python-mgmt-scheduler/7.0.0 Python/3.11
      one  "enabled" "month" "fixed" "PT1M30S" {"Occurrence":-1,"day":"friday"}
      list "enabled" "month" "fixed" "PT1M30S" {"Occurrence":-1,"day":"friday"}
    azsdk-rust-mgmt_scheduler/0.21.0
      one  "Enabled" "Month" "Fixed" "PT1M30S" {"Occurrence":-1,"day":"Friday"}
      list "Enabled" "Month" "Fixed" "PT1M30S" {"Occurrence":-1,"day":"Friday"}
    "#);
}

#[tokio::test]
async fn by_header_before_all_and_by_setting_after_all() {
    let server = Server::with(|settings| settings.dialect = Dialect::OPENAPI).await;
    with_job(&server).await;
    let state = async |headers: &[(&str, &str)]| {
        let call = server.call("GET", &long("/j"));
        let call = headers.iter().fold(call, |call, (name, value)| call.header(name, value));
        call.send().await.at("/properties/state")
    };
    assert_eq!(state(&[]).await, "Enabled");
    assert_eq!(state(&[("user-agent", "curl/8")]).await, "Enabled");
    assert_eq!(state(&[("x-punctual-dialect", "Recorded")]).await, "enabled");
    assert_eq!(state(&[("x-punctual-dialect", "recorded"), ("user-agent", "azsdk-rust-x")]).await, "enabled");
    assert_eq!(state(&[("user-agent", "azsdk-python-mgmt-scheduler/7.0.0")]).await, "enabled");
    let wrong = server.call("GET", "/v1/jobs/j").header("x-punctual-dialect", "klingon").send().await;
    assert_snapshot!(wrong.complaint(), @r#"400 BadRequest: x-punctual-dialect: Given "klingon", expected recorded, openapi or plain."#);
}

#[tokio::test]
async fn what_a_client_does_not_know_is_left_out_and_named() {
    let server = Server::start().await;
    let yearly =
        json!({ "action": { "request": { "uri": "https://example.com" } }, "recurrence": { "frequency": "year" } });
    server.put("/v1/jobs/j", yearly).await;
    let shown = server.call("GET", "/v1/jobs/j").header("x-punctual-dialect", "openapi").send().await;
    assert_snapshot!(shown, @r#"
    200 OK
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    warning: 299 punctual "properties.recurrence.frequency: left out: this client does not know Year"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/j",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/j",
      "properties": {
        "action": {
          "request": {
            "uri": "https://example.com",
            "method": "GET"
          },
          "type": "Https"
        },
        "recurrence": {
          "interval": 1
        },
        "state": "Enabled",
        "status": {
          "nextExecutionTime": "2026-11-15T12:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
}

#[tokio::test]
async fn what_was_read_in_any_dialect_may_be_written_back() {
    let server = Server::start().await;
    with_job(&server).await;
    for agent in ["curl", "azure-mgmt-scheduler/1.1", "azsdk-python-mgmt-scheduler/7.0.0", "azsdk-rust-x"] {
        let read = server.call("GET", &long("/j")).header("user-agent", agent).send().await;
        let written = server.put("/v1/jobs/j", read.json()).await;
        assert_eq!(written.status(), 200, "{agent}: {written}");
        assert_eq!(written.at("/properties/status"), read.at("/properties/status"), "{agent}");
    }
}
