//! The examples in tables and between paragraphs.

use insta::assert_snapshot;

use super::put_part;
use crate::answer::Answer;
use crate::server::Server;

/// In one line: when, when first, and what was bent.
fn line(answer: &Answer) -> String {
    let (recurrence, next) = (answer.at("/properties/recurrence"), answer.at("/properties/status/nextExecutionTime"));
    let warning = answer.header("warning").replace("299 punctual ", "");
    format!("{} next {} {recurrence} {warning}", answer.status(), next.as_str().unwrap_or("-")).trim_end().to_owned()
}

#[tokio::test]
async fn parts() {
    let server = Server::start().await;
    let mut lines = Vec::new();
    for part in [
        r#""startTime" : "2013-01-09T09:30:00-08:00""#,
        r#""recurrence" : { "frequency" : "monthly", "interval" : 1 }"#,
        r#""recurrence" : { "frequency" : "hour", "interval":10, "endTime" : "2013-02-09T09:30:00-08:00", "count": 5 }"#,
        r#""recurrence" : { "frequency" : "day", "schedule" : { "minute" : [30], "hour" : [8,17] } }"#,
        r#""recurrence": {
   "frequency": "Week",
   "interval": 1,
   "schedule": {
      "hours": [10, 22],
      "minutes": [0, 30],
      "weekDays": ["Monday", "Wednesday", "Friday"]
   },
   "count": 10,
   "endTime": "2012-11-04"
}"#,
        r#""retryPolicy": {
   "retryType": "Fixed",
   "retryInterval": "PT1D",
   "retryCount": 2
}"#,
        r#""state": "Disabled""#,
        r#""state": "disabled""#,
        r#""status": {
   "lastExecutionTime": "2007-03-01T13:00:00Z",
   "nextExecutionTime": "2007-03-01T14:00:00Z ",
   "executionCount": 3,
   "failureCount": 0,
   "faultedCount": 0
}"#,
    ] {
        let answer = put_part(&server, part).await;
        assert_eq!(answer.status(), 201, "{part}: {answer}");
        lines.push(format!("{} {}", answer.at("/properties/state"), line(&answer)));
    }
    assert_snapshot!(lines.join("\n"), @r#"
    "enabled" 201 next 2026-11-15T12:00:00Z null
    "enabled" 201 next 2026-11-15T12:00:00Z {"frequency":"month","interval":1} "recurrence.frequency: taken as Month"
    "completed" 201 next - {"count":5,"endTime":"2013-02-09T17:30:00Z","frequency":"hour","interval":10} "recurrence.endTime: no occurrence is left up to 2013-02-09T17:30:00Z"
    "enabled" 201 next 2026-11-15T12:00:00Z {"frequency":"day","interval":1,"schedule":{"hours":[8,17],"minutes":[30]}} "recurrence.schedule.minute: taken as minutes; recurrence.schedule.hour: taken as hours"
    "completed" 201 next - {"count":10,"endTime":"2012-11-04T00:00:00Z","frequency":"week","interval":1,"schedule":{"hours":[10,22],"minutes":[0,30],"weekDays":["monday","wednesday","friday"]}} "recurrence.endTime: no occurrence is left up to 2012-11-04T00:00:00Z"
    "enabled" 201 next 2026-11-15T12:00:00Z null "retryPolicy: taken as action.retryPolicy"
    "disabled" 201 next - null
    "disabled" 201 next - null
    "enabled" 201 next 2026-11-15T12:00:00Z null
    "#);
    let policy = server.get("/v1/jobs/example5").await;
    assert_snapshot!(policy.at("/properties/action/retryPolicy"), @r#"{"retryCount":2,"retryInterval":"PT1D","retryType":"fixed"}"#);
}

/// The table of schedules, with a start at half past nine so that its times can be told from others.
#[tokio::test]
async fn schedules() {
    let server = Server::start().await;
    let mut lines = Vec::new();
    for (frequency, schedules) in [("day", &DAILY[..]), ("week", &WEEKLY), ("month", &MONTHLY)] {
        for schedule in schedules {
            let part = format!(
                r#""startTime": "2026-11-01T09:30:00Z", "recurrence": {{"frequency": "{frequency}", "schedule": {schedule}}}"#
            );
            let answer = put_part(&server, &part).await;
            assert_eq!(answer.status(), 201, "{part}: {answer}");
            lines.push(line(&answer));
        }
    }
    assert_snapshot!(lines.join("\n"), @r#"
    201 next 2026-11-16T05:30:00Z {"frequency":"day","interval":1,"schedule":{"hours":[5]}}
    201 next 2026-11-16T05:15:00Z {"frequency":"day","interval":1,"schedule":{"hours":[5],"minutes":[15]}}
    201 next 2026-11-15T17:15:00Z {"frequency":"day","interval":1,"schedule":{"hours":[5,17],"minutes":[15]}}
    201 next 2026-11-15T17:15:00Z {"frequency":"day","interval":1,"schedule":{"hours":[5,17],"minutes":[15,45]}}
    201 next 2026-11-15T12:15:00Z {"frequency":"day","interval":1,"schedule":{"minutes":[0,15,30,45]}}
    201 next 2026-11-15T12:30:00Z {"frequency":"day","interval":1,"schedule":{"hours":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]}}
    201 next 2026-11-15T13:00:00Z {"frequency":"day","interval":1,"schedule":{"minutes":[0]}}
    201 next 2026-11-15T12:15:00Z {"frequency":"day","interval":1,"schedule":{"minutes":[15]}}
    201 next 2026-11-21T17:30:00Z {"frequency":"week","interval":1,"schedule":{"hours":[17],"weekDays":["saturday"]}}
    201 next 2026-11-16T17:30:00Z {"frequency":"week","interval":1,"schedule":{"hours":[17],"weekDays":["monday","wednesday","friday"]}}
    201 next 2026-11-16T17:15:00Z {"frequency":"week","interval":1,"schedule":{"hours":[17],"minutes":[15,45],"weekDays":["monday","wednesday","friday"]}}
    201 next 2026-11-16T05:30:00Z {"frequency":"week","interval":1,"schedule":{"hours":[5,17],"weekDays":["monday","wednesday","friday"]}}
    201 next 2026-11-16T05:15:00Z {"frequency":"week","interval":1,"schedule":{"hours":[5,17],"minutes":[15,45],"weekDays":["monday","wednesday","friday"]}}
    201 next 2026-11-16T00:00:00Z {"frequency":"week","interval":1,"schedule":{"minutes":[0,15,30,45],"weekDays":["monday","tuesday","wednesday","thursday","friday"]}}
    201 next 2026-11-16T09:00:00Z {"frequency":"week","interval":1,"schedule":{"hours":[9,10,11,12,13,14,15,16],"minutes":[0,15,30,45],"weekDays":["monday","tuesday","wednesday","thursday","friday"]}}
    201 next 2026-11-22T09:30:00Z {"frequency":"week","interval":1,"schedule":{"weekDays":["sunday"]}}
    201 next 2026-11-17T09:30:00Z {"frequency":"week","interval":1,"schedule":{"weekDays":["tuesday","thursday"]}}
    201 next 2026-11-28T06:00:00Z {"frequency":"month","interval":1,"schedule":{"hours":[6],"minutes":[0],"monthDays":[28]}}
    201 next 2026-11-30T06:00:00Z {"frequency":"month","interval":1,"schedule":{"hours":[6],"minutes":[0],"monthDays":[-1]}}
    201 next 2026-11-30T06:00:00Z {"frequency":"month","interval":1,"schedule":{"hours":[6],"minutes":[0],"monthDays":[1,-1]}}
    201 next 2026-11-30T09:30:00Z {"frequency":"month","interval":1,"schedule":{"monthDays":[1,-1]}}
    201 next 2026-12-01T09:30:00Z {"frequency":"month","interval":1,"schedule":{"monthDays":[1,14]}}
    201 next 2026-12-02T09:30:00Z {"frequency":"month","interval":1,"schedule":{"monthDays":[2]}}
    201 next 2026-12-04T05:00:00Z {"frequency":"month","interval":1,"schedule":{"hours":[5],"minutes":[0],"monthlyOccurrences":[{"day":"friday","occurrence":1}]}}
    201 next 2026-12-04T09:30:00Z {"frequency":"month","interval":1,"schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":1}]}}
    201 next 2026-12-11T09:30:00Z {"frequency":"month","interval":1,"schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":-3}]}}
    201 next 2026-11-27T05:15:00Z {"frequency":"month","interval":1,"schedule":{"hours":[5],"minutes":[15],"monthlyOccurrences":[{"day":"friday","occurrence":1},{"day":"friday","occurrence":-1}]}}
    201 next 2026-11-27T09:30:00Z {"frequency":"month","interval":1,"schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":1},{"day":"friday","occurrence":-1}]}}
    201 next 2027-01-29T09:30:00Z {"frequency":"month","interval":1,"schedule":{"monthlyOccurrences":[{"day":"friday","occurrence":5}]}}
    201 next 2026-11-27T00:00:00Z {"frequency":"month","interval":1,"schedule":{"minutes":[0,15,30,45],"monthlyOccurrences":[{"day":"friday","occurrence":-1}]}}
    201 next 2026-11-18T05:15:00Z {"frequency":"month","interval":1,"schedule":{"hours":[5,17],"minutes":[15,45],"monthlyOccurrences":[{"day":"wednesday","occurrence":3}]}}
    "#);
}

