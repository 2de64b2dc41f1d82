//! The comprehensive example, in both of its forms.

use insta::assert_snapshot;
use serde_json::json;

use super::put;
use crate::server::Server;

#[tokio::test]
async fn with_properties() {
    let server = Server::start().await;
    let text = r#"{
"properties": {
   "startTime": "2012-08-04T00:00Z",
   "action": {
      "type": "Http",
      "request": {
         "uri": "http://contoso.com/some-method",
         "method": "PUT",
         "body": "Posting from a timer",
         "headers": {
            "Content-Type": "application/json"
         },
         "retryPolicy": {
             "retryType": "None"
         }
      },
      "errorAction": {
         "type": "Http",
         "request": {
            "uri": "http://contoso.com/notifyError",
            "method": "POST"
         }
      }
   },
   "recurrence": {
      "frequency": "Week",
      "interval": 1,
      "schedule": {
         "weekDays": ["Monday", "Wednesday", "Friday"],
         "hours": [10, 22]
      },
      "count": 10,
      "endTime": "2012-11-04"
   },
   "state": "Disabled",
   "status": {
      "lastExecutionTime": "2007-03-01T13:00:00Z",
      "nextExecutionTime": "2007-03-01T14:00:00Z ",
      "executionCount": 3,
      "failureCount": 0,
      "faultedCount": 0
   }
}
}"#;
    assert_snapshot!(put(&server, text).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    warning: 299 punctual "properties.action.request.retryPolicy: taken as properties.action.retryPolicy; properties.recurrence.endTime: no occurrence is left up to 2012-11-04T00:00:00Z"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/example0",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/example0",
      "properties": {
        "startTime": "2012-08-04T00:00:00Z",
        "action": {
          "request": {
            "uri": "http://contoso.com/some-method",
            "method": "PUT",
            "headers": {
              "Content-Type": "application/json"
            },
            "body": "Posting from a timer"
          },
          "type": "Http",
          "retryPolicy": {
            "retryType": "none"
          },
          "errorAction": {
            "request": {
              "uri": "http://contoso.com/notifyError",
              "method": "POST"
            },
            "type": "Http"
          }
        },
        "recurrence": {
          "frequency": "week",
          "count": 10,
          "endTime": "2012-11-04T00:00:00Z",
          "interval": 1,
          "schedule": {
            "hours": [
              10,
              22
            ],
            "weekDays": [
              "monday",
              "wednesday",
              "friday"
            ]
          }
        },
        "state": "disabled"
      }
    }
    "#);
}

const WITHOUT_PROPERTIES: &str = r#"{
        "startTime": "2012-08-04T00:00Z",
        "action":
        {
            "type": "http",
            "retryPolicy": { "retryType":"none" },
            "request":
            {
                "uri": "http://contoso.com/foo",
                "method": "PUT",
                "body": "Posting from a timer",
                "headers":

                {
                    "Content-Type": "application/json"
                }
            },
           "errorAction":
           {
               "type": "http",
               "request":
               {
                   "uri": "http://contoso.com/notifyError",
                   "method": "POST"
               }
           }
        },
        "recurrence":
        {
            "frequency": "week",
            "interval": 1,
            "schedule":
            {
                "weekDays": ["monday", "wednesday", "friday"],
                "hours": [10, 22]
            },
            "count": 10,
            "endTime": "2012-11-04"
        },
        "state": "disabled",
        "status":
        {
            "lastExecutionTime": "2007-03-01T13:00:00Z",
            "nextExecutionTime": "2007-03-01T14:00:00Z ",
            "executionCount": 3,
                                                "failureCount": 0,
                                                "faultedCount": 0
        }
    }"#;

#[tokio::test]
async fn without_properties() {
    let server = Server::start().await;
    assert_snapshot!(put(&server, WITHOUT_PROPERTIES).await, @r#"
    201 Created
    content-type: application/json; charset=utf-8
    etag: "j1-1"
    warning: 299 punctual "recurrence.endTime: no occurrence is left up to 2012-11-04T00:00:00Z"
    {
      "id": "/subscriptions/local/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/default/jobs/example0",
      "type": "Microsoft.Scheduler/jobCollections/jobs",
      "name": "default/example0",
      "properties": {
        "startTime": "2012-08-04T00:00:00Z",
        "action": {
          "request": {
            "uri": "http://contoso.com/foo",
            "method": "PUT",
            "headers": {
              "Content-Type": "application/json"
            },
            "body": "Posting from a timer"
          },
          "type": "Http",
          "retryPolicy": {
            "retryType": "none"
          },
          "errorAction": {
            "request": {
              "uri": "http://contoso.com/notifyError",
              "method": "POST"
            },
            "type": "Http"
          }
        },
        "recurrence": {
          "frequency": "week",
          "count": 10,
          "endTime": "2012-11-04T00:00:00Z",
          "interval": 1,
          "schedule": {
            "hours": [
              10,
              22
            ],
            "weekDays": [
              "monday",
              "wednesday",
              "friday"
            ]
          }
        },
        "state": "disabled"
      }
    }
    "#);
}

/// Its end lies in the past, so that there is nothing to enable.
#[tokio::test]
async fn enabling_it_completes_it() {
    let server = Server::start().await;
    put(&server, WITHOUT_PROPERTIES).await;
    let enabled = server.patch("/v1/jobs/example0", json!({ "properties": { "state": "enabled" } })).await;
    assert_eq!(enabled.at("/properties/state"), "completed", "{enabled}");
}
