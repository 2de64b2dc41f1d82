//! What goes out: as recorded, in each dialect, without secrets; and what is written is read back as it was.

use insta::assert_snapshot;
use proptest::prelude::*;
use punctual_model::Name;
use punctual_model::action::{Action, Secret};
use punctual_model::collection::{Collection, CollectionState};
use punctual_model::health::Health;
use punctual_model::job::{Counters, Definition, State};
use punctual_model::labels::Labels;
use punctual_model::time::Timestamp;

use super::super::view::{CollectionView, JobView, Writer};
use super::super::{Dialect, Extent, Json, Unknown, parse_collection_json, parse_job, parse_job_json};
use super::pfx;
use crate::status::{JobStatus, LastAttempt};

const LAST_FRIDAY: &str = r#"{"properties": {
    "startTime": "2016-03-30T20:39:53.8021951Z",
    "action": {
        "type": "Http",
        "request": {
            "uri": "http://www.bing.com/?a=%2d%2f", "method": "get", "body": "some body",
            "headers": {"Content-Type": "application/xml"},
            "authentication": {"type": "basic", "username": "ann", "password": "hunter2"}
        },
        "retryPolicy": {"retryType": "Fixed", "retryInterval": "00:01:00", "retryCount": 2},
        "errorAction": {
            "type": "ServiceBusTopic",
            "serviceBusTopicMessage": {
                "topicPath": "t1", "namespace": "ns", "transportType": "NetMessaging", "message": "m",
                "authentication": {"sasKeyName": "policy", "sasKey": "hunter2", "type": "SharedAccessKey"},
                "brokeredMessageProperties": {"label": "l", "timeToLive": "PT5M"},
                "customMessageProperties": {"appname": "x"}
            }
        }
    },
    "recurrence": {
        "frequency": "Month", "count": 5, "endTime": "2020-10-10T10:10:10Z", "timeZone": "Europe/Prague",
        "schedule": {"hours": [5], "minutes": [0], "monthlyOccurrences": [{"day": "Friday", "Occurrence": -1}]}
    },
    "options": {"timeout": "PT5M", "overlap": "allow", "success": {"status": [200, "2xx"], "bodyContains": "ok"}}
}}"#;

const QUEUE: &str = r#"{"action": {"type": "storageQueue", "queueMessage": {
    "storageAccount": "myStorageAccount", "queueName": "myqueue", "sasToken": "hunter2", "message": "hi", "format": "raw",
    "timeToLive": "P1D", "visibilityDelay": "PT10S"}},
    "recurrence": {"frequency": "year", "schedule": {"months": [2], "monthDays": [29, -1]}}}"#;

fn definition(text: &str) -> Definition {
    completed(parse_job(text).unwrap().value.definition, None)
}

fn completed(input: Definition<Option<Secret>>, stored: Option<&Action>) -> Definition {
    let Definition { start, action, recurrence, options } = input;
    Definition { start, action: action.complete(stored).unwrap(), recurrence, options }
}

fn write(definition: &Definition, state: State, counters: Counters, writer: &Writer) -> Json {
    let (collection, name) = (Name::parse("Sdk-Test").unwrap(), Name::parse("job1").unwrap());
    let status = JobStatus {
        counters,
        health: Health::default(),
        next: Timestamp::from_seconds(1_459_990_800),
        outcome: None,
        waiting_until: None,
        owed_runs: 0,
        held_by: None,
        last: LastAttempt::default(),
        disabled: None,
        backfill: None,
    };
    JobView {
        id: "/subscriptions/s",
        collection: &collection,
        name: &name,
        definition,
        state,
        labels: &Labels::default(),
        status: &status,
    }
    .write(writer)
}

fn shown(text: &str, dialect: Dialect, extent: Extent) -> String {
    let writer = Writer::new(dialect, extent);
    let json = write(&definition(text), State::Enabled, Counters::default(), &writer);
    let mut shown = serde_json::to_string_pretty(&json).unwrap();
    assert!(!shown.contains("hunter2"), "a secret came out");
    for warning in writer.into_warnings() {
        shown = format!("{shown}\n! {warning}");
    }
    shown
}

