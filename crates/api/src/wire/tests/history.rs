//! Lines of history, in each dialect.

use insta::assert_snapshot;
use punctual_model::Name;
use punctual_model::history::{NotRun, Reason, Record, Status};
use punctual_model::occurrence::{OccurrenceId, Origin, Phase};
use punctual_model::time::{DateTime, Timestamp, Zone};

use super::super::view::{HistoryView, Writer};
use super::super::{Dialect, Extent};

fn at(text: &str) -> Timestamp {
    DateTime::parse(text).unwrap().resolve(Zone::utc()).instant()
}

/// The one that was recorded, but for how it went.
fn record(status: Status) -> Record {
    Record {
        started: at("2015-11-13T23:17:02.4047908Z"),
        ended: at("2015-11-13T23:17:02.4984965Z"),
        occurrence: OccurrenceId::from_bytes([0x2a; 16]),
        origin: Origin::Schedule,
        phase: Phase::Main,
        retry: 0,
        repeat: 9,
        status,
        is_resent: false,
        retry_at: None,
        message: "Http Action - Response from host 'example.com': 'ServiceUnavailable'".to_owned(),
        failure: None,
    }
}

fn shown(record: &Record, dialect: Dialect) -> String {
    let (collection, job) = (Name::parse("sdk-test").unwrap(), Name::parse("http_job").unwrap());
    let key = "02519548441775952091:09223372036853986554";
    let view = HistoryView {
        job_id: "/subscriptions/s/jobs/http_job",
        collection: &collection,
        job: &job,
        key,
        record,
        is_duplicate: false,
        pause: None,
    };
    serde_json::to_string_pretty(&view.write(&Writer::new(dialect, Extent::List))).unwrap()
}

#[test]
fn a_failed_attempt_as_recorded() {
    let record = record(Status::Failed(at("2015-11-13T23:17:00Z")));
    assert_snapshot!(shown(&record, Dialect::RECORDED), @r#"
    {
      "id": "/subscriptions/s/jobs/http_job/history/02519548441775952091:09223372036853986554",
      "type": "Microsoft.Scheduler/jobCollections/jobs/history",
      "name": "sdk-test/http_job/02519548441775952091:09223372036853986554",
      "properties": {
        "startTime": "2015-11-13T23:17:02.4047908Z",
        "endTime": "2015-11-13T23:17:02.4984965Z",
        "expectedExecutionTime": "2015-11-13T23:17:00Z",
        "status": "failed",
        "message": "Http Action - Response from host 'example.com': 'ServiceUnavailable'",
        "retryCount": 0,
        "repeatCount": 9,
        "actionName": "MainAction",
        "executionTag": "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a"
      }
    }
    "#);
}

#[test]
fn an_attempt_of_the_error_action_that_was_sent_again() {
    let status = Status::Failed(at("2015-11-13T23:17:00Z"));
    let record = Record { phase: Phase::Error, retry: 2, is_resent: true, ..record(status) };
    assert_snapshot!(shown(&record, Dialect::OPENAPI), @r#"
    {
      "id": "/subscriptions/s/jobs/http_job/history/02519548441775952091:09223372036853986554",
      "type": "Microsoft.Scheduler/jobCollections/jobs/history",
      "name": "sdk-test/http_job/02519548441775952091:09223372036853986554",
      "properties": {
        "startTime": "2015-11-13T23:17:02.4047908Z",
        "endTime": "2015-11-13T23:17:02.4984965Z",
        "expectedExecutionTime": "2015-11-13T23:17:00Z",
        "status": "Failed",
        "message": "Http Action - Response from host 'example.com': 'ServiceUnavailable'",
        "retryCount": 2,
        "repeatCount": 9,
        "actionName": "ErrorAction",
        "executionTag": "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a",
        "resent": true
      }
    }
    "#);
}

#[test]
fn the_recorded_dialect_says_nothing_of_what_went_well() {
    let record = record(Status::Completed(at("2015-11-13T23:17:00Z")));
    assert!(!shown(&record, Dialect::RECORDED).contains("\"status\""));
    assert!(shown(&record, Dialect::OPENAPI).contains("\"status\": \"Completed\""));
}

#[test]
fn times_that_were_not_run() {
    let (first, last) = (at("2015-11-13T20:00:00Z"), at("2015-11-13T23:00:00Z"));
    let range = NotRun { first, last, number: 4, reason: Reason::Overlap };
    let record =
        Record { message: "an earlier occurrence was still running".to_owned(), ..record(Status::Postponed(range)) };
    assert_snapshot!(shown(&record, Dialect::RECORDED), @r#"
    {
      "id": "/subscriptions/s/jobs/http_job/history/02519548441775952091:09223372036853986554",
      "type": "Microsoft.Scheduler/jobCollections/jobs/history",
      "name": "sdk-test/http_job/02519548441775952091:09223372036853986554",
      "properties": {
        "startTime": "2015-11-13T23:17:02.4047908Z",
        "endTime": "2015-11-13T23:17:02.4984965Z",
        "expectedExecutionTime": "2015-11-13T23:00:00Z",
        "status": "postponed",
        "message": "an earlier occurrence was still running",
        "retryCount": 0,
        "repeatCount": 9,
        "actionName": "MainAction",
        "executionTag": "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a",
        "notRun": {
          "first": "2015-11-13T20:00:00Z",
          "last": "2015-11-13T23:00:00Z",
          "number": 4,
          "reason": "overlap"
        }
      }
    }
    "#);
    assert!(shown(&record, Dialect::OPENAPI).contains("\"status\": \"Postponed\""));
}

#[test]
fn a_failure_in_plain_words() {
    let failed = record(Status::Failed(Timestamp::EPOCH));
    let shown = |record: &Record| {
        let json = shown(record, Dialect::PLAIN);
        json.lines().filter(|line| line.contains("status") || line.contains("retryTime")).collect::<String>()
    };
    assert_snapshot!(shown(&failed), @r#"  "status": "givenUp","#);
    assert_snapshot!(shown(&Record { retry_at: Timestamp::from_seconds(30), ..failed }), @r#"  "status": "failed",  "retryTime": "1970-01-01T00:00:30Z","#);
}