const DAILY: [&str; 8] = [
    r#"{"hours":[5]}"#,
    r#"{"minutes":[15], "hours":[5]}"#,
    r#"{"minutes":[15], "hours":[5,17]}"#,
    r#"{"minutes":[15,45], "hours":[5,17]}"#,
    r#"{"minutes":[0,15,30,45]}"#,
    r#"{"hours":[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]}"#,
    r#"{"minutes":[0]}"#,
    r#"{"minutes":[15]}"#,
];

const WEEKLY: [&str; 9] = [
    r#"{"hours":[17], "weekDays":["saturday"]}"#,
    r#"{"hours":[17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"minutes":[15,45], "hours":[17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"hours":[5,17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"minutes":[15,45], "hours":[5,17], "weekDays":["monday", "wednesday", "friday"]}"#,
    r#"{"minutes":[0,15,30,45], "weekDays":["monday", "tuesday", "wednesday", "thursday", "friday"]}"#,
    r#"{"minutes":[0,15,30,45], "hours": [9, 10, 11, 12, 13, 14, 15, 16], "weekDays":["monday", "tuesday", "wednesday", "thursday", "friday"]}"#,
    r#"{"weekDays":["sunday"]}"#,
    r#"{"weekDays":["tuesday", "thursday"]}"#,
];

const MONTHLY: [&str; 14] = [
    r#"{"minutes":[0], "hours":[6], "monthDays":[28]}"#,
    r#"{"minutes":[0], "hours":[6], "monthDays":[-1]}"#,
    r#"{"minutes":[0], "hours":[6], "monthDays":[1,-1]}"#,
    r#"{"monthDays":[1,-1]}"#,
    r#"{"monthDays":[1,14]}"#,
    r#"{"monthDays":[2]}"#,
    r#"{"minutes":[0], "hours":[5], "monthlyOccurrences":[{"day":"friday", "occurrence":1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":-3}]}"#,
    r#"{"minutes":[15], "hours":[5], "monthlyOccurrences":[{"day":"friday", "occurrence":1},{"day":"friday", "occurrence":-1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":1},{"day":"friday", "occurrence":-1}]}"#,
    r#"{"monthlyOccurrences":[{"day":"friday", "occurrence":5}]}"#,
    r#"{"minutes":[0,15,30,45], "monthlyOccurrences":[{"day":"friday", "occurrence":-1}]}"#,
    r#"{"minutes":[15,45], "hours":[5,17], "monthlyOccurrences":[{"day":"wednesday", "occurrence":3}]}"#,
];