#[test]
fn a_job_as_recorded() {
    assert_snapshot!(shown(LAST_FRIDAY, Dialect::RECORDED, Extent::One), @r#"
    {
      "id": "/subscriptions/s",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "Sdk-Test/job1",
      "properties": {
        "startTime": "2016-03-30T20:39:53.8021951Z",
        "action": {
          "request": {
            "uri": "http://www.bing.com/?a=%2d%2f",
            "method": "get",
            "headers": {
              "Content-Type": "application/xml"
            },
            "body": "some body",
            "authentication": {
              "username": "ann",
              "type": "Basic"
            }
          },
          "type": "Http",
          "retryPolicy": {
            "retryType": "fixed",
            "retryInterval": "00:01:00",
            "retryCount": 2
          },
          "errorAction": {
            "serviceBusTopicMessage": {
              "topicPath": "t1",
              "namespace": "ns",
              "transportType": "netMessaging",
              "authentication": {
                "sasKeyName": "policy",
                "type": "sharedAccessKey"
              },
              "message": "m",
              "brokeredMessageProperties": {
                "label": "l",
                "timeToLive": "PT5M"
              },
              "customMessageProperties": {
                "appname": "x"
              }
            },
            "type": "ServiceBusTopic"
          }
        },
        "recurrence": {
          "frequency": "month",
          "timeZone": "Europe/Prague",
          "count": 5,
          "endTime": "2020-10-10T10:10:10Z",
          "interval": 1,
          "schedule": {
            "minutes": [
              0
            ],
            "hours": [
              5
            ],
            "monthlyOccurrences": [
              {
                "day": "friday",
                "occurrence": -1
              }
            ]
          }
        },
        "state": "enabled",
        "options": {
          "timeout": "PT5M",
          "overlap": "allow",
          "success": {
            "status": [
              "200",
              "2xx"
            ],
            "bodyContains": "ok"
          }
        },
        "status": {
          "nextExecutionTime": "2016-04-07T01:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
}

#[test]
fn a_job_as_described() {
    assert_snapshot!(shown(LAST_FRIDAY, Dialect::OPENAPI, Extent::One), @r#"
    {
      "id": "/subscriptions/s",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "Sdk-Test/job1",
      "properties": {
        "startTime": "2016-03-30T20:39:53.8021951Z",
        "action": {
          "request": {
            "uri": "http://www.bing.com/?a=%2d%2f",
            "method": "get",
            "headers": {
              "Content-Type": "application/xml"
            },
            "body": "some body",
            "authentication": {
              "username": "ann",
              "type": "Basic"
            }
          },
          "type": "Http",
          "retryPolicy": {
            "retryType": "Fixed",
            "retryInterval": "PT1M",
            "retryCount": 2
          },
          "errorAction": {
            "serviceBusTopicMessage": {
              "topicPath": "t1",
              "namespace": "ns",
              "transportType": "NetMessaging",
              "authentication": {
                "sasKeyName": "policy",
                "type": "SharedAccessKey"
              },
              "message": "m",
              "brokeredMessageProperties": {
                "label": "l",
                "timeToLive": "PT5M"
              },
              "customMessageProperties": {
                "appname": "x"
              }
            },
            "type": "ServiceBusTopic"
          }
        },
        "recurrence": {
          "frequency": "Month",
          "timeZone": "Europe/Prague",
          "count": 5,
          "endTime": "2020-10-10T10:10:10Z",
          "interval": 1,
          "schedule": {
            "minutes": [
              0
            ],
            "hours": [
              5
            ],
            "monthlyOccurrences": [
              {
                "day": "Friday",
                "Occurrence": -1
              }
            ]
          }
        },
        "state": "Enabled",
        "options": {
          "timeout": "PT5M",
          "overlap": "allow",
          "success": {
            "status": [
              "200",
              "2xx"
            ],
            "bodyContains": "ok"
          }
        },
        "status": {
          "nextExecutionTime": "2016-04-07T01:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    "#);
}

#[test]
fn what_a_client_does_not_know_is_left_out_and_named() {
    assert_snapshot!(shown(QUEUE, Dialect::OPENAPI, Extent::One), @r#"
    {
      "id": "/subscriptions/s",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "Sdk-Test/job1",
      "properties": {
        "action": {
          "queueMessage": {
            "storageAccount": "myStorageAccount",
            "queueName": "myqueue",
            "message": "hi",
            "format": "raw",
            "timeToLive": "P1D",
            "visibilityDelay": "PT10S"
          },
          "type": "StorageQueue"
        },
        "recurrence": {
          "interval": 1,
          "schedule": {
            "monthDays": [
              29,
              -1
            ],
            "months": [
              2
            ]
          }
        },
        "state": "Enabled",
        "status": {
          "nextExecutionTime": "2016-04-07T01:00:00Z",
          "executionCount": 0,
          "failureCount": 0,
          "faultedCount": 0
        }
      }
    }
    ! properties.recurrence.frequency: left out: this client does not know Year
    "#);
}

#[test]
fn each_client_reads_durations_its_own_way() {
    let agents = [
        "azsdk-python-mgmt-scheduler/7.0.0 Python/3.11.7",
        "python/3.11.7 msrest/0.7.1 msrest_azure/0.6.4 azure-mgmt-scheduler/2.0.0 Azure-SDK-For-Python",
        "azsdk-rust-mgmt-scheduler/0.21.0",
        "curl/7.88.1",
    ];
    let mut lines = Vec::new();
    for agent in agents {
        let dialect = Dialect::of_client(agent).unwrap_or(Dialect::RECORDED);
        for extent in [Extent::One, Extent::List] {
            let text = shown(LAST_FRIDAY, dialect, extent);
            let interval = text.lines().find(|line| line.contains("retryInterval")).unwrap().trim();
            lines.push(format!("{extent:?}: {interval} {}", agent.split(' ').next().unwrap()));
        }
    }
    assert_snapshot!(lines.join("\n"), @r#"
    One: "retryInterval": "PT1M", azsdk-python-mgmt-scheduler/7.0.0
    List: "retryInterval": "PT1M", azsdk-python-mgmt-scheduler/7.0.0
    One: "retryInterval": "00:01:00", python/3.11.7
    List: "retryInterval": "PT1M", python/3.11.7
    One: "retryInterval": "PT1M", azsdk-rust-mgmt-scheduler/0.21.0
    List: "retryInterval": "PT1M", azsdk-rust-mgmt-scheduler/0.21.0
    One: "retryInterval": "00:01:00", curl/7.88.1
    List: "retryInterval": "00:01:00", curl/7.88.1
    "#);
    assert_eq!(Dialect::named("OpenAPI"), Some(Dialect::OPENAPI));
    assert_eq!(Dialect::named("else"), None);
}

#[test]
fn a_certificate_shows_what_it_is_and_not_what_it_holds() {
    let text = r#"{"action": {"request": {"uri": "https://example.com",
        "authentication": {"type": "ClientCertificate", "pfx": "FILE", "password": "secret"}}}}"#;
    let definition = definition(&text.replace("FILE", &pfx("aes128")));
    let python = Dialect::of_client("azsdk-python-mgmt-scheduler/7.0.0").unwrap();
    let lines = [Dialect::RECORDED, Dialect::OPENAPI, python].map(|dialect| {
        let writer = Writer::new(dialect, Extent::One);
        let json = write(&definition, State::Enabled, Counters::default(), &writer);
        let text = serde_json::to_string(&json).unwrap();
        text[text.find("\"authentication\"").unwrap()..text.find("},\"type\":\"Http").unwrap()].to_owned()
    });
    assert_snapshot!(lines.join("\n"), @r#"
    "authentication":{"certificateThumbprint":"1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484","certificateExpiration":"2126-10-22T11:50:51Z","certificateSubjectName":"CN=P-256.example","type":"ClientCertificate"}
    "authentication":{"certificateThumbprint":"1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484","certificateExpirationDate":"2126-10-22T11:50:51Z","certificateSubjectName":"CN=P-256.example","type":"ClientCertificate"}
    "authentication":{"certificateThumbprint":"1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484","certificateExpiration":"2126-10-22T11:50:51Z","certificateExpirationDate":"2126-10-22T11:50:51Z","certificateSubjectName":"CN=P-256.example","type":"ClientCertificate"}
    "#);
}

#[test]
fn a_signed_job_does_not_show_its_key() {
    let text = r#"{"action": {"request": {"uri": "https://example.com"}},
        "options": {"sign": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}}"#;
    let options = |writer: Writer| {
        let json = write(&definition(text), State::Enabled, Counters::default(), &writer);
        let json = serde_json::to_string(&json).unwrap();
        json.split(r#""options":"#).nth(1).and_then(|rest| rest.split(r#","status""#).next()).unwrap().to_owned()
    };
    assert_snapshot!(options(Writer::new(Dialect::RECORDED, Extent::One)), @r#"{"sign":{}}"#);
    assert_snapshot!(options(Writer::for_reader(Dialect::OPENAPI, Extent::One, false)), @r#"{"sign":{}}"#);
}

#[test]
fn a_disabled_job_that_never_ran_has_no_status() {
    let definition = definition(r#"{"action": {"request": {"uri": "http://example.com"}}}"#);
    let never = write(&definition, State::Disabled, Counters::default(), &Writer::new(Dialect::RECORDED, Extent::One));
    assert_snapshot!(serde_json::to_string(&never).unwrap(), @r#"{"id":"/subscriptions/s","type":"Microsoft.Scheduler/jobCollections/jobs","name":"Sdk-Test/job1","properties":{"action":{"request":{"uri":"http://example.com","method":"GET"},"type":"Http"},"state":"disabled"}}"#);
    let counters = Counters { executions: 5, failures: 5, faulted: 1, last_started: Timestamp::from_seconds(0) };
    let once = write(&definition, State::Faulted, counters, &Writer::new(Dialect::RECORDED, Extent::One));
    assert_snapshot!(serde_json::to_string(&once).unwrap(), @r#"{"id":"/subscriptions/s","type":"Microsoft.Scheduler/jobCollections/jobs","name":"Sdk-Test/job1","properties":{"action":{"request":{"uri":"http://example.com","method":"GET"},"type":"Http"},"state":"faulted","status":{"lastExecutionTime":"1970-01-01T00:00:00Z","nextExecutionTime":"2016-04-07T01:00:00Z","executionCount":5,"failureCount":5,"faultedCount":1}}}"#);
}

#[test]
fn a_collection_as_recorded() {
    let text = r#"{"location": "South Central US", "tags": {"a": "b"}, "properties": {"sku": {"name": "P20Premium"},
        "quota": {"maxJobCount": 20, "maxRecurrence": {"frequency": "Week", "interval": 1}}}}"#;
    let input = parse_collection_json(&Json::parse(text).unwrap(), Unknown::Warned).unwrap().value;
    let collection = Collection {
        name: Name::parse("Jc1").unwrap(),
        location: input.location,
        tags: input.tags.unwrap_or_default(),
        sku: input.sku,
        state: CollectionState::Suspended,
        quota: input.quota,
    };
    let writer = Writer::new(Dialect::RECORDED, Extent::One);
    let json = CollectionView { id: "/subscriptions/s", collection: &collection }.write(&writer);
    assert_snapshot!(serde_json::to_string_pretty(&json).unwrap(), @r#"
    {
      "id": "/subscriptions/s",
      "type": "Microsoft.Scheduler/jobCollections",
      "name": "Jc1",
      "location": "South Central US",
      "tags": {
        "a": "b"
      },
      "properties": {
        "sku": {
          "name": "P20Premium"
        },
        "state": "Suspended",
        "quota": {
          "maxJobCount": 20,
          "maxRecurrence": {
            "frequency": "week",
            "interval": 1
          }
        }
      }
    }
    "#);
}

proptest! {
    /// What a partial edit is laid over is what was read, but for its secrets, whatever the dialect of the client that
    /// wrote it.
    #[test]
    fn what_is_written_is_read_back(which in 0..3_usize, is_time_span in any::<bool>(), count in 1..20_i64) {
        let texts = [LAST_FRIDAY, QUEUE, r#"{"action": {"request": {"uri": "https://example.com", "authentication":
            {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c", "secret": "hunter2"}}}}"#];
        let interval = if is_time_span { "00:01:00" } else { "PT1M" };
        let text = texts[which].replace("00:01:00", interval).replace("\"count\": 5", &format!("\"count\": {count}"));
        let written = definition(&text);
        let json = write(&written, State::Enabled, Counters::default(), &Writer::of_stored());
        let read = parse_job_json(&json, Unknown::Warned).unwrap().value.definition;
        prop_assert_eq!(&completed(read, Some(&written.action)), &written);
    }
}
