//! The three other actions.

use insta::assert_snapshot;

use super::put_part;
use crate::server::Server;

#[tokio::test]
async fn storage_queue() {
    let server = Server::start().await;
    let text = r#""action": {
   "type": "storageQueue",
   "queueMessage": {
      "storageAccount": "myStorageAccount",
      "queueName": "myqueue",
      "sasToken": "TOKEN",
      "message": "My message body"
    }
}"#;
    assert_snapshot!(put_part(&server, text).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    warning: 299 punctual "action.queueMessage.sasToken: the service will refuse it: it has no sig, which is the signature itself"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/example0",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/example0",
      "properties": {
        "action": {
          "queueMessage": {
            "storageAccount": "myStorageAccount",
            "queueName": "myqueue",
            "message": "My message body"
          },
          "type": "StorageQueue"
        },
        "state": "enabled",
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
async fn service_bus_queue() {
    let server = Server::start().await;
    let text = r#""action": {
   "type": "serviceBusQueue",
   "serviceBusQueueMessage": {
      "queueName": "q1",
      "namespace": "mySBNamespace",
      "transportType": "netMessaging",
      "authentication": {
         "sasKeyName": "QPolicy",
         "type": "sharedAccessKey"
      },
      "message": "Some message",
      "brokeredMessageProperties": {},
      "customMessageProperties": {
         "appname": "FromScheduler"
      }
   }
}"#;
    assert_snapshot!(put_part(&server, text).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/example0",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/example0",
      "properties": {
        "action": {
          "serviceBusQueueMessage": {
            "queueName": "q1",
            "namespace": "mySBNamespace",
            "transportType": "netMessaging",
            "authentication": {
              "sasKeyName": "QPolicy",
              "type": "sharedAccessKey"
            },
            "message": "Some message",
            "customMessageProperties": {
              "appname": "FromScheduler"
            }
          },
          "type": "ServiceBusQueue"
        },
        "state": "enabled",
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
async fn service_bus_topic() {
    let server = Server::start().await;
    let text = r#""action": {
   "type": "serviceBusTopic",
   "serviceBusTopicMessage": {
      "topicPath": "t1",
      "namespace": "mySBNamespace",
      "transportType": "netMessaging",
      "authentication": {
         "sasKeyName": "QPolicy",
         "type": "sharedAccessKey"
      },
      "message": "Some message",
      "brokeredMessageProperties": {},
      "customMessageProperties": {
         "appname": "FromScheduler"
      }
   }
}"#;
    assert_snapshot!(put_part(&server, text).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/example0",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/example0",
      "properties": {
        "action": {
          "serviceBusTopicMessage": {
            "topicPath": "t1",
            "namespace": "mySBNamespace",
            "transportType": "netMessaging",
            "authentication": {
              "sasKeyName": "QPolicy",
              "type": "sharedAccessKey"
            },
            "message": "Some message",
            "customMessageProperties": {
              "appname": "FromScheduler"
            }
          },
          "type": "ServiceBusTopic"
        },
        "state": "enabled",
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
